"""Sums over the objects of an import, which its parts keep while they last, and the import after them."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field, fields
from typing import Any, Self

from reports.collection.ingest import Receipt, UploadRefused
from reports.models import Import


@dataclass
class Tally:
    """Outcome of reading one object, or several."""

    # Objects, of each of several parts taken in by itself; those that were gone when they were to be read.
    objects: int = 0
    gone: int = 0
    # Parts of objects that are done.
    blocks: int = 0
    # Records.
    accepted: int = 0
    known: int = 0
    rejected: Counter[str] = field(default_factory=Counter)
    # Parts of objects that were refused as a whole, by reason.
    refused: Counter[str] = field(default_factory=Counter)

    @classmethod
    def of(cls, stored: dict[str, Any]) -> Self:
        found = cls(**stored)
        found.rejected, found.refused = Counter(found.rejected), Counter(found.refused)
        return found

    def add(self, outcome: Receipt | UploadRefused) -> None:
        self.blocks += 1
        self.rejected.update(outcome.rejected)
        if isinstance(outcome, UploadRefused):
            self.refused[str(outcome.refusal)] += 1
        elif outcome.duplicate:
            self.known += outcome.accepted
        else:
            self.accepted += outcome.accepted

    def plus(self, others: Iterable["Tally"]) -> "Tally":
        total = Tally.of(self.stored())
        for other in others:
            for name in ("objects", "gone", "blocks", "accepted", "known"):
                setattr(total, name, getattr(total, name) + getattr(other, name))
            total.rejected.update(other.rejected)
            total.refused.update(other.refused)
        return total

    def stored(self) -> dict[str, Any]:
        """Return it as a row keeps it."""
        values = {each.name: getattr(self, each.name) for each in fields(self)}
        return {name: dict(value) if isinstance(value, Counter) else value for name, value in values.items()}


def tally_of(order: Import) -> Tally:
    """Return the outcome of an import, so far."""
    if order.state == Import.State.FINISHED:
        return Tally.of(order.tally)
    parts = order.parts.exclude(facts={}).values_list("facts", flat=True)
    return Tally.of(order.tally).plus(map(Tally.of, parts))


def forget_parts(order: Import) -> None:
    """Drop the parts of an import that has ended, or is about to: what tells of objects does not outlive it."""
    Import.objects.filter(pk=order.pk).update(tally=tally_of(order).stored())
    order.parts.all().delete()
