"""The chart of an element: a bar for each locale in which it is above the threshold."""

from collections.abc import Sequence
from typing import Any

import plotly.graph_objects as go
from django.utils.translation import gettext as _

from reports.formatting import day_range
from reports.results.element import LocaleResult
from reports.web.pages.figures import MARGIN, intervals, label, rows_axis, shaped, share_axis, short
from reports.web.pages.locales import isolated, locale_name
from reports.web.pages.trend.trend_words import interval, point_words

BAR_HEIGHT = 32


def figure(places: Sequence[LocaleResult]) -> dict[str, Any]:
    """Shares in percent with adjusted intervals, in the order of the places."""
    shown = [place for place in places if place.share is not None]
    found = [
        (100 / place.slot.histogram.n, place.point.numbers)
        for place in shown
        if place.point.numbers is not None and place.slot.histogram is not None
    ]
    estimates = [scale * numbers.estimate for scale, numbers in found]
    lower = [scale * numbers.adjusted_lower for scale, numbers in found]
    upper = [scale * numbers.adjusted_upper for scale, numbers in found]
    names = [isolated(locale_name(place.locale)) for place in shown]
    bars = go.Bar(
        orientation="h",
        x=estimates,
        y=list(range(len(shown))),
        error_x=intervals(estimates, lower, upper),
        hovertext=[_hover(place, name) for place, name in zip(shown, names, strict=True)],
        hoverinfo="text",
        meta={"role": "bar"},
    )
    return shaped(
        bars,
        {
            "height": BAR_HEIGHT * len(shown) + MARGIN["t"] + MARGIN["b"],
            "bargap": 0.34,
            "xaxis": share_axis(),
            "yaxis": rows_axis([short(locale_name(place.locale)) for place in shown]),
            "meta": {"named": [label(name) for name in names], "pictures": False},
        },
    )


def _hover(place: LocaleResult, name: str) -> str:
    words = _("%(share)s, 95 %% interval %(interval)s") % {
        "share": point_words(place.slot, place.point),
        "interval": interval(place.slot, place.point),
    }
    return "<br>".join([f"<b>{label(name)}</b>", label(words), label(day_range(place.slot.first, place.slot.last))])
