"""Subset selection."""

from .mechanism import SubsetSelection

__all__ = ["SubsetSelection"]
