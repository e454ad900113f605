"""Subset Selection."""

from .mechanism import SubsetSelection

__all__ = ["SubsetSelection"]
