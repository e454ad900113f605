"""Lists of discovered words that runs made, and what is known of each word; a page makes none of its own."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from aggregation.normalization import PAD
from reports.kinds import puzzle_of
from reports.models import Entry, Histogram, Version, WordDecision
from reports.publication import window_of
from reports.results.availability import State
from reports.results.names import unpadded
from reports.results.query import HistogramQuery
from reports.words import known_words, longer_word, newest_decisions

UNDECIDED = WordDecision.Verdict.UNDECIDED
REJECTED = WordDecision.Verdict.REJECTED


@dataclass(frozen=True)
class Word:
    """Facts about a discovered word beside its numbers."""

    text: str
    # As long as words may be: what people typed may go on.
    may_be_prefix: bool
    # A known word of which only the last letter is missing, if there is one.
    lacks_last_letter_of: str
    # The newest, if anybody decided.
    decision: WordDecision | None

    @property
    def verdict(self) -> str:
        return UNDECIDED if self.decision is None else self.decision.verdict

    @property
    def dictionary(self) -> str:
        return "" if self.decision is None else self.decision.dictionary

    @property
    def kind(self) -> str:
        return "" if self.decision is None else self.decision.kind


@dataclass(frozen=True)
class Tally:
    """Tally of the words of a whole list by kinds, whichever of them are shown."""

    # Not shown, because they were rejected.
    hidden: int = 0
    # Without those that were rejected since.
    new: int = 0
    undecided: int = 0


NOTHING = Tally()


class Words:
    """Words of a version and locale: what people decided about them, and what else is known."""

    def __init__(self, version: Version, locale: str) -> None:
        self._version = version
        self._length = puzzle_of(version).length
        self._alphabet = version.alphabet_of(locale)
        self._decisions = newest_decisions(version.use_case, locale)
        self._known = known_words(version.use_case, locale)

    def of(self, entry: Entry) -> Word:
        text = unpadded(self._version, entry.element)
        full = len(text) == self._length
        return Word(
            text=text,
            may_be_prefix=full,
            # A word that devices cut off lacks more than a slip of a finger.
            lacks_last_letter_of="" if full else longer_word(text, self._alphabet, self._known),
            decision=self._decisions.get(text),
        )

    def asked_for(self, query: HistogramQuery, entries: Iterable[Entry]) -> list[Entry]:
        """Filter entries for those that the query wants, whatever it searches for."""
        if query.words == "all":
            return list(entries)
        if query.words == "undecided":
            decided = self._elements(*(verdict for verdict in WordDecision.Verdict.values if verdict != UNDECIDED))
            return [entry for entry in entries if entry.element not in decided]
        if query.words in WordDecision.Verdict.values:
            wanted = self._elements(query.words)
            return [entry for entry in entries if entry.element in wanted]
        if query.words in WordDecision.Kind.values:
            wanted = self._spelt(word for word, decision in self._decisions.items() if decision.kind == query.words)
            return [entry for entry in entries if entry.element in wanted]
        rejected = self.rejected
        return [entry for entry in entries if entry.element not in rejected and (entry.is_new or query.words != "new")]

    @property
    def rejected(self) -> set[str]:
        """The words that are not shown, as entries spell them."""
        return self._elements(REJECTED)

    def tally(self, query: HistogramQuery, entries: Iterable[Entry]) -> Tally:
        found: Counter[tuple[str, bool]] = Counter()
        for entry in entries:
            decision = self._decisions.get(entry.display)
            found[UNDECIDED if decision is None else decision.verdict, entry.is_new] += 1
        new_and_rejected = found[REJECTED, True]
        hidden = {"": new_and_rejected + found[REJECTED, False], "new": new_and_rejected}
        return Tally(
            hidden=hidden.get(query.words, 0),
            new=sum(number for (_verdict, is_new), number in found.items() if is_new) - new_and_rejected,
            undecided=found[UNDECIDED, True] + found[UNDECIDED, False],
        )

    def _elements(self, *verdicts: str) -> set[str]:
        """The words of these verdicts, as entries spell them."""
        return self._spelt(word for word, decision in self._decisions.items() if decision.verdict in verdicts)

    def _spelt(self, words: Iterable[str]) -> set[str]:
        return {word.ljust(self._length, PAD) for word in words}


def is_first_list(histogram: Histogram) -> bool:
    """Tell whether nothing of the locale was published before that its words could have been compared with."""
    lists = Histogram.objects.ungrouped().filter(version=histogram.version, locale=histogram.locale)
    # Lists that were replaced meanwhile were there when it was made, or what they replaced.
    return not lists.filter(pk__lt=histogram.pk, last_day__lte=histogram.last_day).exists()


def discovered_histogram(version: Version, locale: str, query: HistogramQuery) -> Histogram | None:
    """Return the words of the window asked for, or the newest."""
    lists = version.histograms.ungrouped().filter(locale=locale).newest_first().select_related("discovery")
    if query.first is None and query.last is None:
        return lists.first()
    if query.first is not None and query.last is not None:
        exact = lists.filter(first_day=query.first, last_day=query.last).first()
        if exact is not None:
            return exact
    window = window_of(version, locale, query.first, query.last)
    return None if window is None else lists.filter(first_day=window.first_day, last_day=window.last_day).first()


def state_without_words(version: Version, locale: str, query: HistogramQuery) -> State:
    """Say why there is no list of words."""
    window = window_of(version, locale, query.first, query.last)
    return State.NOT_YET if window is None else State.NOT_SEARCHED
