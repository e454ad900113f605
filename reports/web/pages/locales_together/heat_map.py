"""The heat map of elements by locales: a table whose cells are as dark as shares are large."""

import math
from dataclasses import dataclass, replace

from django.utils.translation import gettext as _

from reports.formatting import percent
from reports.models import Version
from reports.results import colourful, element_name, unpadded
from reports.results.locales_together import Cell, CellState, LocalesView, OfElement
from reports.web.pages.addresses import element_address, short_link
from reports.web.pages.compare import comparison_numbers
from reports.web.pages.locales import locale_name, short_locale_name
from reports.web.pages.locales_together.panels import SIGNS, standing_words
from reports.web.pages.tables import Heading

# Shades: the style sheet has as many.
STEPS = 8


@dataclass(frozen=True)
class Square:
    """A cell of the map: its words, and for the style sheet its shade or its state."""

    value: str
    # For those who do not see colours, and where a pointer rests.
    title: str
    css: str
    sign: str
    standing: str


@dataclass(frozen=True)
class Line:
    display: str
    name: str
    link: str
    squares: list[Square]


@dataclass(frozen=True)
class HeatMap:
    """Heads by which one sorts, the rows, and from which share on each shade is."""

    headings: list[Heading]
    lines: list[Line]
    shades: list[tuple[str, str]]


def heat_map(view: LocalesView, version: Version, digits: int) -> HeatMap:
    codes = [newest.locale for newest in view.shown]
    largest = max((each.largest for each in view.elements), default=0.0) or 1.0
    return HeatMap(
        headings=[
            _heading(view, _("Element"), "name"),
            *(_heading(view, short_locale_name(code, codes), code, locale_name(code)) for code in codes),
        ],
        lines=[_line(view, version, each, digits, largest) for each in view.rows],
        # Shades go with the root of a share: of a long tail a line would leave only two.
        shades=[(f"heat-{step}", percent(largest * (step / STEPS) ** 2, 1 if step else 0)) for step in range(STEPS)],
    )


def _heading(view: LocalesView, label: str, order: str, note: str = "") -> Heading:
    """A head that sorts by itself, and, where it does, the other way round."""
    is_sorted, turned = view.order == order, view.is_turned
    link = short_link(replace(view.query, sort=f"-{order}" if is_sorted and not turned else order), view)
    direction = ("ascending" if turned != (order == "name") else "descending") if is_sorted else ""
    return Heading(label, link, direction, note=note)


def _line(view: LocalesView, version: Version, each: OfElement, digits: int, largest: float) -> Line:
    element = unpadded(version, each.element)
    return Line(
        display=colourful(each.entry.display),
        name=element_name(version, each.entry.display),
        link=element_address(view.use_case.slug, element, view.query.version),
        squares=[_square(cell, digits, largest) for cell in each.cells],
    )


def _square(cell: Cell, digits: int, largest: float) -> Square:
    standing = standing_words(cell.standing)
    value, said, css = _words(cell, digits, largest)
    if cell.others is not None:
        said = _("%(share)s; mean of the others %(others)s") % {"share": said, "others": percent(cell.others, digits)}
    if standing:
        said = _("%(share)s; %(standing)s") % {"share": said, "standing": standing}
        css = f"{css} stands-{cell.standing}"
    return Square(value, f"{locale_name(cell.locale)}: {said}", css, SIGNS[cell.standing], standing)


def _words(cell: Cell, digits: int, largest: float) -> tuple[str, str, str]:
    share = cell.share
    if share.value is not None:
        interval = comparison_numbers.interval(share, digits)
        step = min(int(STEPS * math.sqrt(max(share.value, 0.0) / largest)), STEPS - 1)
        value = percent(share.value, digits)
        return value, f"{value} ({interval})", f"heat-{step}"
    if share.at_most is not None:
        bound = comparison_numbers.at_most(share.at_most, digits)
        return f"≤ {percent(share.at_most, digits)}", _("below T, %(bound)s") % {"bound": bound}, "hatched"
    if cell.state == CellState.NOT_COUNTED:
        return "–", _("not counted in all of the window"), "nothing"
    return "–", _("devices of this locale do not report words with such letters"), "nothing"
