"""The one writer of use cases, versions and dictionaries: from files, and step by step."""

from reports.definitions.apply import Applied, apply_definitions
from reports.definitions.dictionary import Entry, revise_dictionary
from reports.definitions.export import write_definitions
from reports.definitions.file import Definition, read_definitions
from reports.definitions.proposal import Proposal, read_proposal
from reports.definitions.versions import (
    activate,
    change_draft,
    change_locales,
    create_draft,
    discard_draft,
    draft_from,
)

__all__ = [
    "Applied",
    "Definition",
    "Entry",
    "Proposal",
    "activate",
    "apply_definitions",
    "change_draft",
    "change_locales",
    "create_draft",
    "discard_draft",
    "draft_from",
    "read_definitions",
    "read_proposal",
    "revise_dictionary",
    "write_definitions",
]
