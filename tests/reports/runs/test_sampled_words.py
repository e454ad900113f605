"""A use case that finds words by samples, from uploads to lists: each report is about a word or about two letters."""

from typing import Any

import pytest

from reports.models import Histogram, Part, ReadOut, Shard, Version
from reports.results import HistogramQuery, histogram_view
from reports.results.comparison.comparison_rows import Verdict
from tests.reports.collection.ingest.bad_records import assert_each_dropped_alone
from tests.reports.comparing import comparison
from tests.reports.factories import segment
from tests.reports.small_fleet import ALPHABETS, aggregate, days_ago, define_words, send_words
from tests.worlds import once

pytestmark = [pytest.mark.exact, pytest.mark.django_db]

ALGORITHM = "SampledFragmentPuzzle"
# The two sketches differ in k and g, so that a record of the one does not pass for one of the other.
PARAMETERS: dict[str, Any] = {
    "epsilon": 8,
    "k": 64,
    "g": 300,
    "fragment_k": 40,
    "fragment_g": 256,
    "fragment_share": 0.6,
    "length": 4,
    "seed": "0f" * 16,
}
STREAMS = ["element", "fragment-1", "fragment-3"]


def define_sampled() -> Version:
    return define_words(algorithm=ALGORITHM, parameters=PARAMETERS)


# How often each word was typed, by locale.
TYPED: dict[str, dict[str, int]] = {}


@pytest.fixture
@once
def version(db: None) -> Version:
    """Two locales, of which one has reports of two days."""
    version = define_sampled()
    TYPED.update((locale, send_words(version, 4000, locale=locale, day=days_ago(1))) for locale in ALPHABETS)
    more = send_words(version, 1000, locale="en_US", day=days_ago(2), seed=2)
    TYPED["en_US"] = {word: count + more[word] for word, count in TYPED["en_US"].items()}
    aggregate(version)
    return version


def test_words_are_found_with_their_counts_among_all_reports(version: Version) -> None:
    for locale, counts in TYPED.items():
        histogram = Histogram.objects.get(locale=locale)
        assert histogram.n == sum(counts.values())
        entries = list(histogram.entries)
        assert {entry.display for entry in entries} == set(counts)
        for entry in entries:
            # Six standard errors: a false alarm once in 5·10⁸, for seeds that never change.
            assert abs(entry.estimate - counts[entry.display]) < 6 * entry.standard_error
            # They are of the draw, too: of a word that many type it is most of it.
            share = counts[entry.display] / histogram.n
            assert entry.standard_error**2 > 0.9 * counts[entry.display] * (1 - share) * 0.6 / 0.4
            assert entry.first_day is not None


def test_the_document_has_all_reports_and_those_about_words(version: Version) -> None:
    found = histogram_view(version.use_case, HistogramQuery(locale="en_US")).document()
    assert found is not None
    records = Shard.objects.filter(locale="en_US", batch=None)
    by_stream = [sum(records.filter(stream=stream).values_list("size", flat=True)) for stream in STREAMS]
    assert (found["n"], found["word_reports"], found["reports_by_position"]) == (5000, by_stream[0], by_stream[1:])
    assert sum(by_stream) == found["n"]


def test_each_closed_day_is_sketched_once_and_counts_its_reports(version: Version) -> None:
    sizes = {(each.locale, each.day): each.n for each in ReadOut.objects.all()}
    assert sizes == {("en_US", days_ago(2)): 1000, ("en_US", days_ago(1)): 4000, ("fr_FR", days_ago(1)): 4000}
    assert Part.objects.filter(step=Part.Step.SKETCH).count() == 3


def test_two_lists_are_compared_by_their_shares(version: Version) -> None:
    send_words(version, 4000, words={"able": 0.8, "lol": 0.2}, day=days_ago(0), seed=7)
    aggregate(version, days_ago(0), days_ago(0))
    view = comparison("words", other_locale="en_US")
    found = {row.display: row for row in view.rows}
    assert found["able"].difference == pytest.approx(0.5, abs=0.1)
    assert (found["able"].verdict, found["lol"].verdict) == (Verdict.MORE_IN_FIRST, Verdict.MORE_IN_SECOND)
    assert found["able"].lower is not None
    assert found["able"].lower < 0.5 < (found["able"].upper or 0)


# One for each reason, and what only JSON can bring; all lines are tested where they are parsed, in tests/aggregation.
BAD_RECORDS: dict[str, tuple[object, str]] = {
    "position 5": ("5,7,80", "malformed_record"),
    "position 2": ("2,7,80", "malformed_record"),
    "word's row": ("0,64,80", "row_out_of_range"),
    "fragment's row": ("1,40,80", "row_out_of_range"),
    "word's bucket": ("0,63,300", "coordinate_out_of_range"),
    "fragment's bucket": ("3,39,256", "coordinate_out_of_range"),
    "no position": ("7,80", "malformed_record"),
    "word and fragment": ("0,7,80,1,7,80", "malformed_record"),
    "two lines": ("0,7,80\n1,7,80", "malformed_record"),
    "list": ([0, 7, 80], "malformed_record"),
    "null": (None, "malformed_record"),
}
GOOD = ["0,63,299", "1,39,255", "3,0,0", "0,0,0", "3,7,80"]


def sampled(records: list[Any]) -> dict[str, Any]:
    own = {"use_case": "words", "algorithm": ALGORITHM, "parameters": {**PARAMETERS, "hash": "quadratic-m31-v1"}}
    return segment(records, **own)


def test_each_bad_record_is_dropped_alone() -> None:
    define_sampled()
    assert assert_each_dropped_alone(BAD_RECORDS, GOOD, sampled) == 5 * len(BAD_RECORDS)
