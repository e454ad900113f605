"""Entries as they will be counted, and what normalisation did with what was written."""

import io
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

from django.utils.translation import gettext as _

from aggregation.errors import shown
from aggregation.normalization import PAD, normalize
from reports.definitions.dictionary import MAX_CATEGORY, MAX_ELEMENT, Entry
from reports.definitions.rows import Row, Where, rows_of_csv, rows_of_lines
from reports.definitions.rules import is_storable
from reports.models import DictionaryDraft, Version

# More than these are counted, not listed.
LISTED = 20


class Changed(NamedTuple):
    """An entry that is counted as something else than was written."""

    where: str
    written: str
    element: str
    number: int


class Merged(NamedTuple):
    """An entry that is the same element as an earlier one, which is kept."""

    where: str
    written: str
    kept: str
    number: int


class Refused(NamedTuple):
    """An entry that cannot be counted; the text is quoted and shortened."""

    where: str
    written: str
    reason: str
    number: int


@dataclass
class Proposal:
    """A dictionary to be confirmed. The first of what was changed, merged and refused are listed, all are counted."""

    entries: list[Entry] = field(default_factory=list)
    changed: list[Changed] = field(default_factory=list)
    merged: list[Merged] = field(default_factory=list)
    refused: list[Refused] = field(default_factory=list)
    changed_count: int = 0
    merged_count: int = 0
    refused_count: int = 0


def read_proposal(text: str, form: str, version: Version) -> Proposal:
    """Read a pasted or uploaded dictionary under a version's rules.

    Blank lines are left out, a form of `DictionaryDraft.Form` says how it is written. Raises `ValueError` if CSV cannot
    be read as such.
    """

    def where(number: int) -> str:
        return _("line %(number)d") % {"number": number}

    text = text.removeprefix("\ufeff")  # spreadsheets write the mark, and it is no part of an element
    if form == DictionaryDraft.Form.CSV:
        rows = rows_of_csv(io.StringIO(text, newline=""), where)
    else:
        lines = io.StringIO(text, newline=None)
        rows = (row for row in rows_of_lines(lines) if row.element.strip())
    return propose(rows, where, version.normalization, keep_case=version.keep_case)


def propose(rows: Iterable[Row], where: Where, profile: str, *, keep_case: bool) -> Proposal:
    """Normalise rows; of those that become the same element, the first is kept."""
    proposal = Proposal()
    seen: dict[str, int] = {}
    categories: dict[str, str] = {}  # one text for all entries that share it
    for row in rows:
        number, written, display, category = row
        element = None
        reason = _unfit(row)
        if not reason:
            element = normalize(profile, written, keep_case=keep_case)
            reason = _no_element(written, element, profile)
        if reason or element is None:
            proposal.refused_count += 1
            if len(proposal.refused) < LISTED:
                proposal.refused.append(Refused(where(number), shown(written[:100]), reason, number))
            continue
        kept = seen.setdefault(element, number)
        if kept != number:
            proposal.merged_count += 1
            if len(proposal.merged) < LISTED:
                proposal.merged.append(Merged(where(number), shown(written), where(kept), number))
            continue
        if element != written and _unpadded(profile, element) != written:
            proposal.changed_count += 1
            if len(proposal.changed) < LISTED:
                shortened = shown(written), shown(_unpadded(profile, element))
                proposal.changed.append(Changed(where(number), *shortened, number))
        # Mostly they are the same, and one text is kept for both.
        display = element if display == element else display
        proposal.entries.append(Entry(element, display, categories.setdefault(category, category)))
    return proposal


def _unpadded(profile: str, element: str) -> str:
    return element.rstrip(PAD) if profile == "word" else element


def _unfit(row: Row) -> str:
    """Why the database or a page could not hold an entry; looked at first, for texts may be megabytes long."""
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
