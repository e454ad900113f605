"""The axis of values of a histogram's chart: shares or numbers of reports, linear or logarithmic."""

import math
from collections.abc import Sequence
from typing import Any

from django.utils.translation import gettext as _

from reports.formatting import percent, rounded
from reports.results import HistogramQuery, HistogramRow
from reports.web.pages.figures import label

MOST_TICKS = 6


def floor_of(rows: Sequence[HistogramRow]) -> float:
    """Where a logarithmic axis begins, in reports: below all estimates and thresholds, and most lower ends."""
    needed = min(min(row.threshold, row.entry.estimate) for row in rows)
    ends = [row.entry.adjusted_lower for row in rows if row.entry.adjusted_lower > needed / 10]
    return 0.8 * min(needed, *ends)


def values_axis(
    rows: Sequence[HistogramRow], query: HistogramQuery, scale: float, floor: float | None
) -> dict[str, Any]:
    titles = {
        ("", ""): _("Estimated share of reports"),
        ("", "count"): _("Estimated number of reports"),
        ("consistent", ""): _("Consistent share of reports"),
        ("consistent", "count"): _("Consistent number of reports"),
    }
    axis: dict[str, Any] = {
        "title": {"text": label(titles[query.values, query.unit])},
        "ticksuffix": "" if query.unit == "count" else "\u00a0%",
        # Not 10k, nor 1e-5.
        "exponentformat": "none",
        "separatethousands": True,
    }
    if floor is None:
        return axis | {"rangemode": "tozero"}
    highest = max(max(row.entry.adjusted_upper, row.value, row.threshold) for row in rows) * scale * 1.1
    ticks = _ticks(floor, highest)
    return axis | {
        "type": "log",
        "range": [math.log10(floor), math.log10(highest)],
        "tickvals": ticks,
        "ticktext": [label(_tick(tick, query)) for tick in ticks],
        "ticksuffix": "",
    }


def _ticks(lowest: float, highest: float) -> list[float]:
    """Round numbers for a logarithmic axis; as many as have room beside each other."""
    powers = range(math.floor(math.log10(lowest)), math.ceil(math.log10(highest)) + 1)
    for steps in ((1, 2, 5), (1, 3), (1,)):
        ticks = [step * 10.0**power for power in powers for step in steps if lowest <= step * 10.0**power <= highest]
        if len(ticks) <= MOST_TICKS:
            break
    return ticks


def _tick(value: float, query: HistogramQuery) -> str:
    digits = max(0, -math.floor(math.log10(value)))
    return rounded(value, digits) if query.unit == "count" else percent(value / 100, digits)
