"""Words to sort: those of the list that is shown, and those that were sorted before."""

from dataclasses import dataclass
from datetime import timedelta

from reports.models import WordDecision
from reports.results import HistogramRow, HistogramView
from reports.words import newest_decisions

Verdict = WordDecision.Verdict
Kind = WordDecision.Kind
_DAY = timedelta(days=1)
# Beside all: what a list may be narrowed to.
NARROWER = (Verdict.UNDECIDED, "new", Verdict.ACCEPTED, Verdict.REJECTED, Verdict.TRUNCATED, Verdict.FOREIGN, *Kind)


@dataclass(frozen=True)
class Sortable:
    """A word without pads. `row` has its numbers, unless the list that is shown does not have the word."""

    text: str
    decision: WordDecision | None
    row: HistogramRow | None = None
    may_be_seasonal: bool = False

    @property
    def verdict(self) -> str:
        return Verdict.UNDECIDED if self.decision is None else self.decision.verdict

    @property
    def kind(self) -> str:
        return "" if self.decision is None else self.decision.kind

    def is_among(self, chosen: str) -> bool:
        if chosen == "new":
            return self.row is not None and self.row.entry.is_new
        if chosen == Verdict.UNDECIDED:
            # A decision about a word of another list that is taken back leaves nothing to decide here.
            return self.row is not None and self.verdict == chosen
        return chosen in (self.verdict, self.kind)


def words_to_sort(view: HistogramView) -> list[Sortable]:
    """All of them: undecided ones first, and last those that the list does not have.

    What was accepted stays in its dictionary when a later list does not have it, so it must be found here even then.
    """
    words = [(row.word, row) for row in view.rows if row.word is not None]
    shown = [Sortable(word.text, word.decision, row, _may_be_seasonal(view, row)) for word, row in words]
    present = {each.text for each in shown}
    decided = sorted(newest_decisions(view.use_case, view.locale).items())
    absent = [Sortable(text, decision) for text, decision in decided if text not in present]
    return sorted(shown, key=lambda each: not each.is_among(Verdict.UNDECIDED)) + absent


def _may_be_seasonal(view: HistogramView, row: HistogramRow) -> bool:
    """Tell whether the days on which a word stood out by itself lie within half as many as the list is of."""
    first, last = row.entry.first_day, row.entry.last_day
    if view.histogram is None or first is None or last is None:
        return False
    return 2 * (last - first + _DAY) <= view.histogram.last_day - view.histogram.first_day + _DAY


def narrowed(words: list[Sortable], chosen: str) -> list[Sortable]:
    """Words of a kind; without a choice all."""
    return [each for each in words if each.is_among(chosen)] if chosen else words
