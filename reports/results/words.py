"""Discovered words: what is known of each, and which of them a query asks for."""

from dataclasses import dataclass

from django.db.models import QuerySet

from aggregation.mechanisms import SequenceFragmentPuzzle
from aggregation.normalization import PAD
from reports.models import HistogramEntry, Version, WordDecision
from reports.results.names import unpadded
from reports.results.query import HistogramQuery
from reports.words import known_words, longer_word, newest_decisions

UNDECIDED = WordDecision.Verdict.UNDECIDED
REJECTED = WordDecision.Verdict.REJECTED


@dataclass(frozen=True)
class Word:
    """What is known of a discovered word beside its numbers."""

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


class Words:
    """What people decided about, and what else is known of, the words of a version and locale."""

    def __init__(self, version: Version, discovery: SequenceFragmentPuzzle, locale: str) -> None:
        self._version = version
        self._length = discovery.length
        self._alphabet = version.alphabet_of(locale)
        self._decisions = newest_decisions(version.use_case, locale)
        self._known = known_words(version.use_case, locale)

    def of(self, entry: HistogramEntry) -> Word:
        text = unpadded(self._version, entry.element)
        full = len(text) == self._length
        return Word(
            text=text,
            may_be_prefix=full,
            # What devices cut off lacks more than a slip of somebody's finger.
            lacks_last_letter_of="" if full else longer_word(text, self._alphabet, self._known),
            decision=self._decisions.get(text),
        )

    def asked_for(self, query: HistogramQuery, entries: QuerySet[HistogramEntry]) -> QuerySet[HistogramEntry]:
        """Those of the entries that the query wants, whatever it searches for."""
        if query.words == "all":
            return entries
        if query.words == "undecided":
            decided = [verdict for verdict in WordDecision.Verdict.values if verdict != UNDECIDED]
            return entries.exclude(element__in=self._elements(*decided))
        if query.words in WordDecision.Verdict.values:
            return entries.filter(element__in=self._elements(query.words))
        found = entries.exclude(element__in=self._elements(REJECTED))
        return found.filter(is_new=True) if query.words == "new" else found

    def hidden(self, query: HistogramQuery, entries: QuerySet[HistogramEntry]) -> int:
        """How many are not shown because they were rejected."""
        if query.words not in ("", "new"):
            return 0
        entries = entries.filter(is_new=True) if query.words == "new" else entries
        return entries.filter(element__in=self._elements(REJECTED)).count()

    def _elements(self, *verdicts: str) -> list[str]:
        """The words of these verdicts, as entries spell them."""
        found = [word for word, decision in self._decisions.items() if decision.verdict in verdicts]
        return [word.ljust(self._length, PAD) for word in found]
