"""Use cases that count the elements of a dictionary, on pages."""

import datetime
from collections.abc import Sequence
from dataclasses import replace
from typing import ClassVar

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from reports.formatting import small_percent, whole, written_day
from reports.models import Histogram, UseCase, Version
from reports.results import MOST_DAYS, HistogramView, LocaleWindow, in_no_group, published_windows
from reports.results.comparison import ComparisonView, days_before
from reports.results.trend import Series
from reports.web.pages.addresses import link
from reports.web.pages.choices import Choice, Empty, Neighbour, neighbour
from reports.web.pages.kinds.page_kind import PageKind
from reports.web.pages.locales import isolated, locale_name
from reports.web.pages.windows import WindowControl, relative, window_control

LENGTHS = (1, 7, 28, 90, 365)
_DAY = datetime.timedelta(days=1)


class Counting(PageKind):
    element = gettext_lazy("Element")
    elements = gettext_lazy("elements")
    nothing_stands_out = gettext_lazy("No element stands out from the noise.")
    newest_label = gettext_lazy("Show the newest days")
    counts_dictionary = True
    has_lengths = True
    none_on_either_side = gettext_lazy("No element reaches the threshold on either side")
    step_labels: ClassVar[dict[int, Promise]] = {1: gettext_lazy("Days"), 7: gettext_lazy("Weeks, Monday to Sunday")}
    weeks_begin_on_monday = True
    add_label = gettext_lazy("Add an element")
    days_title = gettext_lazy("By day")
    below_everywhere = gettext_lazy("It is below the threshold T in every locale, so there is no number of it.")
    has_stages = False
    see_results = gettext_lazy("See the histogram")
    news_explained = (
        gettext_lazy(
            # xgettext:no-python-format
            "A new entry in the top 10 of a day was not there for a week; a change is significant if a day says clearly"
            " more, or less, than the day before (false discovery rate 5 %)."
        ),
        gettext_lazy(
            "Where nothing really changes, one message in twenty tells of a change all the same: up to 18 a year, with"
            " one message a day."
        ),
        gettext_lazy(
            "Where single days have too few reports to be shown, the days that are shown together take their place."
        ),
    )
    reports_per_window = gettext_lazy("Reports per day")

    def window(self, view: HistogramView) -> WindowControl:
        query, span = view.query, view.span
        held, newest = (span.days, span.last) if span is not None else (0, None)
        current = query.days if query.last is None else None
        everything = Choice(str(MOST_DAYS), _("All days"), current == MOST_DAYS)
        lengths = {
            *(length for length in LENGTHS if length <= held),
            *([current] if current and not everything.current else []),
        }
        ranges = [Choice(str(days), relative(days, newest), days == current) for days in sorted(lengths)]
        earlier, later = _beside(view)
        histogram = view.histogram
        shown = query.bounds(newest) if histogram is None else (histogram.first_day, histogram.last_day)
        return window_control(
            query,
            [*ranges, everything],
            shown,
            earlier=earlier,
            later=later,
        )

    def has_consistent_values(self, use_case: UseCase) -> bool:
        return use_case.dictionary_complete

    def below(self, view: HistogramView, histogram: Histogram) -> str:
        below, narrow = histogram.below_threshold, view.query.is_narrow
        if histogram.grouping:
            words = ngettext("%(count)s group is below its own", "%(count)s groups are below their own", below)
            of_all = ngettext(
                "Of all groups, %(count)s is below its own", "Of all groups, %(count)s are below their own", below
            )
        else:
            words = ngettext("%(count)s element is below it", "%(count)s elements are below it", below)
            of_all = ngettext(
                "Of the whole dictionary, %(count)s element is below it",
                "Of the whole dictionary, %(count)s elements are below it",
                below,
            )
        return (of_all if narrow else words) % {"count": whole(below)}

    def caption(self, view: HistogramView, histogram: Histogram, below: str) -> list[str]:
        if view.grouping is not None:
            return [_of_groups(histogram, below), _in_no_group(view, histogram)]
        if histogram.is_prescribed:
            words = _(
                "Estimated share of reports, not of people; 95 %% intervals, adjusted for showing only the largest. The"
                " threshold T = %(threshold)s reports is prescribed: elements below it are not shown, also those that"
                " could be told from noise. %(below)s."
            )
        else:
            words = _(
                "Estimated share of reports, not of people; 95 %% intervals, adjusted for showing only the largest."
                " Elements below the threshold T = %(threshold)s reports cannot be told from noise, and are not shown."
                " %(below)s."
            )
        threshold = histogram.threshold or 0.0
        limit = _("With n = %(n)s reports, an element needs a share of about %(share)s to be seen.")
        return [
            words % {"threshold": whole(threshold), "below": below},
            limit % {"n": whole(histogram.n), "share": small_percent(threshold / histogram.n)} if histogram.n else "",
        ]

    def no_rows(self, view: HistogramView, histogram: Histogram) -> Empty | None:
        category, search = view.query.category, view.query.search
        if not search:
            words = _(
                "Nothing in “%(category)s” is above its threshold. Together its elements may be: show everything and"
                " group by category to see."
            )
            return Empty(_("Nothing in this category stands out"), [words % {"category": category}])
        if view.grouping is None:
            return None
        words = _("No group above its threshold is called “%(search)s”. Elements may be called so.")
        elements = Choice(link(replace(view.query, group=""), view), _("Search the elements"))
        return Empty(_("No group matches"), [words % {"search": search}], actions=[elements])

    def none_above(self, view: HistogramView, histogram: Histogram, words: dict[str, str]) -> Empty:
        prescribed = histogram.is_prescribed
        if view.grouping is not None:
            title = _("No group reaches the threshold") if prescribed else _("No group stands out from the noise")
            said = _(
                "%(n)s reports were counted for %(place)s, %(window)s, but no group reaches its threshold. %(below)s."
            )
        else:
            title = _("No element reaches the threshold") if prescribed else _("No element stands out from the noise")
            said = _(
                "%(n)s reports were counted for %(place)s, %(window)s, but no element reaches the threshold T ="
                " %(threshold)s reports. %(below)s."
            )
        advice = _("More reports lower the share that an element needs: choose a longer window, or wait.")
        return Empty(title, [said % words, advice])

    def uncounted(self, *, waits: bool) -> list[str]:
        if waits:
            return [_("Reports have arrived that no run has counted yet.")]
        return [_("All reports that can be counted now are counted.")]

    # --- Comparison ---

    def tally(self, total: int) -> str:
        words = ngettext(
            "%(count)s element is above T on at least one side.",
            "%(count)s elements are above T on at least one side.",
            total,
        )
        return words % {"count": whole(total)}

    def moved(self, view: ComparisonView, steps: int) -> list[LocaleWindow]:
        if view.histograms is None:
            return []
        first = view.histograms[0]
        days = steps * (first.last_day - first.first_day + _DAY)
        return [(each.locale, each.first_day + days, each.last_day + days) for each in view.histograms]

    def window_before(self, version: Version, histogram: Histogram) -> LocaleWindow | None:
        return (histogram.locale, *days_before(histogram))

    def published(self, version: Version, wanted: set[LocaleWindow]) -> set[LocaleWindow]:
        return published_windows(version, wanted)

    # --- Trend and element ---

    def trend_caption(self, version: Version, step: int, drawn: Sequence[Series]) -> list[str]:
        words = _(
            "Estimated share of reports, not of people. Bands are 95 %% intervals of each window by itself, adjusted,"
            " as in its histogram, for showing only the largest: over many windows, a few bands miss the true share by"
            " chance. Open triangles: below the threshold T of that window, at most so much (with 95 %% confidence),"
            " and no value. Reports are released in periods of whole days that have at least %(minimum)s together;"
            " windows without one are gaps."
        )
        found = [words % {"minimum": whole(version.use_case.minimum_reports)}]
        if step == 7:
            found.append(
                _(
                    "Weeks that lack days are grey, though they have values: they are about fewer days than the others."
                    " The week that goes on is shown when it is over."
                )
            )
        of_locales = len({each.locale for each in drawn}) > 1
        return found + [_not_counted(each, of_locales=of_locales) for each in drawn if not each.is_counted_throughout]

    def empty_trend(self, *, no_week_is_over: bool) -> Empty | None:
        if no_week_is_over:
            return Empty(_("No week is over yet"), [_("Choose steps of one day, or more days.")])
        return None


def _beside(view: HistogramView) -> tuple[Neighbour | None, Neighbour | None]:
    """The windows before and after the one shown; none beside all days."""
    query, span = view.query, view.span
    if span is None or not query.has_window:
        return None, None
    # Newer days may be too few to be shown.
    newest = span.last if view.histogram is None else view.histogram.last_day
    first, last = query.bounds(newest)
    nothing_yet = first is None and last is not None and last < span.first
    # An end that is open must not lie on the far side of the other.
    first = first or min(span.first, last or newest)
    last = last or max(newest, first)
    length = last - first
    earlier = later = None
    if first > span.first:
        end = min(first - _DAY, span.last)
        earlier = _moved(view, end - length, end)
    if last < span.last:
        end = span.first if nothing_yet else last + length + _DAY
        # A window that is given by its length has all its days: the newest one may overlap with this.
        later = _moved(view, span.last - length, None) if query.days and end >= span.last else None
        later = later or _moved(view, end - length, end)
    return earlier, later


def _moved(view: HistogramView, first: datetime.date, last: datetime.date | None) -> Neighbour:
    """A window as long as the one shown; without a last day it ends on the newest."""
    query = view.query
    there = replace(query, last=last) if query.days else replace(query, first=first, last=last)
    newest = view.span.last if last is None and view.span is not None else last
    return neighbour(link(there, view), first, newest or first)


def _of_groups(histogram: Histogram, below: str) -> str:
    if histogram.prescribed_threshold is None:
        words = _(
            "Estimated share of reports, not of people; 95 %% intervals, adjusted for showing only the largest. Each"
            " group is the sum of all its elements, also of those that are not shown, and has its own error and its own"
            " threshold T, which grows with the number of elements in it. Groups below their own threshold cannot be"
            " told from noise, and are not shown. %(below)s."
        )
        return words % {"below": below}
    words = _(
        "Estimated share of reports, not of people; 95 %% intervals, adjusted for showing only the largest. Each group"
        " is the sum of all its elements, also of those that are not shown, and has its own error and its own threshold"
        " T, which grows with the number of elements in it and is at least %(prescribed)s reports, as prescribed."
        " Groups below their own threshold are not shown. %(below)s."
    )
    return words % {"prescribed": whole(histogram.prescribed_threshold), "below": below}


def _in_no_group(view: HistogramView, histogram: Histogram) -> str:
    if view.grouping is None or histogram.revision is None:
        return ""
    count = in_no_group(view.grouping, histogram.revision)
    words = ngettext(
        "%(count)s element has no category and is in no group.",
        "%(count)s elements have no category and are in no group.",
        count,
    )
    return words % {"count": whole(count)} if count else ""


def _not_counted(series: Series, *, of_locales: bool) -> str:
    element = isolated(series.element.name or series.element.display)
    name = {"name": locale_name(series.locale) if of_locales else element}
    if series.since is None:
        return _("%(name)s: not counted.") % name
    return _("%(name)s: not counted before %(day)s.") % {**name, "day": written_day(series.since)}
