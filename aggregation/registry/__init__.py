"""Registry of mechanisms: what each offers, which there are, and the parts that each is asked for."""

from .discovery import DiscoveryMechanism, TableMechanism, discovers
from .fragments import FALSE_FRAGMENTS, PUZZLES, fragment_element, num_keys
from .mechanism import Mechanism, NoDictionary, ParsedRecords, State
from .registry import (
    MECHANISMS,
    PARTS,
    estimator_of,
    mechanism_for,
    optional_part_of,
    parameter_names,
    parameter_types,
    part_of,
    register,
)
from .words import ParameterWords, Say, WordsPart, marked

__all__ = [
    "FALSE_FRAGMENTS",
    "MECHANISMS",
    "PARTS",
    "PUZZLES",
    "DiscoveryMechanism",
    "Mechanism",
    "NoDictionary",
    "ParameterWords",
    "ParsedRecords",
    "Say",
    "State",
    "TableMechanism",
    "WordsPart",
    "discovers",
    "estimator_of",
    "fragment_element",
    "marked",
    "mechanism_for",
    "num_keys",
    "optional_part_of",
    "parameter_names",
    "parameter_types",
    "part_of",
    "register",
]
