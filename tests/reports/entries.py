"""Entries of histograms straight in the database."""

from collections.abc import Callable, Sequence
from typing import Any

from reports.models import Entry, HistogramEntries


def entries_of(
    elements: Sequence[str], estimates: Sequence[float], *, error: float, half: float, adjusted: float, **more: Any
) -> list[Entry]:
    """Entries with intervals that reach so far to both sides."""
    return [
        Entry(
            rank=rank, element=element, display=element, category="", estimate=estimate, standard_error=error,
            lower=estimate - half, upper=estimate + half, adjusted_lower=estimate - adjusted,
            adjusted_upper=estimate + adjusted,
        )._replace(**more)
        for rank, (element, estimate) in enumerate(zip(elements, estimates, strict=True), 1)
    ]  # fmt: skip


def change_entries(
    wanted: Callable[[Entry], object] = bool,
    values: Callable[[Entry], dict[str, Any]] = lambda _entry: {},
    *,
    of: dict[str, Any] | None = None,
    **fixed: Any,
) -> None:
    """Change entries of the histograms `of` these fields, or of all, that are wanted."""
    for entries in HistogramEntries.objects.filter(**of or {}).select_related("histogram"):
        rows = [entry._replace(**fixed, **values(entry)) if wanted(entry) else entry for entry in entries]
        HistogramEntries.of(entries.histogram, rows).save(force_update=True)
