"""What one may choose on the page that compares, and the addresses of the choices."""

from dataclasses import dataclass, replace
from urllib.parse import urlencode

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from reports.models import Version
from reports.results import HistogramQuery
from reports.results.comparison import OTHER, ComparisonQuery, ComparisonView, Side, default_locales
from reports.web.pages.choices import Choice, locale_choices, top_choices, version_choices
from reports.web.pages.date_fields import DateFields, date_fields

TOP_CHOICES = (10, 20, 30, 50, 100, 200)
DEFAULT_TOP = 30
MOST_ROWS = max(TOP_CHOICES)
_DAYS = (1, 7, 28)


@dataclass(frozen=True)
class SideControls:
    """The fields of one side; the names of their parameters begin with `prefix`."""

    prefix: str
    title: str
    locales: list[Choice]
    dates: DateFields
    days: list[Choice]


class CompareControls:
    """Everything the form shows; without a version, nothing."""

    def __init__(self, view: ComparisonView) -> None:
        self.sides: list[SideControls] = []
        if view.version is None or view.sides is None:
            return
        first, second = view.sides
        self.sides = [
            _side_controls(view.version, "", _("First side (A)"), first, view.query.first),
            _side_controls(view.version, OTHER, _("Second side (B)"), second, view.query.second),
        ]
        self.versions = version_choices(view.version)
        self.tops = top_choices(TOP_CHOICES, view.query.top or DEFAULT_TOP)


def _side_controls(version: Version, prefix: str, title: str, side: Side, query: HistogramQuery) -> SideControls:
    days = _days(query) if version.discovery is None else []
    dates = date_fields(query, *side.days, prefix, length=bool(days))
    return SideControls(prefix, title, locale_choices(version, side.locale), dates, days)


def with_typed(side: SideControls, typed: DateFields) -> SideControls:
    """The same with what somebody typed, which the form remembers as it does what an address gave."""
    rest = [pair for pair in side.dates.hidden if pair not in typed.hidden]
    return replace(side, dates=replace(typed, hidden=[*typed.hidden, *rest] if side.days else []))


def _days(query: HistogramQuery) -> list[Choice]:
    lengths = sorted({*_DAYS, *([query.days] if query.days else [])})
    return [
        Choice("", _("By dates"), query.days is None),
        *(
            Choice(str(days), ngettext("%(days)s day", "%(days)s days", days) % {"days": days}, days == query.days)
            for days in lengths
        ),
    ]


# --- Addresses ---


def page_parameters(query: ComparisonQuery, view: ComparisonView) -> dict[str, str]:
    """The query string's content without what the page assumes anyway: one view, one address."""
    parameters = query.parameters()
    defaults = {"top": str(DEFAULT_TOP)}
    if view.version is not None:
        defaults["locale"], defaults[f"{OTHER}locale"] = default_locales(view.version, query)
        if view.version == view.default_version:
            defaults["version"] = str(view.version.number)
    return {name: value for name, value in parameters.items() if defaults.get(name) != value}


def link(query: ComparisonQuery, view: ComparisonView) -> str:
    """A link on the page, relative to it."""
    return f"?{urlencode(page_parameters(query, view))}"
