"""Consistent estimates beside the raw ones: when a window is published, and of what was published before."""

import numpy as np
import pytest

from aggregation.estimation import consistent_counts, summarize
from reports.models import Histogram, HistogramEntry, ReadOut, UseCase, Version
from reports.results import HistogramQuery, NotInVersion, histogram_view
from reports.storage import open_array
from tests.reports.small_fleet import FRUITS, aggregate, days_ago, define, send

pytestmark = [pytest.mark.exact, pytest.mark.django_db]

TREES = {"apple": "tree", "banana": "herb", "cherry": "tree", "date": "palm", "elderberry": "shrub", "fig": "tree"}
QUERY = HistogramQuery(values="consistent")


def counted(*, complete: bool = True) -> Version:
    dictionary = [{"element": name, "category": category} for name, category in TREES.items()]
    version = define(dictionary=dictionary, dictionary_complete=complete)
    send(version, 2000, day=days_ago(2))
    send(version, 1000, day=days_ago(1), seed=1)
    aggregate(version)
    return version


def expected(version: Version) -> tuple[dict[str, float], float]:
    """From the read-outs: consistent counts of all elements, and F2."""
    counts = np.zeros(len(FRUITS), np.int64)
    for read_out in ReadOut.objects.all():
        counts += open_array(read_out.file_name)
    summary = summarize(version.mechanism.debiased, counts, 3000, version.use_case.false_positive_rate)
    return dict(zip(FRUITS, consistent_counts(summary.estimate, 3000).tolist(), strict=True)), summary.f2


def stored(grouping: str = "") -> dict[str, float | None]:
    whole = Histogram.objects.get(first_day=days_ago(2), last_day=days_ago(1), grouping=grouping)
    return dict(whole.entries.values_list("element", "consistent"))


def test_what_is_published_has_consistent_estimates() -> None:
    version = counted()
    consistent, f2 = expected(version)
    assert sum(consistent.values()) == pytest.approx(3000)
    assert stored() == {name: consistent[name] for name in ("apple", "banana", "cherry")}
    trees = consistent["apple"] + consistent["cherry"] + consistent["fig"]
    assert stored("category") == pytest.approx({"tree": trees, "herb": consistent["banana"]})
    assert set(Histogram.objects.filter(n=3000).values_list("f2", flat=True)) == {f2}


def test_a_dictionary_that_lacks_elements_has_none() -> None:
    counted(complete=False)
    assert set(stored().values()) == {None}
    with pytest.raises(NotInVersion) as caught:
        histogram_view(UseCase.objects.get(), QUERY)
    assert caught.value.field == "values"


def forget() -> None:
    """As it was before anybody kept them."""
    Histogram.objects.update(f2=None)
    HistogramEntry.objects.update(consistent=None)


def test_what_was_published_before_is_completed_when_somebody_asks() -> None:
    version = counted()
    forget()
    view = histogram_view(UseCase.objects.get(), QUERY)
    consistent, f2 = expected(version)
    assert [row.value for row in view.rows] == [consistent[row.entry.element] for row in view.rows]
    assert [row.share for row in view.rows] == [consistent[row.entry.element] / 3000 for row in view.rows]
    assert set(Histogram.objects.filter(n=3000).values_list("f2", flat=True)) == {f2}
    # Elements and groups of this window, and no others.
    assert None not in stored("category").values()
    assert set(HistogramEntry.objects.exclude(histogram__n=3000).values_list("consistent", flat=True)) == {None}


def test_groups_are_shown_consistent_too() -> None:
    version = counted()
    forget()
    view = histogram_view(UseCase.objects.get(), HistogramQuery(values="consistent", group="category"))
    consistent, _f2 = expected(version)
    assert view.rows[0].value == pytest.approx(consistent["apple"] + consistent["cherry"] + consistent["fig"])


def test_what_was_published_before_is_completed_by_the_next_run() -> None:
    version = counted()
    forget()
    ids = set(Histogram.objects.values_list("pk", flat=True))
    send(version, 500, day=days_ago(1), seed=2)
    aggregate(version)
    kept = Histogram.objects.get(first_day=days_ago(2), last_day=days_ago(2), grouping="")
    assert kept.pk in ids, "this day has not changed"
    assert kept.f2 is not None
    assert None not in kept.entries.values_list("consistent", flat=True)


def test_without_its_counts_a_window_keeps_its_raw_estimates() -> None:
    counted()
    forget()
    ReadOut.objects.filter(day=days_ago(2)).delete()
    first, last = days_ago(2), days_ago(1)
    with pytest.raises(NotInVersion) as caught:
        histogram_view(UseCase.objects.get(), HistogramQuery(first=first, last=last, values="consistent"))
    assert caught.value.field == "values"
    assert histogram_view(UseCase.objects.get(), HistogramQuery(first=first, last=last)).rows


def test_what_is_exported_says_which_values_were_shown() -> None:
    version = counted()
    consistent, _f2 = expected(version)
    raw, document = (histogram_view(UseCase.objects.get(), query).document() for query in (HistogramQuery(), QUERY))
    assert raw is not None
    assert document is not None
    assert (raw["values"], document["values"]) == ("raw", "consistent")
    assert raw["entries"] == document["entries"], "the file has both, whichever is shown"
    assert [entry["consistent"] for entry in raw["entries"]] == [consistent[e["element"]] for e in raw["entries"]]
    # What is not called complete any more has no consistent values.
    UseCase.objects.update(dictionary_complete=False)
    raw = histogram_view(UseCase.objects.get(), HistogramQuery()).document()
    assert raw is not None
    assert {entry["consistent"] for entry in raw["entries"]} == {None}
