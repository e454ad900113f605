"""Registry of mechanisms: what each offers, which there are, and the parts that each is asked for."""

from .mechanism import Mechanism, NoDictionary, ParsedRecords, State
from .registry import (
    MECHANISMS,
    PARTS,
    mechanism_for,
    optional_part_of,
    parameter_types,
    part_of,
    register,
    wire_names,
)
from .words import ParameterWords, Say, WordsPart, marked

__all__ = [
    "MECHANISMS",
    "PARTS",
    "Mechanism",
    "NoDictionary",
    "ParameterWords",
    "ParsedRecords",
    "Say",
    "State",
    "WordsPart",
    "marked",
    "mechanism_for",
    "optional_part_of",
    "parameter_types",
    "part_of",
    "register",
    "wire_names",
]
