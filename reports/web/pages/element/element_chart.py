"""The chart of an element: a bar for each locale in which it is above the threshold."""

from collections.abc import Sequence
from typing import Any

import plotly.graph_objects as go
from django.utils.text import Truncator
from django.utils.translation import gettext as _

from reports.formatting import day_range
from reports.results.element import LocaleResult
from reports.web.pages.figures import MARGIN, label, rows_axis, shaped
from reports.web.pages.locales import isolated, locale_name
from reports.web.pages.trend.trend_words import interval, point_words

BAR_HEIGHT = 32
LONGEST_SHORT = 18


def figure(places: Sequence[LocaleResult]) -> dict[str, Any]:
    """Shares in percent with adjusted intervals, in the order of the places."""
    shown = [place for place in places if place.point.numbers is not None and place.slot.histogram is not None]
    estimates, above, below = [], [], []
    for place in shown:
        numbers, histogram = place.point.numbers, place.slot.histogram
        if numbers is None or histogram is None:
            continue
        scale = 100 / histogram.n
        estimates.append(numbers.estimate * scale)
        above.append((numbers.adjusted_upper - numbers.estimate) * scale)
        below.append((numbers.estimate - numbers.adjusted_lower) * scale)
    names = [isolated(locale_name(place.locale)) for place in shown]
    bars = go.Bar(
        orientation="h",
        x=estimates,
        y=list(range(len(shown))),
        error_x={"type": "data", "array": above, "arrayminus": below, "thickness": 1.5, "width": 4},
        hovertext=[_hover(place, name) for place, name in zip(shown, names, strict=True)],
        hoverinfo="text",
        meta={"role": "bar"},
    )
    return shaped(
        bars,
        {
            "height": BAR_HEIGHT * len(shown) + MARGIN["t"] + MARGIN["b"],
            "bargap": 0.34,
            "xaxis": {
                "title": {"text": label(_("Estimated share of reports"))},
                "rangemode": "tozero",
                "ticksuffix": "\u00a0%",
            },
            "yaxis": rows_axis([Truncator(name).chars(LONGEST_SHORT) for name in names]),
            "meta": {"named": [label(name) for name in names], "pictures": False},
        },
    )


def _hover(place: LocaleResult, name: str) -> str:
    words = _("%(share)s, 95 %% interval %(interval)s") % {
        "share": point_words(place.slot, place.point),
        "interval": interval(place.slot, place.point),
    }
    return "<br>".join([f"<b>{label(name)}</b>", label(words), label(day_range(place.slot.first, place.slot.last))])
