"""Annotations in a chart over days: lines with numbers, for texts would hide each other. A list has the texts."""

import datetime
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any, Final

from django.utils.text import Truncator
from django.utils.translation import gettext as _

from reports.formatting import written_day
from reports.models import Annotation
from reports.results.trend import Slot
from reports.web.pages.figures import label
from reports.web.pages.locales import isolated

# Numbers that would touch each other stand below each other.
MOST_LEVELS: Final = 8
LEVEL_HEIGHT: Final = 21
# Width of the narrowest chart, in pixels: a number is as wide as its digits and a frame.
_NARROWEST: Final = 280
_DIGIT: Final = 7
_FRAME: Final = 10
LONGEST_HOVER: Final = 60


def lines(annotations: Sequence[Annotation]) -> list[dict[str, Any]]:
    """A line for each day on which something happened."""
    days = dict.fromkeys(annotation.day.isoformat() for annotation in annotations)
    line = {"width": 1.5, "dash": "dot"}
    return [
        {"type": "line", "name": "annotation", "x0": day, "x1": day, "yref": "paper", "y0": 0, "y1": 1, "line": line}
        for day in days
    ]


def numbers(annotations: Sequence[Annotation], slots: Sequence[Slot]) -> Iterator[dict[str, Any]]:
    """At the head of each line the numbers that its day has in the list. The texts, by people, are markup to Plotly."""
    if not slots:
        return
    begin, whole = slots[0].last, max((slots[-1].last - slots[0].last).days, 1)
    # Where the last number of each level ends.
    ends: list[float] = []
    for day, found in groupby(enumerate(annotations, 1), key=lambda numbered: numbered[1].day):
        of_day = list(found)
        text = _numbered([number for number, _annotation in of_day])
        place = (day - begin).days / whole
        width = (len(text) * _DIGIT + _FRAME) / _NARROWEST
        level = next((at for at, end in enumerate(ends) if end <= place - width / 2), len(ends))
        if level == MOST_LEVELS:
            level = ends.index(min(ends))
        ends[level : level + 1] = [place + width / 2]
        yield {
            "name": "annotation",
            "text": text,
            "x": day.isoformat(),
            "y": 1,
            "yref": "paper",
            # Not beyond the edge of the drawing.
            "xanchor": "left" if place < width / 2 else "right" if place > 1 - width / 2 else "center",
            "yanchor": "top",
            "yshift": -LEVEL_HEIGHT * level,
            "showarrow": False,
            "font": {"size": 12},
            "borderwidth": 1,
            "borderpad": 2,
            "hovertext": "<br>".join(label(_short(annotation)) for _number, annotation in of_day),
        }


def _numbered(found: Sequence[int]) -> str:
    """Annotations of a day follow each other."""
    return str(found[0]) if len(found) == 1 else f"{found[0]}–{found[-1]}"


def _short(annotation: Annotation) -> str:
    return _said(annotation.day, isolated(Truncator(annotation.text).chars(LONGEST_HOVER)))


def notes(annotations: Sequence[Annotation]) -> str:
    """The list as lines, for pictures of the chart."""
    words = _("%(number)s. %(said)s")
    return "\n".join(
        words % {"number": number, "said": _said(annotation.day, isolated(annotation.text))}
        for number, annotation in enumerate(annotations, 1)
    )


def _said(day: datetime.date, text: str) -> str:
    return _("%(day)s: %(text)s") % {"day": written_day(day), "text": text}
