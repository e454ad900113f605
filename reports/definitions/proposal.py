"""Proposed dictionaries: entries as they will be counted, and those that were changed, merged or refused."""

import io
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

from django.utils.translation import gettext as _

from aggregation.errors import shown
from aggregation.normalization import PAD, normalize
from reports.definitions.dictionary import MAX_CATEGORY, MAX_ELEMENT, Entry
from reports.definitions.dictionary_rows import Row, Where, rows_of_csv, rows_of_lines
from reports.models import DictionaryDraft, Version
from reports.models.validators import is_storable

LISTED = 20


class Outcome(NamedTuple):
    """Outcome of an entry that is not counted as written; the entry is quoted and shortened."""

    where: str
    written: str
    # The element that it is counted as, where the equal one stands that is kept, or why it cannot be counted.
    outcome: str
    number: int
    # Remarks of the one that is dropped which the kept one lacks, in words.
    dropped: str = ""


class Listed(list[Outcome]):
    """Outcomes of which only the first are kept, and all are counted."""

    total = 0

    def add(self, outcome: Outcome) -> None:
        self.total += 1
        if len(self) < LISTED:
            self.append(outcome)


@dataclass
class Proposal:
    """Dictionary to be confirmed, with the entries that were changed, merged or refused."""

    entries: list[Entry] = field(default_factory=list)
    changed: Listed = field(default_factory=Listed)
    merged: Listed = field(default_factory=Listed)
    refused: Listed = field(default_factory=Listed)


def read_proposal(text: str, form: str, version: Version) -> Proposal:
    """Read a pasted or uploaded dictionary under a version's rules.

    Blank lines are left out, a form of `DictionaryDraft.Form` says how it is written. Blanks around an element that
    stands on a line of its own are left out, too, as they cannot be seen. In CSV they count, because dictionaries are
    exported so. Raises `ValidationError` if CSV cannot be read as such.
    """
    text = text.removeprefix("\ufeff")  # spreadsheets write the mark, and it is no part of an element
    if form == DictionaryDraft.Form.CSV:
        rows = rows_of_csv(io.StringIO(text, newline=""), _line)
    else:
        lines = io.StringIO(text, newline=None)
        rows = (row for row in rows_of_lines(lines) if row.element.strip())
    strip = form == DictionaryDraft.Form.LINES
    return propose(rows, _line, version, strip=strip)


def check_csv(text: str) -> None:
    """Raise `ValidationError`, which says where, if a text cannot be read as CSV."""
    for _row in rows_of_csv(io.StringIO(text.removeprefix("\ufeff"), newline=""), _line):
        pass


def _line(number: int) -> str:
    return _("line %(number)d") % {"number": number}


def propose(rows: Iterable[Row], where: Where, version: Version, *, strip: bool = False) -> Proposal:
    """Normalise rows, stripped of blanks if wanted; of those that become the same element, the first is kept."""
    proposal, profile, keep_case = Proposal(), version.normalization, version.keep_case
    seen: dict[str, int] = {}  # the place among the entries
    numbers: list[int] = []  # of the rows of the entries
    categories: dict[str, str] = {}  # one text for all entries that share it
    for row in rows:
        number, written, display, category = row
        element = None
        reason = _unfit(row)
        if not reason:
            element = normalize(profile, written.strip() if strip else written, keep_case=keep_case)
            reason = _no_element(written, element, profile)
        if reason or element is None:
            proposal.refused.add(Outcome(where(number), shown(written[:100]), reason, number))
            continue
        kept = seen.setdefault(element, len(numbers))
        if kept < len(numbers):
            dropped = _dropped(row, proposal.entries[kept])
            proposal.merged.add(Outcome(where(number), shown(written), where(numbers[kept]), number, dropped))
            continue
        numbers.append(number)
        if element != written and _unpadded(profile, element) != written:
            proposal.changed.add(Outcome(where(number), shown(written), shown(_unpadded(profile, element)), number))
        display = display.strip() if strip else display
        # Mostly they are the same, and one text is kept for both.
        display = element if display == element else display
        proposal.entries.append(Entry(element, display, categories.setdefault(category, category)))
    return proposal


def _dropped(row: Row, kept: Entry) -> str:
    words = []
    if row.display not in (row.element, kept.display):
        words.append(_("its display form %(display)s is dropped") % {"display": shown(row.display)})
    if row.category not in ("", kept.category):
        words.append(_("its category %(category)s is dropped") % {"category": shown(row.category)})
    return "; ".join(words)


def _unpadded(profile: str, element: str) -> str:
    return element.rstrip(PAD) if profile == "word" else element


def _unfit(row: Row) -> str:
    """Explain why an entry cannot be stored or shown; checked first, because texts may be megabytes long."""
    if len(row.element) > MAX_ELEMENT or len(row.display) > MAX_ELEMENT or len(row.category) > MAX_CATEGORY:
        return _too_long()
    if not (is_storable(row.element) and is_storable(row.display) and is_storable(row.category)):
        return _("holds a NUL or half a surrogate pair, which no text has; remove it")
    return ""


def _too_long() -> str:
    limits = {"element": MAX_ELEMENT, "category": MAX_CATEGORY}
    return (
        _(
            "is too long: an element and its display form may have %(element)d characters, a category %(category)d;"
            " shorten it"
        )
        % limits
    )


def _no_element(written: str, element: str | None, profile: str) -> str:
    if element and len(element) > MAX_ELEMENT:  # some characters become two
        return _too_long()
    if element:
        return ""
    if not written.strip():
        return _("is empty; remove it")
    if profile == "domain":
        return _("is no host name; write it as www.example.org, without https://, port or path")
    if profile == "word":
        return _("is no word that devices report; remove it, or the “_” in it")
    return _("is empty, or not an element under the profile %(profile)s; remove it") % {"profile": profile}
