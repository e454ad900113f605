"""Use cases as files: read and checked, then applied."""

from reports.definitions.apply import Applied, apply_definitions
from reports.definitions.dictionary import Entry
from reports.definitions.file import Definition, DefinitionError, read_definitions

__all__ = ["Applied", "Definition", "DefinitionError", "Entry", "apply_definitions", "read_definitions"]
