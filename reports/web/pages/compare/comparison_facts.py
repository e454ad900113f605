"""Facts that a reader must know about a comparison: what is compared, how it is to be read, and where it comes from."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from urllib.parse import urlencode

from django.urls import reverse
from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from reports.formatting import day_range, percent, short_day, whole
from reports.models import Histogram
from reports.results import State
from reports.results.comparison import FALSE_DISCOVERY_RATE, ComparisonView, Side
from reports.web.pages import provenance_facts as origin
from reports.web.pages.compare import comparison_numbers
from reports.web.pages.compare.comparison_table import SideNames
from reports.web.pages.locales import locale_name, short_locale_name
from reports.web.pages.periods import not_counted_words, stretches
from reports.web.pages.provenance_facts import threshold, threshold_share
from reports.web.pages.version_words import Counted, counted_elsewhere, mechanism_words, version_words


def side_names(view: ComparisonView) -> SideNames:
    """By what they differ in: locale or window; by both, if it is both."""
    if view.sides is None:
        return SideNames("A", "B")
    first, second = view.sides
    windows = _short_windows(view.sides)
    if first.locale == second.locale:
        return SideNames(windows[0], windows[1], _later(view.sides))
    locales = [side.locale for side in view.sides] if view.version is None else view.version.locales
    named = [short_locale_name(side.locale, locales) for side in view.sides]
    if windows[0] != windows[1]:
        words = _("%(place)s, %(window)s")
        named = [words % {"place": place, "window": days} for place, days in zip(named, windows, strict=True)]
    return SideNames(named[0], named[1])


def _later(sides: tuple[Side, Side]) -> int | None:
    """The later of two windows of a locale, if they have no day in common."""
    (first, last), (other_first, other_last) = (side.days for side in sides)
    if last is not None and other_first is not None and last < other_first:
        return 1
    return 0 if other_last is not None and first is not None and other_last < first else None


def _short_windows(sides: tuple[Side, Side]) -> list[str]:
    """Write both windows, without their year if all days are of one: it stands above."""
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


@dataclass(frozen=True)
class SideFacts:
    """A side in words; without a histogram, why there is none."""

    letter: str
    name: str
    locale: str
    window: str
    # The page of its histogram; empty where it is embedded.
    link: str
    state: State
    # Days asked for that are in no period of the window, and what other versions counted of them.
    left_out: str
    elsewhere: list[Counted]
    n: str = ""
    threshold: str = ""
    facts: Sequence[tuple[str, ...]] = ()


def side_facts(view: ComparisonView, names: SideNames, digits: int, *, linked: bool) -> list[SideFacts]:
    if view.sides is None:
        return []
    bounds = (None, None) if view.compared is None else (view.compared.first_at_most, view.compared.second_at_most)
    named = zip(("A", "B"), (names.first, names.second), view.sides, bounds, strict=True)
    return [_side_facts(view, letter, name, side, bound, digits, linked) for letter, name, side, bound in named]


def _side_facts(
    view: ComparisonView, letter: str, name: str, side: Side, bound: float | None, digits: int, linked: bool
) -> SideFacts:
    window = _window(side)
    there = _histogram_link(view, side) if linked else ""
    elsewhere = counted_elsewhere(side.elsewhere, side.locale)
    left_out = stretches(side.left_out)
    found = SideFacts(letter, name, locale_name(side.locale), window, there, side.state, left_out, elsewhere)
    if (histogram := side.histogram) is None:
        return found
    share = threshold_share(histogram, digits)
    facts = [
        (_("Window"), window),
        (_("Reports (n)"), whole(histogram.n)),
        *([(_("Version"), str(side.version.number), mechanism_words(side.version))] if view.spans_versions else []),
        (_("Threshold (T)"), threshold(histogram), f"= {share}" if share else ""),
        (_("Below T"), "" if bound is None else comparison_numbers.at_most(bound, digits)),
    ]
    return replace(found, n=whole(histogram.n), threshold=threshold(histogram), facts=facts)


def _histogram_link(view: ComparisonView, side: Side) -> str:
    query = view.exact()
    parameters = (query.first if view.sides and side is view.sides[0] else query.second).parameters()
    if side.version != view.default_version:
        parameters["version"] = str(side.version.number)
    return f"{reverse('use_case', args=[view.use_case.slug])}?{urlencode(parameters)}"


def title(view: ComparisonView, names: SideNames) -> str:
    """Use case, sides and days: of a picture, a tab and a link."""
    words = _("%(title)s: %(first)s and %(second)s") % {
        "title": view.use_case.title,
        "first": names.first,
        "second": names.second,
    }
    windows = {_window(side) for side in view.sides or ()}
    if len(windows) != 1:
        return words  # the names of the sides have them
    return _("%(place)s, %(window)s") % {"place": words, "window": windows.pop()}


def hidden(view: ComparisonView) -> str:
    """That some words are not shown because they were rejected; empty if none is."""
    words = ngettext("%(count)s rejected word is not shown.", "%(count)s rejected words are not shown.", view.hidden)
    return words % {"count": whole(view.hidden)} if view.hidden else ""


def caption(view: ComparisonView, names: SideNames) -> str:
    """Say how to read the comparison, and what is not compared."""
    words = _(
        "The shares are estimates, and are shares of reports, not of people. Their 95 %% intervals are adjusted for"
        " showing only what stands out. A difference is the share in %(first)s minus the share in %(second)s, in"
        " percentage points; its interval also allows for chance in who happened to report, which the interval of a"
        " share does not. “Below T” does not mean zero: it is only known that the share is no larger than the bound"
        " given, and so the difference has bounds only."
    )
    found = [words % {"first": names.first, "second": names.second}]
    if view.spans_versions and view.sides is not None:
        sides = _(
            "%(first)s was counted by %(version)s, %(second)s by %(other)s. Their errors have nothing in common, and so"
            " the error of a difference is that of both together."
        )
        versions = {"version": version_words(view.sides[0].version), "other": version_words(view.sides[1].version)}
        found.append(sides % {"first": names.first, "second": names.second, **versions})
    if view.version is not None:
        found += not_counted_words(view.version, view.not_counted)
    return " ".join(found)


def what_is_clear() -> str:
    """Say when a difference is called clear."""
    return _(
        # xgettext:no-python-format
        "A difference is called clear if its 95 % interval, which allows for showing only what stands out, does not"
        " include zero, and if a test of all rows together agrees: on average, at most 5 % of the differences that are"
        " called clear are only chance (the false discovery rate). Of many intervals some leave out zero by chance:"
        " rows where the test does not agree have a *. Where one side is below T, a difference is clear if its bounds"
        " do not include zero."
    )


def provenance(view: ComparisonView, first: Histogram, second: Histogram) -> origin.Facts:
    own, other = (
        [
            *origin.of_version(each.version),
            *origin.of_dictionary(each.revision),
            *origin.of_estimator(each, view.not_counted),
        ]
        for each in (first, second)
    )
    together, apart = ([], (own, other)) if view.spans_versions else (own, ([], []))
    return [
        *together,
        (_("False discovery rate"), percent(FALSE_DISCOVERY_RATE, 0)),
        *origin.of_intervals(),
        *origin.beside("A", [*apart[0], *origin.of_windows([first])]),
        *origin.beside("B", [*apart[1], *origin.of_windows([second])]),
    ]
