"""The stock admin: to look at everything, and to do two things: aggregate, and withdraw a batch of an open day."""

from reports.admin import definitions, operations

__all__ = ["definitions", "operations"]
