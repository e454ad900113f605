"""A histogram as a document, and as a table: the same numbers, unrounded, with where they come from."""

import json
from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from aggregation.estimation import Remainder, intervals
from reports.kinds import puzzle_of
from reports.models import Entry, Histogram, Version
from reports.publication import NotCounted
from reports.results.estimating import dictionary_estimator
from reports.results.names import plain_name, unpadded
from reports.results.provenance import CONFIDENCE, provenance
from reports.results.query import HistogramQuery
from reports.results.tables import Table, table
from reports.results.word_lists import Word

# Elements that are not counted, in each line of a table: documents have all of them.
MOST_NAMED: Final = 100
ENTRY_FIELDS = (
    "element",
    "display",
    "name",
    "estimate",
    "standard_error",
    "lower",
    "upper",
    "adjusted_lower",
    "adjusted_upper",
    # In shares of all reports: the estimate, and its adjusted interval.
    "share",
    "share_lower",
    "share_upper",
    "rank",
    "category",
    "members",
    "threshold",
    # Only where the dictionary holds every possible element, and all of them are counted.
    "consistent",
    "consistent_share",
)
# Fields of discovered words, behind those that all entries have.
WORD_FIELDS = (
    "first_seen",
    "last_seen",
    "is_new",
    "may_be_prefix",
    "lacks_last_letter_of",
    "verdict",
    "dictionary",
    "kind",
)


def histogram_document(
    histogram: Histogram,
    entries: Sequence[Entry],
    rest: Remainder | None = None,
    not_counted: Sequence[NotCounted] = (),
    values: str = "",
) -> dict[str, Any]:
    """The histogram with the entries to show, ready to be written as JSON. `values` says which of theirs are shown."""
    version, revision = histogram.version, histogram.revision
    return {
        **provenance(version),
        "locale": histogram.locale,
        "grouping": histogram.grouping,
        "first_day": histogram.first_day.isoformat(),
        "last_day": histogram.last_day.isoformat(),
        "n": histogram.n,
        "dictionary_revision": revision.number if revision is not None else None,
        "dictionary_size": revision.size if revision is not None else None,
        "estimator": dictionary_estimator(version, revision, whole=not not_counted).name,
        "alpha": histogram.alpha,
        "threshold": histogram.threshold,
        "prescribed_threshold": histogram.prescribed_threshold,
        "below_threshold": histogram.below_threshold,
        "values": values or "raw",
        "generated_at": histogram.generated_at.isoformat(),
        "not_counted": [not_counted_entry(version, each) for each in not_counted],
        **other_field(histogram),
        **_rest_field(histogram, rest),
        "entries": [_entry(histogram, entry) for entry in entries],
    }


def other_field(histogram: Histogram) -> dict[str, dict[str, float]]:
    """Return what documents say of *anything else*, under its name; nothing where it is not counted, or withheld.

    With all elements it adds up to n. Beside it a single hidden element would be what is left, whatever threshold the
    use case prescribes.
    """
    prescribed = histogram.prescribed_threshold
    if histogram.other_estimate is None:
        return {}
    if prescribed is not None and (histogram.other_estimate < prescribed or histogram.below_threshold == 1):
        return {}
    estimate, estimator = np.array([histogram.other_estimate]), histogram.version.mechanism.debiased
    error = np.sqrt(estimator.variance(estimate, histogram.n, histogram.f2))
    found = (estimate, error, *intervals(estimate, error, CONFIDENCE))
    names = ("estimate", "standard_error", "lower", "upper")
    return {"other": {name: float(value[0]) for name, value in zip(names, found, strict=True)}}


def _rest_field(histogram: Histogram, rest: Remainder | None) -> dict[str, dict[str, float]]:
    """Return what the entries leave of all reports; nothing where they are not the largest."""
    if rest is None:
        return {}
    n = histogram.n
    shares = {"share": rest.estimate / n, "share_lower": rest.lower / n, "share_upper": rest.upper / n}
    return {"not_allocated": {**vars(rest), **shares}}


def not_counted_entry(version: Version, element: NotCounted) -> dict[str, str | None]:
    """An element that is not counted in all of a window, as documents list it: neither an entry nor zero."""
    return {
        "element": unpadded(version, element.element),
        "display": element.display,
        "since": None if element.since is None else element.since.isoformat(),
    }


def not_counted_columns(not_counted: Sequence[dict[str, str | None]]) -> dict[str, Any]:
    """Return table columns for elements that are not counted: their number, and the first of them with their days."""
    named = json.dumps(not_counted[:MOST_NAMED], ensure_ascii=False)
    return {"not_counted": len(not_counted), "not_counted_elements": named}


def words_document(
    histogram: Histogram,
    entries: Sequence[tuple[Entry, Word]],
    rest: Remainder | None,
    query: HistogramQuery,
) -> dict[str, Any]:
    """Return the document of discovered words, with how they were found and the decisions about them.

    Notes, and who decided, stay here: they were written for those who may see this site.
    """
    document = histogram_document(histogram, [entry for entry, _word in entries], rest)
    written = [
        plain | _word_fields(entry, word) for plain, (entry, word) in zip(document["entries"], entries, strict=True)
    ]
    discovery = histogram.discovery
    return document | {
        "words": query.words or "not rejected",
        "candidates": discovery.candidates,
        "smallest_share": discovery.smallest_share,
        "word_reports": puzzle_of(histogram.version).word_reports(histogram.n, discovery.reports),
        "reports_by_position": discovery.reports,
        "cuts": discovery.cuts,
        "kept": discovery.kept,
        "capped": discovery.capped,
        "joined": discovery.joined,
        "strictness": discovery.strictness,
        "entries": written,
    }


def _word_fields(entry: Entry, word: Word) -> dict[str, Any]:
    return {
        "first_seen": entry.first_day and entry.first_day.isoformat(),
        "last_seen": entry.last_day and entry.last_day.isoformat(),
        "is_new": entry.is_new,
        "may_be_prefix": word.may_be_prefix,
        "lacks_last_letter_of": word.lacks_last_letter_of,
        "verdict": word.verdict,
        "dictionary": word.dictionary,
        "kind": word.kind,
    }


def threshold_of(histogram: Histogram, entry: Entry) -> float:
    """Return the threshold of an entry: a group has its own, elements share the histogram's."""
    threshold = histogram.threshold if entry.threshold is None else entry.threshold
    if threshold is None:
        raise ValueError("A histogram has one threshold, or each of its entries has.")
    return threshold


def _entry(histogram: Histogram, entry: Entry) -> dict[str, Any]:
    version, n = histogram.version, histogram.n
    element = unpadded(version, entry.element)
    # The dictionary may have been called complete only for a while.
    consistent = entry.consistent if version.use_case.dictionary_complete else None
    made = {
        "element": element,
        "name": plain_name(version, element, entry.display),
        "share": entry.estimate / n,
        "share_lower": entry.adjusted_lower / n,
        "share_upper": entry.adjusted_upper / n,
        "threshold": threshold_of(histogram, entry),
        "consistent": consistent,
        "consistent_share": None if consistent is None else consistent / n,
    }
    return {name: made[name] if name in made else getattr(entry, name) for name in ENTRY_FIELDS}


def histogram_table(document: dict[str, Any]) -> Table:
    """A line for each entry."""
    fields = (*ENTRY_FIELDS, *WORD_FIELDS) if "words" in document else ENTRY_FIELDS
    # Each entry has its threshold beside it.
    instead = not_counted_columns(document["not_counted"])
    return table(document, "entries", fields, left_out=("threshold",), instead=instead)
