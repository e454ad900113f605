"""Simulated fleets: reports of devices whose true counts are known, to try what an analysis makes of them."""

from .binomial_tables import BinomialTables
from .fleet import Fleet

__all__ = ["BinomialTables", "Fleet"]
