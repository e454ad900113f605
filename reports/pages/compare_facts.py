"""What a reader must know about a comparison: what is compared, how it is to be read, and where it comes from."""

from dataclasses import dataclass
from urllib.parse import urlencode

from django.urls import reverse
from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from reports.models import Histogram
from reports.numbers import day_range, percent, short_day, whole
from reports.pages import compare_numbers as numbers
from reports.pages.compare_controls import exact
from reports.pages.compare_table import SideNames
from reports.pages.locales import locale_name
from reports.results.comparison import ComparisonView
from reports.results.comparison_rows import FALSE_DISCOVERY_RATE
from reports.results.comparison_sides import Side
from reports.results.states import State


@dataclass(frozen=True)
class SideFacts:
    """A side in words; without a histogram, why there is none."""

    letter: str
    name: str
    locale: str
    window: str
    # The page of its histogram.
    link: str
    state: State
    n: str = ""
    threshold: str = ""
    threshold_share: str = ""
    at_most: str = ""


def side_names(view: ComparisonView) -> SideNames:
    """By what they differ in: locale or window; by both, if it is both."""
    if view.sides is None:
        return SideNames("A", "B")
    first, second = view.sides
    windows = _short_windows(view.sides)
    if first.locale == second.locale:
        return SideNames(*windows)
    if windows[0] == windows[1]:
        return SideNames(locale_name(first.locale), locale_name(second.locale))
    words = _("%(place)s, %(window)s")
    named = [
        words % {"place": locale_name(side.locale), "window": window}
        for side, window in zip(view.sides, windows, strict=True)
    ]
    return SideNames(*named)


def _short_windows(sides: tuple[Side, Side]) -> list[str]:
    """Without their year, if all days are of one: it stands above."""
    days = [day for side in sides for day in side.days]
    known = [day for day in days if day is not None]
    if len(known) < len(days) or len({day.year for day in known}) > 1:
        return [_window(side) for side in sides]
    ends = [short_day(day, near=known[0]) for day in known]
    return [
        first if first == last else _("%(first)s – %(last)s") % {"first": first, "last": last}
        for first, last in (ends[:2], ends[2:])
    ]


def _window(side: Side) -> str:
    first, last = side.days
    if first is not None and last is not None:
        return day_range(first, last)
    if first is not None:
        return _("from %(day)s") % {"day": date_format(first)}
    return _("until %(day)s") % {"day": date_format(last)} if last is not None else _("the newest days")


def side_facts(view: ComparisonView, names: SideNames, digits: int) -> list[SideFacts]:
    if view.sides is None:
        return []
    bounds = (None, None) if view.compared is None else (view.compared.first_at_most, view.compared.second_at_most)
    named = zip(("A", "B"), (names.first, names.second), view.sides, bounds, strict=True)
    return [_side_facts(view, letter, name, side, bound, digits) for letter, name, side, bound in named]


def _side_facts(
    view: ComparisonView, letter: str, name: str, side: Side, bound: float | None, digits: int
) -> SideFacts:
    histogram = side.histogram
    facts = SideFacts(letter, name, locale_name(side.locale), _window(side), _histogram_link(view, side), side.state)
    if histogram is None or histogram.threshold is None:
        return facts
    return SideFacts(
        facts.letter,
        facts.name,
        facts.locale,
        facts.window,
        facts.link,
        facts.state,
        n=whole(histogram.n),
        threshold=whole(histogram.threshold),
        threshold_share=percent(histogram.threshold / histogram.n, digits),
        at_most="" if bound is None else numbers.at_most(bound, digits),
    )


def _histogram_link(view: ComparisonView, side: Side) -> str:
    query = exact(view)
    parameters = (query.first if view.sides and side is view.sides[0] else query.second).parameters()
    if view.version is not None and view.version != view.default_version:
        parameters["version"] = str(view.version.number)
    return f"{reverse('use_case', args=[view.use_case.slug])}?{urlencode(parameters)}"


def tally(view: ComparisonView, names: SideNames) -> str:
    """How many of those listed differ clearly."""
    if view.discovery is None:
        listed = ngettext(
            "%(count)s element is above T on at least one side.",
            "%(count)s elements are above T on at least one side.",
            view.total,
        )
    else:
        listed = ngettext(
            "%(count)s word is above T on at least one side.",
            "%(count)s words are above T on at least one side.",
            view.total,
        )
    clear = _("Clearly more in %(first)s: %(more_first)s. Clearly more in %(second)s: %(more_second)s.")
    return f"{listed} {clear}" % {
        "count": whole(view.total),
        "first": names.first,
        "second": names.second,
        "more_first": whole(view.more_in_first),
        "more_second": whole(view.more_in_second),
    }


def hidden(view: ComparisonView) -> str:
    """That some words are not shown because they were rejected; empty if none is."""
    words = ngettext("%(count)s rejected word is not shown.", "%(count)s rejected words are not shown.", view.hidden)
    return words % {"count": whole(view.hidden)} if view.hidden else ""


def caption(names: SideNames) -> str:
    """How to read it."""
    words = _(
        "Estimated shares of reports, not of people; 95 %% intervals, adjusted for showing only what stands out."
        " The interval of a difference allows for who happened to report, too; that of a share does not. Differences"
        " are of %(first)s minus %(second)s, in percentage points. They are called clear by a test whose false"
        " discovery rate is 5 %%: of those called clear, one in twenty is none at most, on average. “Below T” is not"
        " zero: the share is not known, only that it is no larger than said, and so of the difference only bounds are"
        " known; it is called clear if they exclude zero."
    )
    return words % {"first": names.first, "second": names.second}


def provenance(view: ComparisonView, first: Histogram, second: Histogram) -> list[tuple[str, str]]:
    version = first.version
    revision = first.revision
    words = _("revision %(number)s, %(size)s elements")
    dictionary = [] if revision is None else [words % {"number": revision.number, "size": whole(revision.size)}]
    return [
        (_("Version"), str(version.number)),
        (_("Algorithm"), version.algorithm),
        *(
            (name if name != "epsilon" else "ε", str(value))
            for name, value in version.mechanism.wire_parameters().items()
        ),
        *((_("Dictionary"), text) for text in dictionary),
        (_("α (expected false entries)"), f"{first.alpha:g}"),
        (_("False discovery rate"), percent(FALSE_DISCOVERY_RATE, 0)),
        *_of_side("A", first),
        *_of_side("B", second),
    ]


def _of_side(letter: str, histogram: Histogram) -> list[tuple[str, str]]:
    threshold = "" if histogram.threshold is None else whole(histogram.threshold)
    named = [
        (_("%(side)s: locale"), locale_name(histogram.locale)),
        (_("%(side)s: window"), day_range(histogram.first_day, histogram.last_day)),
        (_("%(side)s: n"), whole(histogram.n)),
        (_("%(side)s: T (threshold, in reports)"), threshold),
        (
            _("%(side)s: generated"),
            _("%(time)s UTC") % {"time": date_format(histogram.generated_at, "DATETIME_FORMAT")},
        ),
    ]
    return [(name % {"side": letter}, value) for name, value in named]
