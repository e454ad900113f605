"""The table of discovered words: the same rows as the chart, with what is known and was decided about each."""

import datetime
from dataclasses import dataclass, replace
from typing import NamedTuple

from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import gettext as _

from reports.formatting import short_day, whole
from reports.models import WordDecision
from reports.results import HistogramRow, HistogramView, Word
from reports.web.pages.addresses import link
from reports.web.pages.histogram.histogram_table import Heading, Values, order_of, sorted_by, value_headings, values_of


@dataclass(frozen=True)
class Decision:
    """A verdict, with whose it is. What people wrote is apart, because it may run either way."""

    verdict: str
    label: str
    dictionary: str
    by: str
    day: str
    note: str


class Day(NamedTuple):
    """A day for programs and for people."""

    iso: str
    short: str


@dataclass(frozen=True)
class WordLine:
    rank: str
    tied: bool
    word: Word
    values: Values
    # Missing where the word stands out only over a window as a whole, or its days may not be published.
    first_seen: Day | None
    last_seen: Day | None
    is_new: bool
    decision: Decision | None


def word_lines(view: HistogramView) -> list[WordLine]:
    if view.histogram is None:
        return []
    return [_line(view, row, row.word, view.histogram.last_day) for row in view.rows if row.word is not None]


def _line(view: HistogramView, row: HistogramRow, word: Word, window_end: datetime.date) -> WordLine:
    entry = row.entry
    return WordLine(
        rank=whole(entry.rank),
        tied=row.tied,
        word=word,
        values=values_of(view, row),
        first_seen=_day(entry.first_day, window_end),
        last_seen=_day(entry.last_day, window_end),
        is_new=entry.is_new,
        decision=_decision(word.decision),
    )


def _day(day: datetime.date | None, window_end: datetime.date) -> Day | None:
    return None if day is None else Day(day.isoformat(), short_day(day, window_end))


def _decision(decision: WordDecision | None) -> Decision | None:
    if decision is None or decision.verdict == WordDecision.Verdict.UNDECIDED:
        return None  # nobody has decided, or not for good
    return Decision(
        verdict=decision.verdict,
        label=decision.get_verdict_display(),
        dictionary=decision.dictionary,
        by=decision.decided_by.get_username() if decision.decided_by is not None else _("somebody who has left"),
        day=date_format(timezone.localdate(decision.decided_at)),
        note=decision.note,
    )


def word_headings(view: HistogramView) -> list[Heading]:
    by_rank = sorted_by(view, "rank")
    # The newest first: that is what one looks for.
    newest = "first-seen" if view.query.sort == "-first-seen" else "-first-seen"
    by_day = link(replace(view.query, sort=newest), view)
    return [
        Heading(_("Rank"), by_rank, order_of(view, "rank"), "number"),
        Heading(_("Word"), sorted_by(view, "name"), order_of(view, "name")),
        *value_headings(view, by_rank),
        Heading(_("First seen"), by_day, order_of(view, "first-seen")),
        Heading(_("Last seen"), ""),
    ]
