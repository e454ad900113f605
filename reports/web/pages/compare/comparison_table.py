"""The table of a comparison: the same rows as the chart, with numbers as people read them."""

from dataclasses import dataclass, replace

from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from reports.formatting import rounded, whole
from reports.models import Version
from reports.results import colourful, element_name, unpadded
from reports.results.comparison import ComparisonRow, ComparisonView, Share, Verdict
from reports.web.pages.addresses import element_address
from reports.web.pages.compare import comparison_numbers
from reports.web.pages.compare.comparison_controls import link
from reports.web.pages.kinds import page_kind
from reports.web.pages.tables import Heading


@dataclass(frozen=True)
class Cell:
    """A share with its interval, or words in their place with the bound."""

    label: str
    value: str
    note: str = ""
    is_known: bool = False


@dataclass(frozen=True)
class SideNames:
    """Names of the two sides in headings and in words.

    `later` is the number of the side that comes after the other, where both are of one locale.
    """

    first: str
    second: str
    later: int | None = None


_CSS = {Verdict.MORE_IN_FIRST: "more-first", Verdict.MORE_IN_SECOND: "more-second"}


@dataclass(frozen=True)
class Line:
    """A row in words."""

    display: str
    name: str
    category: str
    cells: list[Cell]
    difference: str
    interval: str
    symbol: str
    verdict: str
    # Where the interval, by itself, would seem to say something else.
    but: str
    # For the style sheet: which side has clearly more.
    css: str
    # Where the difference is on a line from the largest negative one to the largest positive one, both in percent.
    mark: tuple[float, float] | None
    # To all that is published about the element; empty where it is embedded.
    page: str


def lines(view: ComparisonView, names: SideNames, digits: int, *, linked: bool) -> list[Line]:
    if view.version is None:
        return []
    largest = max((row.least for row in view.rows), default=0.0)
    return [_line(view, view.version, row, names, digits, largest, linked) for row in view.rows]


def _line(
    view: ComparisonView,
    version: Version,
    row: ComparisonRow,
    names: SideNames,
    digits: int,
    largest: float,
    linked: bool,
) -> Line:
    symbol, verdict = in_short(row.verdict, names)
    return Line(
        display=colourful(row.display),
        name=element_name(version, row.display),
        category=row.category,
        cells=[_cell(row.first, names.first, digits), _cell(row.second, names.second, digits)],
        difference=comparison_numbers.difference(row, digits) or "—",
        interval=comparison_numbers.difference_interval(row, digits),
        symbol=symbol,
        verdict=verdict,
        but=but(row),
        css=_CSS.get(row.verdict, ""),
        mark=_mark(row, largest),
        page=element_address(view.use_case.slug, unpadded(version, row.element), view.query.version) if linked else "",
    )


def _cell(share: Share, label: str, digits: int) -> Cell:
    if share.value is not None:
        return Cell(
            label, rounded(100 * share.value, digits), comparison_numbers.interval(share, digits), is_known=True
        )
    if share.at_most is not None:
        return Cell(label, _("below T"), comparison_numbers.true_at_most(share.at_most, digits))
    return Cell(label, _("not reported"))


def _mark(row: ComparisonRow, largest: float) -> tuple[float, float] | None:
    """Return start and length of the bar from zero, which is in the middle; of a bound it is what is certain."""
    if row.lower is None or not largest:
        return None
    length = 50 * row.least / largest
    value = row.difference if row.difference is not None else (row.lower if row.lower > 0 else row.upper)
    return round(50 - length if (value or 0.0) < 0 else 50, 1), round(length, 1)


def in_short(verdict: Verdict, names: SideNames) -> tuple[str, str]:
    """A symbol, of sides that of their points in the chart, and a word or two, below what `headings` says."""
    if verdict == Verdict.NOT_COMPARABLE:
        return "–", _("cannot be compared")
    if verdict == Verdict.NO_CLEAR_DIFFERENCE:
        return "≈", _("not clear")
    side = 0 if verdict == Verdict.MORE_IN_FIRST else 1
    if names.later is not None:
        return ("▲", _("rose")) if side == names.later else ("▼", _("fell"))
    return "●■"[side], (names.first, names.second)[side]


def in_words(verdict: Verdict, names: SideNames) -> str:
    if verdict == Verdict.MORE_IN_FIRST:
        return _("clearly more in %(side)s") % {"side": names.first}
    if verdict == Verdict.MORE_IN_SECOND:
        return _("clearly more in %(side)s") % {"side": names.second}
    if verdict == Verdict.NOT_COMPARABLE:
        return _("cannot be compared")
    return _("no clear difference")


def in_full(row: ComparisonRow, names: SideNames) -> str:
    """The verdict, with what there is to say against reading the interval alone."""
    verdict, against = in_words(row.verdict, names), but(row)
    return _("%(verdict)s, %(but)s") % {"verdict": verdict, "but": against} if against else verdict


def but(row: ComparisonRow) -> str:
    return comparison_numbers.but(row, clear=row.verdict != Verdict.NO_CLEAR_DIFFERENCE)


def headings(view: ComparisonView, names: SideNames, *, linked: bool) -> list[Heading]:
    def heading(label: str, order: str, css: str = "", note: str = "") -> Heading:
        there, direction = (_sorted_by(view, order), _order_of(view, order)) if linked else ("", "")
        return Heading(label, there, direction, css, note)

    words = _("%% of %(n)s")
    counts = [words % {"n": whole(histogram.n)} for histogram in view.histograms or ()] or ["", ""]
    return [
        heading(str(page_kind(view.version).element), "name"),
        heading(names.first, "first", "number first-side", counts[0]),
        heading(names.second, "second", "number second-side", counts[1]),
        heading(_("Difference"), "difference", "number", _("in points")),
        heading(pgettext("of a share", "Change") if names.later is not None else _("Clearly more in"), "significance"),
    ]


# Sizes come largest first unless the order is turned round, names from A on.
def _order_of(view: ComparisonView, order: str) -> str:
    turned = view.query.sort.startswith("-")
    if view.query.sort.removeprefix("-") != order:
        return ""
    return "ascending" if turned != (order == "name") else "descending"


def _sorted_by(view: ComparisonView, order: str) -> str:
    turned = f"-{order}" if view.query.sort == order else order
    return link(replace(view.query, sort=turned), view)
