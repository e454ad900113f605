"""The site on which pages are measured: it is what a site would be, and every page can be asked for."""

import datetime
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from django.db import connection

from benchmarks.pages.binary import Copy
from benchmarks.pages.building import build
from benchmarks.pages.drawing import Draw
from benchmarks.pages.requests import BESIDE, NOT_MEASURED, PAGES, page_names, paths
from benchmarks.pages.serving import Asked
from benchmarks.pages.sizes import DICTIONARY, Size
from reports.models import Discovery, Histogram, HistogramEntry, Period, ReadOut, Run, Version
from reports.models.uploads import utc_today
from reports.publication import periods_of, window_of
from reports.results import warm
from reports.results.histograms import histogram_of
from reports.storage import open_array

pytestmark = [pytest.mark.exact, pytest.mark.django_db]

DAYS = 30


@pytest.fixture
def size(tmp_path: Path) -> Size:
    return Size(3, 2, DAYS, utc_today() - datetime.timedelta(days=1))


def constraints() -> list[Any]:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT conrelid::regclass::text, conname, pg_get_constraintdef(oid) FROM pg_constraint"
            " UNION SELECT tablename, indexname, indexdef FROM pg_indexes ORDER BY 1, 2, 3"
        )
        return [row for row in cursor.fetchall() if row[0].startswith("reports_")]


def weeks_of(size: Size) -> set[int]:
    """Their numbers: there is no year of days here."""
    return {day.isocalendar().week for day in size.all_days}


def test_it_is_a_site_like_any_other(size: Size) -> None:
    before = constraints()
    build(size)
    assert constraints() == before
    # Of two use cases each day, the newest week, a month, everything and the weeks of the calendar, of which one may be
    # the newest or a single day; of the third, which finds words, all weeks.
    days = [[day for day in size.all_days if day.isocalendar().week == week] for week in weeks_of(size)]
    longer = 3 + sum(len(each) > 1 for each in days) - (size.all_days[-7:] in days)
    assert Histogram.objects.count() == 2 * 2 * (DAYS + longer) + 2 * (DAYS - 6)
    assert ReadOut.objects.count() == Period.objects.count() == 3 * 2 * DAYS
    for histogram in Histogram.objects.select_related("version").prefetch_related("entries"):
        entries = list(histogram.entries.all())
        assert histogram.below_threshold == DICTIONARY - len(entries)
        assert [entry.rank for entry in entries] == list(range(1, len(entries) + 1))
        assert len({entry.element for entry in entries}) == len(entries) > 10
        assert all(entry.estimate >= (histogram.threshold or 0) for entry in entries)
    assert set(Run.objects.values_list("state", flat=True)) == {"finished", "running", "failed"}
    assert {len(found.sealings) for found in Discovery.objects.all()} == {7}
    assert Histogram.objects.create(**new_histogram()).pk > Histogram.objects.order_by("pk")[0].pk


def new_histogram() -> dict[str, Any]:
    old = Histogram.objects.filter(grouping="").values().first()
    assert old is not None
    return {name: value for name, value in old.items() if name != "id"} | {"grouping": "category"}


def test_what_is_published_is_what_the_files_say_and_every_page_can_be_asked_for(size: Size) -> None:
    build(size)
    # They ask for the page, and raise an error unless it is there.
    asked = [Asked(name, Draw(size), 1) for name in page_names()]
    assert max(each.queries()["queries"] for each in asked[:5]) > 0
    drawn = paths("trend", Draw(size), 20)
    assert len(set(drawn)) == 20
    assert drawn == paths("trend", Draw(size), 20), "addresses are the same in every run"
    version = Version.objects.get(use_case__slug="use-case-000")
    locale, day = size.names[1], size.all_days[-3]
    histogram = version.histograms.get(locale=locale, first_day=day, last_day=day)
    counts = open_array(version.read_outs.get(locale=locale, day=day).file_name)
    estimate = version.mechanism.debiased.estimate(counts, histogram.n)
    for entry in histogram.entries.all():
        assert entry.estimate == pytest.approx(estimate[int(entry.element[-5:])])
    # A window that is not there can be made.
    window, revision = window_of(version, locale, size.all_days[2], size.all_days[4]), version.current_dictionary()
    assert window is not None
    assert revision is not None
    assert histogram_of(window, revision).entries.count() > histogram.entries.count()


def test_what_runs_make_is_there(size: Size) -> None:
    build(size)
    before = set(Histogram.objects.values_list("pk", flat=True))
    for version in Version.objects.all():
        warm(version, version.periods.all())
    assert set(Histogram.objects.filter(grouping="").values_list("pk", flat=True)) == before
    for words in Histogram.objects.filter(revision=None):
        of_locale = periods_of(words.version, [words.locale])[words.locale]
        window = of_locale.inside(words.first_day, words.last_day)
        assert window is not None
        assert (window.made_of, window.n) == (words.made_of, words.n)


def test_no_address_is_forgotten_and_none_is_measured_that_does_not_exist() -> None:
    names = page_names()
    assert set(PAGES) | set(BESIDE) <= set(names)
    assert not NOT_MEASURED & set(names)
    assert {"home", "operations", "privacy", "saved_views", "subscriptions", "api_schema", "healthz"} <= set(names)
    assert {f"{figure}_parquet" for figure in ("use_case", "comparison", "trend", "element")} <= set(names)
    assert {"delete_annotation", "embed, comparison", "embed, trend", "embed, element"} <= set(names)


def test_what_is_copied_is_what_was_given(size: Size) -> None:
    build(size)
    histogram = Histogram.objects.filter(revision=None)[0]
    HistogramEntry.objects.filter(histogram=histogram).delete()
    columns = ("histogram_id", "rank", "element", "display", "estimate", "standard_error", "lower", "upper")
    rest = ("adjusted_lower", "adjusted_upper", "first_day", "is_new")
    with Copy(HistogramEntry, *columns, *rest) as copy:
        written = copy.write(
            histogram_id=histogram.pk, rank=np.arange(1, 4), element=np.array([b"aa", b"bb", b"cc"]), display="é",
            estimate=np.array([1.5, -2.0, 0.0]), standard_error=0.1, lower=1, upper=2, adjusted_lower=3,
            adjusted_upper=4, first_day=datetime.date(1999, 12, 31), is_new=np.array([True, False, True]),
        )  # fmt: skip
    assert written == 3
    rows = histogram.entries.values_list("rank", "element", "display", "estimate", "first_day", "last_day", "is_new")
    day = datetime.date(1999, 12, 31)
    assert list(rows) == [
        (1, "aa", "é", 1.5, day, None, True),
        (2, "bb", "é", -2.0, day, None, False),
        (3, "cc", "é", 0.0, day, None, True),
    ]
    assert histogram.entries.filter(members=1, category="", consistent=None).count() == 3
