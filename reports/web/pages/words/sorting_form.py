"""The form in which words are sorted: what it shows, what comes back, and what is said about it."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from django.utils.translation import gettext as _

from reports.models import UseCase, WordDecision
from reports.web.pages.words.sorting_list import Sortable
from reports.web.query_strings import key_of
from reports.words import LONGEST_DICTIONARY, LONGEST_NOTE, Decided, DecisionsRefused, Outcome

Verdict = WordDecision.Verdict
# Rows of a page. With at most six fields for each, this stays under what Django takes.
MOST_ROWS = 100


@dataclass
class Line:
    """A word, and what stands in its fields."""

    sortable: Sortable
    # Newest first; the first is the one that holds.
    history: list[WordDecision]
    verdict: str = Verdict.UNDECIDED
    kind: str = ""
    note: str = ""
    # The decision that was shown when the fields were filled in; 0 if there was none.
    seen: int = 0
    # Whether a word that is accepted already is to go into the dictionary of the page.
    move: bool = False
    errors: list[str] = field(default_factory=list)
    note_errors: list[str] = field(default_factory=list)
    overtaken: bool = False

    @property
    def wrong(self) -> bool:
        return bool(self.errors or self.note_errors or self.overtaken)

    @property
    def word(self) -> str:
        return self.sortable.text

    @property
    def newest(self) -> WordDecision | None:
        return self.history[0] if self.history else None

    def show(self, decision: WordDecision | None) -> None:
        """Fill the fields in with what holds."""
        self.verdict = decision.verdict if decision is not None else Verdict.UNDECIDED
        self.kind = decision.kind if decision is not None else ""
        self.note = decision.note if decision is not None else ""
        self.seen = decision.pk if decision is not None else 0
        self.move = False


class Form:
    """Lines of words, and the dictionary that newly accepted ones go into."""

    verdicts = Verdict.choices
    kinds = WordDecision.Kind.choices
    longest_dictionary = LONGEST_DICTIONARY
    longest_note = LONGEST_NOTE

    def __init__(self, use_case: UseCase, locale: str, lines: list[Line], dictionary: str) -> None:
        self._use_case = use_case
        self._locale = locale
        self.lines = lines
        self.dictionary = dictionary
        self.dictionary_errors: list[str] = []
        self.errors: list[str] = []
        # Decisions that differ from what was shown.
        self._decided: dict[str, Decided] = {}

    @classmethod
    def blank(cls, use_case: UseCase, locale: str, words: Iterable[Sortable]) -> "Form":
        """As it is first shown, with what holds in its fields."""
        return cls(use_case, locale, _lines(use_case, locale, words), _proposed_dictionary(use_case, locale))

    @classmethod
    def sent(cls, use_case: UseCase, locale: str, words: Iterable[Sortable], data: Mapping[str, str]) -> "Form":
        """As it came back: with lines for those words in it that are still to be sorted."""
        sent = {data[f"word-{number}"]: number for number in range(MOST_ROWS) if f"word-{number}" in data}
        by_text = {each.text: each for each in words}
        lines = _lines(use_case, locale, [by_text[word] for word in sent if word in by_text])
        form = cls(use_case, locale, lines, data.get("dictionary", "").strip())
        by_word = {line.word: line for line in lines}
        keys = {word: key_of(data.get(f"seen-{number}", "")) or 0 for word, number in sent.items()}
        decisions = WordDecision.objects.filter(use_case=use_case, locale=locale).in_bulk([*keys.values()])
        for word, number in sent.items():
            shown = decisions.get(keys[word])
            if shown is not None and shown.word != word:
                shown = None
            verdict = data.get(f"verdict-{number}", Verdict.UNDECIDED)
            if verdict == Verdict.UNDECIDED and data.get("accept") == Verdict.UNDECIDED:
                verdict = Verdict.ACCEPTED
            chosen = Decided(
                word,
                verdict,
                kind=data.get(f"kind-{number}", "") if verdict == Verdict.ACCEPTED else "",
                note=data.get(f"note-{number}", "").strip(),
            )
            form._take(by_word.get(word), chosen, shown, move=f"move-{number}" in data)
        return form

    def _take(self, line: Line | None, chosen: Decided, shown: WordDecision | None, move: bool) -> None:
        """Read the fields of one word. Untouched fields take what holds now."""
        before = (shown.verdict, shown.kind, shown.note) if shown is not None else (Verdict.UNDECIDED, "", "")
        if (chosen.verdict, chosen.kind, chosen.note) == before and not move:
            return
        dictionary = ""
        if chosen.verdict == Verdict.ACCEPTED:
            # An accepted word stays in its dictionary, unless it is to be moved into the one named above.
            stays = shown is not None and shown.dictionary and not move
            dictionary = shown.dictionary if shown is not None and stays else self.dictionary
        seen = shown.pk if shown is not None else 0
        self._decided[chosen.word] = replace(chosen, dictionary=dictionary, seen=seen)
        if line is not None:
            line.verdict, line.kind, line.note, line.seen, line.move = (
                chosen.verdict,
                chosen.kind,
                chosen.note,
                seen,
                move,
            )

    @property
    def undecided(self) -> int:
        """The number of lines without a decision."""
        return sum(line.newest is None or line.newest.verdict == Verdict.UNDECIDED for line in self.lines)

    @property
    def first_wrong(self) -> int | None:
        """The number of the first line that something is said beside."""
        return next((number for number, line in enumerate(self.lines) if line.wrong), None)

    def decided(self) -> list[Decided]:
        return list(self._decided.values())

    def refuse(self, refused: DecisionsRefused) -> None:
        """Say beside each field what is wrong with it. Nothing was stored, and all that was filled in stays."""
        self.errors = [_("Nothing is stored yet. Correct what is marked, and save again.")]
        lines = {line.word: line for line in self.lines}
        for problem in refused.problems:
            line = lines.get(problem.word)
            if problem.field == "dictionary":
                self.dictionary_errors = [problem.detail]
            elif line is None:
                gone = _("One of the words is no longer among those shown here. Save again to sort the others.")
                self.errors = [gone]
            elif problem.field == "note":
                line.note_errors.append(problem.detail)
            else:
                line.errors.append(problem.detail)

    def overtaken(self, outcome: Outcome) -> None:
        """The message for words that another user sorted meanwhile: the rest is stored, and these stay filled in."""
        self.errors = [_("Another user sorted the marked words meanwhile. Your choices for them are not stored.")]
        for line, history in zip(self.lines, _histories(self._use_case, self._locale, self.lines), strict=True):
            line.history = history
            line.overtaken = line.word in outcome.overtaken_by
            if line.overtaken:
                line.seen = history[0].pk
            else:
                line.show(line.newest)


def _lines(use_case: UseCase, locale: str, words: Iterable[Sortable]) -> list[Line]:
    lines = [Line(each, []) for each in words]
    for line, history in zip(lines, _histories(use_case, locale, lines), strict=True):
        line.history = history
        line.show(line.newest)
    return lines


def _histories(use_case: UseCase, locale: str, lines: list[Line]) -> list[list[WordDecision]]:
    """All decisions about each of the words, the newest first."""
    found = defaultdict(list)
    decisions = WordDecision.objects.filter(use_case=use_case, locale=locale, word__in=[line.word for line in lines])
    for decision in decisions.select_related("decided_by").order_by("-pk"):
        found[decision.word].append(decision)
    return [found[line.word] for line in lines]


def _proposed_dictionary(use_case: UseCase, locale: str) -> str:
    """The dictionary where a word of the locale was put last, or else of any; a name for the language to begin with."""
    accepted = use_case.word_decisions.exclude(dictionary="").order_by("-pk")
    last = accepted.filter(locale=locale).first() or accepted.first()
    if last is None or last.dictionary == _first_name(use_case, last.locale):
        # The name that another language began with is not meant for this one.
        return _first_name(use_case, locale)
    return last.dictionary


def _first_name(use_case: UseCase, locale: str) -> str:
    language = f"-{locale.partition('_')[0]}"
    return use_case.slug[: LONGEST_DICTIONARY - len(language)] + language
