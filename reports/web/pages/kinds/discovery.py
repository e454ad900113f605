"""Use cases that discover words, on pages."""

from collections.abc import Sequence
from dataclasses import replace
from typing import ClassVar

from django.db.models import Q
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from reports.formatting import day_range, whole
from reports.models import Histogram, Version, WordDecision
from reports.models.histograms import HistogramQuerySet
from reports.results import HistogramQuery, HistogramView, LocaleWindow, is_first_list
from reports.results.comparison import earlier_list
from reports.results.trend import Series
from reports.runs import DISCOVERY_DAYS
from reports.web.pages.addresses import link
from reports.web.pages.choices import Choice, Empty, Neighbour, neighbour
from reports.web.pages.kinds import search_words
from reports.web.pages.kinds.page_kind import PageKind
from reports.web.pages.provenance_facts import Facts
from reports.web.pages.tables import Heading
from reports.web.pages.windows import WindowControl, from_to, window_control

# More searched windows than these are reached one after the other, or through the two dates.
LISTED_SEARCHES = 7


class Discovery(PageKind):
    element = gettext_lazy("Word")
    elements = gettext_lazy("words")
    nothing_stands_out = gettext_lazy("No word stands out from the noise.")
    newest_label = gettext_lazy("Show the newest words")
    counts_dictionary = False
    has_lengths = False
    none_on_either_side = gettext_lazy("No word reaches the threshold on either side")
    step_labels: ClassVar[dict[int, Promise]] = {
        7: gettext_lazy("Lists of up to seven days"),
        1: gettext_lazy("Lists of single days"),
    }
    weeks_begin_on_monday = False
    add_label = gettext_lazy("Add a word")
    days_title = gettext_lazy("List by list")
    below_everywhere = gettext_lazy("It is in none of these lists.")
    has_stages = True
    see_results = gettext_lazy("See the words")
    news_explained = (
        gettext_lazy(
            # xgettext:no-python-format
            "A new word was in no list before it; a new entry in the top 10 was not there for a week; a change is"
            " significant if the last whole week says clearly more, or less, than the week before (false discovery rate"
            " 5 %)."
        ),
        gettext_lazy(
            "Where nothing really changes, one message in twenty tells of a change all the same: up to 3 a year, with"
            " one message a week."
        ),
    )
    reports_per_window = gettext_lazy("Reports per list of words")

    def window(self, view: HistogramView) -> WindowControl:
        """The newest window, and the last ones in which words were looked for."""
        query, shown = view.query, view.histogram
        newest = not query.has_window
        choices = [Choice("", _("Newest"), newest)]
        choices += [
            Choice(
                from_to(each.first_day, each.last_day),
                day_range(each.first_day, each.last_day),
                not newest and each == shown,
            )
            for each in _lists(view)[:LISTED_SEARCHES]
        ]
        days = (query.first, query.last)
        if shown is None:
            return window_control(query, choices, days)
        same = Q(last_day=shown.last_day)
        before = _lists(view).filter(Q(last_day__lt=shown.last_day) | same & Q(first_day__gt=shown.first_day))
        after = _lists(view).filter(Q(last_day__gt=shown.last_day) | same & Q(first_day__lt=shown.first_day))
        return window_control(
            query,
            choices,
            (shown.first_day, shown.last_day),
            earlier=_neighbour(view, before.first()),
            later=_neighbour(view, after.last()),
        )

    def verdicts(self, query: HistogramQuery) -> list[Choice]:
        labels = {
            "": _("Not rejected"),
            "all": _("All"),
            "new": _("New since the last run"),
            "undecided": _("Not decided"),
            "accepted": _("Accepted"),
            "rejected": _("Rejected"),
            "truncated": _("Truncated"),
            "foreign": _("Foreign"),
            **{str(kind): _("Accepted: %(kind)s") % {"kind": kind.label} for kind in WordDecision.Kind},
        }
        return [Choice(value, label, value == query.words) for value, label in labels.items()]

    def below(self, view: HistogramView, histogram: Histogram) -> str:
        below = histogram.below_threshold
        words = ngettext("%(count)s candidate is below it", "%(count)s candidates are below it", below)
        of_all = ngettext(
            "Of all candidates, %(count)s is below it", "Of all candidates, %(count)s are below it", below
        )
        return (of_all if view.query.is_narrow else words) % {"count": whole(below)}

    def caption(self, view: HistogramView, histogram: Histogram, below: str) -> list[str]:
        if histogram.is_prescribed:
            words = _(
                "Words that no device knew beforehand, put together from fragments. Estimated share of all reports,"
                " with 95 %% intervals, adjusted for showing only the largest. Devices report only words that their own"
                " dictionary lacks, so this is not how often people type a word, nor how many people do. The threshold"
                " T = %(threshold)s reports is prescribed: words below it are not shown, also those that could be told"
                " from noise. %(below)s."
            )
        else:
            words = _(
                "Words that no device knew beforehand, put together from fragments. Estimated share of all reports,"
                " with 95 %% intervals, adjusted for showing only the largest. Devices report only words that their own"
                " dictionary lacks, so this is not how often people type a word, nor how many people do. Words below"
                " the threshold T = %(threshold)s reports cannot be told from noise, and are not shown. %(below)s."
            )
        return [
            words % {"threshold": whole(histogram.threshold or 0), "below": below},
            search_words.recall(histogram.discovery),
        ]

    def facts(self, histogram: Histogram) -> Facts:
        return search_words.facts(histogram.discovery)

    def provenance(self, histogram: Histogram) -> Facts:
        return search_words.provenance(histogram.version, histogram.discovery)

    def warnings(self, histogram: Histogram) -> list[str]:
        return search_words.warnings(histogram.discovery)

    def remarks(self, view: HistogramView) -> list[tuple[str, Choice]]:
        found, new = [], view.tally.new
        if new and view.query.words in ("", "all"):
            words = ngettext(
                "%(count)s word is new since the last run.", "%(count)s words are new since the last run.", new
            )
            there = link(replace(view.query, search="", words="new"), view)
            found.append((words % {"count": whole(new)}, Choice(there, ngettext("Show it", "Show them", new))))
        if view.tally.hidden:
            label = ngettext("Show it", "Show them", view.tally.hidden)
            found.append((_hidden(view), Choice(_with_hidden(view), label)))
        return found

    def more_headings(self, view: HistogramView) -> list[Heading]:
        # The newest first: that is what one looks for.
        newest = "first-seen" if view.query.sort == "-first-seen" else "-first-seen"
        order = {"first-seen": "ascending", "-first-seen": "descending"}.get(view.query.sort, "")
        by_day = link(replace(view.query, sort=newest), view)
        return [Heading(_("First seen"), by_day, order), Heading(_("Last seen"))]

    def no_rows(self, view: HistogramView, histogram: Histogram) -> Empty | None:
        query, hidden = view.query, view.tally.hidden
        if query.search:
            words = _(
                "No word above the threshold has “%(search)s” in it, among those that were asked for. It may be below"
                " the threshold."
            )
            title, said = _("No word matches"), words % {"search": query.search}
        else:
            title, said = _("No word of this kind"), _none_of_kind(view, histogram)
        actions = []
        if query.search or query.words:
            everything = link(replace(query, search="", category="", words=""), view)
            actions.append(Choice(everything, _("Show everything")))
        if hidden:
            label = ngettext("Show the rejected word", "Show the rejected words", hidden)
            actions.append(Choice(_with_hidden(view), label))
        return Empty(title, [said, _hidden(view)] if hidden else [said], actions=actions)

    def none_above(self, view: HistogramView, histogram: Histogram, words: dict[str, str]) -> Empty:
        prescribed = histogram.is_prescribed
        title = _("No word reaches the threshold") if prescribed else _("No word stands out from the noise")
        said = _(
            "%(n)s reports were searched for %(place)s, %(window)s. Of %(candidates)s candidates, none reaches the"
            " threshold T = %(threshold)s reports."
        ) % {**words, "candidates": whole(histogram.discovery.candidates)}
        return Empty(
            title,
            [
                f"{said} {search_words.recall(histogram.discovery)}",
                *self.warnings(histogram),
                _("More reports lower the share that a word needs: search a longer window, or wait."),
            ],
        )

    def uncounted(self, *, waits: bool) -> list[str]:
        words = ngettext(
            "A run looks for words in the last day that has reports. To search other days, choose From and To above.",
            "A run looks for words in the %(days)s days up to the last that has reports. To search other days, choose"
            " From and To above.",
            DISCOVERY_DAYS,
        ) % {"days": DISCOVERY_DAYS}
        return [_("Reports have arrived in which no run has looked for words yet."), words] if waits else [words]

    def chosen_window_is_searched(self, query: HistogramQuery) -> bool:
        return query.first is not None and query.last is not None

    # --- Comparison ---

    def tally(self, total: int) -> str:
        words = ngettext(
            "%(count)s word is above T on at least one side.",
            "%(count)s words are above T on at least one side.",
            total,
        )
        return words % {"count": whole(total)}

    def window_before(self, version: Version, histogram: Histogram) -> LocaleWindow | None:
        found = earlier_list(version, histogram)
        return None if found is None else (histogram.locale, found.first_day, found.last_day)

    def published(self, version: Version, wanted: set[LocaleWindow]) -> set[LocaleWindow]:
        return wanted

    # --- Trend ---

    def trend_caption(self, version: Version, step: int, drawn: Sequence[Series]) -> list[str]:
        words = _(
            "Estimated share of reports, not of people. Each point is a list of words that a run published, at its last"
            " day; lists of several days overlap. Bands are 95 %% intervals of each list by itself, adjusted as the"
            " list is. A word that is not in a list has no value there: it is below the threshold T, or its parts did"
            " not stand out."
        )
        return [words % {}]

    def empty_trend(self, *, no_week_is_over: bool) -> Empty | None:
        words = _("Words appear here once a run has looked for them in days that end in this window.")
        return Empty(_("No list of words ends in these days"), [words])


def _lists(view: HistogramView) -> HistogramQuerySet:
    if view.version is None:
        return Histogram.objects.none()
    return view.version.histograms.ungrouped().filter(locale=view.locale).newest_first()


def _neighbour(view: HistogramView, found: Histogram | None) -> Neighbour | None:
    if found is None:
        return None
    there = replace(view.query, first=found.first_day, last=found.last_day)
    return neighbour(link(there, view), found.first_day, found.last_day)


def _with_hidden(view: HistogramView) -> str:
    return link(replace(view.query, search="", words="rejected"), view)


def _hidden(view: HistogramView) -> str:
    hidden = view.tally.hidden
    words = ngettext("%(count)s rejected word is hidden.", "%(count)s rejected words are hidden.", hidden)
    return words % {"count": whole(hidden)}


def _none_of_kind(view: HistogramView, histogram: Histogram) -> str:
    """Why a list with words shows none of the kind that was asked for."""
    kind, total = view.query.words, view.total
    if kind == "new" and is_first_list(histogram):
        return _("This is the first list of this locale: there is nothing to compare with.")
    if kind == "new" and view.tally.hidden:
        return _("All words that are new since the last run were rejected.")
    if kind in WordDecision.Kind.values:
        return _("No word above the threshold was accepted as one of this kind.")
    words = {
        "new": ngettext(
            "The one word above the threshold is not new since the last run.",
            "None of the %(total)s words above the threshold is new since the last run.",
            total,
        ),
        "undecided": ngettext(
            "The one word above the threshold is decided.",
            "All %(total)s words above the threshold are decided.",
            total,
        ),
        "accepted": ngettext(
            "The one word above the threshold is not accepted.",
            "None of the %(total)s words above the threshold is accepted.",
            total,
        ),
        "rejected": ngettext(
            "The one word above the threshold is not rejected.",
            "None of the %(total)s words above the threshold is rejected.",
            total,
        ),
        "truncated": ngettext(
            "The one word above the threshold is not marked as truncated.",
            "None of the %(total)s words above the threshold is marked as truncated.",
            total,
        ),
        "foreign": ngettext(
            "The one word above the threshold is not marked as foreign.",
            "None of the %(total)s words above the threshold is marked as foreign.",
            total,
        ),
    }
    rejected = ngettext(
        "The one word above the threshold was rejected.",
        "All %(total)s words above the threshold were rejected.",
        total,
    )
    return words.get(kind, rejected) % {"total": whole(total)}
