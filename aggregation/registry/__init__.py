"""What a mechanism offers, and which mechanisms there are."""

from .mechanism import Mechanism, Members, ParsedRecords, Reports, Squares

__all__ = ["Mechanism", "Members", "ParsedRecords", "Reports", "Squares"]
