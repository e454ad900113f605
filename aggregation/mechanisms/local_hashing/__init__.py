"""Local hashing."""

from .mechanism import LocalHashing

__all__ = ["LocalHashing"]
