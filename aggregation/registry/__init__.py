"""Registry of mechanisms: what each offers, which there are, and the parts that each is asked for."""

from .mechanism import Mechanism, NoDictionary, ParsedRecords, State
from .registry import (
    MECHANISMS,
    PARTS,
    estimator_of,
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
    "estimator_of",
    "marked",
    "mechanism_for",
    "optional_part_of",
    "parameter_types",
    "part_of",
    "register",
    "wire_names",
]
