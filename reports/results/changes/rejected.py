"""Words that people rejected: they are tested with the others, and never shown."""

from collections.abc import Iterable, Mapping, Sequence

from reports.kinds import kind_of
from reports.models import Version, WordDecision
from reports.results.changes.change_rows import ChangeRow
from reports.results.names import unpadded


def without_rejected(rows: Mapping[Version, Sequence[ChangeRow]]) -> dict[Version, list[ChangeRow]]:
    """Return the rows of each version without words that were rejected in their locale: one query, if any has words."""
    of_words = {version: own for version, own in rows.items() if own and not kind_of(version).has_dictionary}
    rejected = _rejected(of_words) if of_words else set()
    return {
        version: [row for row in own if _place(version, row) not in rejected] if version in of_words else list(own)
        for version, own in rows.items()
    }


def _place(version: Version, row: ChangeRow) -> tuple[int, str, str]:
    return version.use_case_id, row.locale, unpadded(version, row.row.element)


def _rejected(rows: Mapping[Version, Iterable[ChangeRow]]) -> set[tuple[int, str, str]]:
    places = {_place(version, row) for version, own in rows.items() for row in own}
    decisions = WordDecision.objects.filter(
        use_case__in={place[0] for place in places}, word__in={place[2] for place in places}
    )
    # The newest decision counts.
    newest = decisions.order_by("use_case_id", "locale", "word", "-pk").distinct("use_case_id", "locale", "word")
    return {
        (use_case, locale, word)
        for use_case, locale, word, verdict in newest.values_list("use_case_id", "locale", "word", "verdict")
        if verdict == WordDecision.Verdict.REJECTED
    }
