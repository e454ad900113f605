"""Simulated fleets: reports of devices whose true counts are known, to try what an analysis makes of them."""

from .fleet import Fleet

__all__ = ["Fleet"]
