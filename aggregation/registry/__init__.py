"""What a mechanism offers, and which mechanisms there are."""

from aggregation.registry.mechanism import Mechanism, Members, ParsedRecords, Reports, Squares

__all__ = ["Mechanism", "Members", "ParsedRecords", "Reports", "Squares"]
