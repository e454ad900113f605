"""Answering a query for a version that discovers words: the list that a run made of a window."""

from typing import Any

from django.utils.translation import gettext as _

from reports.models import Version
from reports.results.availability import State
from reports.results.histogram_document import words_document
from reports.results.histogram_rows import rows_of
from reports.results.histogram_view import HistogramView
from reports.results.query import HistogramQuery, NotInVersion, refuse_days_of_words
from reports.results.word_lists import Words, discovered_histogram, state_without_words


class WordsView(HistogramView):
    def document(self) -> dict[str, Any] | None:
        if self.histogram is None:
            return None
        words = [(row.entry, row.word) for row in self.rows if row.word is not None]
        return words_document(self.histogram, words, self.rest, self.query)


def answer(view: HistogramView, version: Version, *, results: bool) -> HistogramView:
    query, locale = view.query, view.locale
    _check(query)
    histogram = discovered_histogram(version, locale, query) if results else None
    if histogram is None:
        state = state_without_words(version, locale, query) if results else State.NOT_YET
        return WordsView(view.use_case, version, query, locale, state, run=view.run)
    histogram.version = version
    words = Words(version, locale)
    rows, matching = rows_of(version, histogram, query, words)
    total = histogram.entries.size
    return WordsView(
        use_case=view.use_case,
        version=version,
        query=query,
        locale=locale,
        state=State.SHOWN if total else State.NONE_ABOVE,
        histogram=histogram,
        rows=rows,
        total=total,
        matching=matching,
        run=view.run,
        tally=words.tally(query, histogram.entries),
    )


def _check(query: HistogramQuery) -> None:
    if query.group or query.category:
        field = "group" if query.group else "category"
        raise NotInVersion(field, _("This version looks for words, which are in no groups."))
    refuse_days_of_words(query)
    if query.values:
        raise NotInVersion("values", _("This version looks for words, and knows nothing of those it did not find."))
