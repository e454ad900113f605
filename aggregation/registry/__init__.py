"""What a mechanism offers, which mechanisms there are, and the parts that each is asked for."""

from .mechanism import Mechanism, ParsedRecords, State
from .registry import MECHANISMS, PARTS, mechanism_for, part_of, register

__all__ = [
    "MECHANISMS",
    "PARTS",
    "Mechanism",
    "ParsedRecords",
    "State",
    "mechanism_for",
    "part_of",
    "register",
]
