"""The table of a comparison: the same rows as the chart, with numbers as people read them."""

from dataclasses import dataclass, replace

from django.utils.translation import gettext as _

from reports.formatting import percent
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
    """What the two sides are called in headings and in words."""

    first: str
    second: str


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
    verdict: str
    # Where the interval, by itself, would seem to say something else.
    but: str
    # For the style sheet: which side has clearly more.
    css: str
    # To all that is published about the element; empty where it is embedded.
    page: str


def lines(view: ComparisonView, names: SideNames, digits: int, *, linked: bool) -> list[Line]:
    return [] if view.version is None else [_line(view, view.version, row, names, digits, linked) for row in view.rows]


def _line(
    view: ComparisonView, version: Version, row: ComparisonRow, names: SideNames, digits: int, linked: bool
) -> Line:
    return Line(
        display=colourful(row.display),
        name=element_name(version, row.display),
        category=row.category,
        cells=[_cell(row.first, names.first, digits), _cell(row.second, names.second, digits)],
        difference=comparison_numbers.difference(row, digits) or "—",
        interval=comparison_numbers.difference_interval(row, digits),
        verdict=in_words(row.verdict, names),
        but=but(row, digits),
        css=_CSS.get(row.verdict, ""),
        page=element_address(view.use_case.slug, unpadded(version, row.element), view.query.version) if linked else "",
    )


def _cell(share: Share, label: str, digits: int) -> Cell:
    if share.value is not None:
        return Cell(label, percent(share.value, digits), comparison_numbers.interval(share, digits), is_known=True)
    if share.at_most is not None:
        return Cell(label, _("below T"), comparison_numbers.at_most(share.at_most, digits))
    return Cell(label, _("not reported"))


def in_words(verdict: Verdict, names: SideNames) -> str:
    if verdict == Verdict.MORE_IN_FIRST:
        return _("clearly more in %(side)s") % {"side": names.first}
    if verdict == Verdict.MORE_IN_SECOND:
        return _("clearly more in %(side)s") % {"side": names.second}
    if verdict == Verdict.NOT_COMPARABLE:
        return _("cannot be compared")
    return _("no clear difference")


def in_full(row: ComparisonRow, names: SideNames, digits: int) -> str:
    """The verdict, with what there is to say against reading the interval alone."""
    verdict, against = in_words(row.verdict, names), but(row, digits)
    return _("%(verdict)s, %(but)s") % {"verdict": verdict, "but": against} if against else verdict


def but(row: ComparisonRow, digits: int) -> str:
    """That verdict and interval answer two questions, in the rows where one sees it."""
    includes = comparison_numbers.includes_zero(row, digits)
    if row.verdict == Verdict.NO_CLEAR_DIFFERENCE:
        return _("although its interval does not include zero") if includes is False else ""
    return _("although its interval includes zero") if includes else ""


def headings(view: ComparisonView, names: SideNames, *, linked: bool) -> list[Heading]:
    def heading(label: str, order: str, css: str = "") -> Heading:
        return Heading(label, _sorted_by(view, order) if linked else "", _order_of(view, order) if linked else "", css)

    return [
        heading(str(page_kind(view.version).element), "name"),
        heading(names.first, "first", "number"),
        heading(names.second, "second", "number"),
        heading(_("Difference in points"), "difference", "number"),
        heading(_("Verdict"), "significance"),
    ]


# Of sizes the largest come first unless the order is turned round; of names the first.
def _order_of(view: ComparisonView, order: str) -> str:
    turned = view.query.sort.startswith("-")
    if view.query.sort.removeprefix("-") != order:
        return ""
    return "ascending" if turned != (order == "name") else "descending"


def _sorted_by(view: ComparisonView, order: str) -> str:
    turned = f"-{order}" if view.query.sort == order else order
    return link(replace(view.query, sort=turned), view)
