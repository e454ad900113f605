"""Groups are sums of the raw read-outs of all their members, and open no way to a handful of reports."""

import io
import threading
import time
from typing import Any

import numpy as np
import pytest
from django.db import connection, transaction
from django.db.models import F
from django.test.utils import CaptureQueriesContext
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from aggregation.estimation import plug_in_f2
from aggregation.mechanisms import MECHANISMS, SequenceFragmentPuzzle
from reports.ingest import Upload, ingest
from reports.models import Histogram, HistogramEntry, UseCase, Version
from reports.results import (
    HistogramQuery,
    QueryError,
    State,
    histogram_view,
    lock_publications,
    publish,
    publish_window,
    publish_windows,
)
from reports.results.groupings import GROUPINGS, groupings, load_groups, without_skin_tones
from reports.results.known import Known
from reports.results.publish import publish_grouping
from reports.simulation import Fleet, Shares
from reports.storage import open_array
from tests.reports.small_fleet import aggregate, days_ago, define, send
from tests.reports.threads import together

pytestmark = [pytest.mark.exact, pytest.mark.django_db]

FRUITS = {"apple": "tree", "banana": "herb", "cherry": "tree", "date": "herb", "elderberry": "shrub", "fig": ""}
CATEGORIES = [{"element": element, "category": category} for element, category in FRUITS.items()]
HANDS = ["👍", "👍🏻", "👍🏿", "☝️", "☝🏽", "🧑🏻\u200d🤝\u200d🧑🏿", "👩🏻\u200d🤝\u200d👩🏿", "👭", "😂"]


def view(**parameters: str) -> Any:
    return histogram_view(UseCase.objects.get(), HistogramQuery.from_parameters(parameters))


def published(version: Version, reports: int = 3000) -> Histogram:
    send(version, reports)
    aggregate(version)
    return Histogram.objects.get(grouping="category", replaced=False)


def raw_sums(histogram: Histogram) -> dict[str, int]:
    """The stored integer of each element, from the files."""
    assert histogram.revision is not None
    found = histogram.revision.read_outs.filter(sealing__in=histogram.sealings, locale=histogram.locale)
    counts: NDArray[np.int64] = np.sum([open_array(read_out.file_name) for read_out in found], axis=0)
    return dict(zip(histogram.revision.elements(), counts.tolist(), strict=True))


def test_a_group_is_the_sum_of_all_its_members_by_the_formula() -> None:
    version = define(dictionary=CATEGORIES)
    grouped = published(version)
    sums = raw_sums(grouped)
    mechanism, n = version.mechanism, grouped.n
    f2 = plug_in_f2(
        mechanism.debiased, mechanism.debiased.estimate(np.array(list(sums.values()), dtype=np.int64), n), n
    )
    entries = {entry.element: entry for entry in grouped.entries.all()}
    assert list(entries) == ["tree", "herb"]
    for name, entry in entries.items():
        members = [element for element, category in FRUITS.items() if category == name]
        (expected,) = mechanism.debiased.estimate(
            np.array([sum(sums[element] for element in members)]), n, len(members)
        )
        assert entry.estimate == pytest.approx(expected, rel=1e-12)
        error = np.sqrt(mechanism.debiased.variance(np.array([expected]), n, f2, len(members)))[0]
        assert entry.standard_error == pytest.approx(error, rel=1e-12)
        # α is divided among the three groups, and each group's T is that of its size.
        assert entry.threshold == pytest.approx(mechanism.debiased.threshold(n, 0.05 / 3, f2, len(members)), rel=1e-12)
        assert (entry.members, entry.category, entry.display) == (2, name, name)
        assert entry.threshold is not None
        assert entry.estimate >= entry.threshold
    assert (grouped.threshold, grouped.below_threshold) == (None, 1)


def test_members_below_the_threshold_count_as_well() -> None:
    """Many rare elements may stand out together, of which none does alone."""
    rare = [f"rare {number}" for number in range(40)]
    version = define(dictionary=[*({"element": name, "category": "rare"} for name in rare), "apple"])
    elements = ("apple", *rare)
    shares = Shares("en_US", elements, np.array([0.5, *[0.5 / len(rare)] * len(rare)]))
    body = "\n".join(Fleet(version, shares, np.random.default_rng(3)).documents(400)).encode()
    ingest(Upload(io.BytesIO(body), "ndjson"), UseCase.objects.all())
    aggregate(version)
    plain, grouped = Histogram.objects.order_by("grouping")
    assert plain.entries.filter(category="rare").count() < len(rare)
    entry = grouped.entries.get()
    assert (entry.element, entry.members) == ("rare", 40)
    assert abs(entry.estimate - 200) < 6 * entry.standard_error


# Words that a mechanism finds itself are in no groups.
@pytest.mark.parametrize("algorithm", sorted(set(MECHANISMS) - {SequenceFragmentPuzzle.algorithm}))
def test_windows_and_their_groups_are_sums_of_days_for_every_mechanism(algorithm: str) -> None:
    version = define(algorithm=algorithm, dictionary=CATEGORIES)
    for day in (3, 2, 1):
        send(version, 1000, day=days_ago(day), seed=day)
    aggregate(version)
    made = publish_window(version, "en_US", days_ago(2), days_ago(1))
    assert made is not None
    for grouping, name in (("", "apple"), ("category", "tree")):
        found = version.histograms.filter(grouping=grouping, first_day__gte=days_ago(2))
        estimate = {h.first_day: h.entries.get(element=name).estimate for h in found.filter(first_day=F("last_day"))}
        window = found.get(first_day=days_ago(2), last_day=days_ago(1))
        assert window.entries.get(element=name).estimate == pytest.approx(sum(estimate.values()), rel=1e-12)
        assert len(estimate) == 2


def test_what_has_no_category_is_in_no_group() -> None:
    revision = define(dictionary=CATEGORIES).current_dictionary()
    assert revision is not None
    groups = load_groups(GROUPINGS["category"], revision)
    assert [group.element for group in groups.groups] == ["herb", "shrub", "tree"]
    assert groups.index.tolist() == [2, 0, 2, 0, 1, -1]


def test_skin_tones_are_combined_under_the_form_without_one() -> None:
    revision = define(normalization="emoji", dictionary=HANDS).current_dictionary()
    assert revision is not None
    groups = load_groups(GROUPINGS["skin-tones"], revision)
    assert [(group.element, group.display) for group in groups.groups] == [
        ("👍", "👍"),
        ("☝", "☝️"),
        ("🧑\u200d🤝\u200d🧑", "🧑\u200d🤝\u200d🧑"),
        ("👭", "👭"),
        ("😂", "😂"),
    ]
    assert groups.index.tolist() == [0, 0, 0, 1, 1, 2, 3, 3, 4]


@pytest.mark.parametrize(
    ("element", "base"),
    [
        ("🏽", "🏽"),
        ("👩🏽\u200d💻", "👩\u200d💻"),
        ("🫱🏻\u200d🫲🏿", "🤝"),
        ("🧑🏻\u200d❤\u200d🧑🏿", "💑"),
        ("👩🏻\u200d🤝\u200d👨🏿", "👫"),
        # Without tones this is a form of its own.
        ("👩\u200d❤\u200d👨", "👩\u200d❤\u200d👨"),
        ("word", "word"),
    ],
)
def test_the_form_without_a_tone(element: str, base: str) -> None:
    assert without_skin_tones(element) == base


def test_combined_skin_tones_have_the_sum_of_the_raw_read_outs() -> None:
    version = define(normalization="emoji", dictionary=HANDS)
    elements = ("👍", "👍🏻", "👍🏿", "😂")
    shares = Shares("en_US", elements, np.array([0.3, 0.2, 0.1, 0.4]))
    body = "\n".join(Fleet(version, shares, np.random.default_rng(1)).documents(2000)).encode()
    ingest(Upload(io.BytesIO(body), "ndjson"), UseCase.objects.all())
    aggregate(version)
    grouped = Histogram.objects.get(grouping="skin-tones")
    sums = raw_sums(grouped)
    by_hand = sum(sums[element] for element in elements[:3])
    (expected,) = version.mechanism.debiased.estimate(np.array([by_hand]), 2000, 3)
    first, second = grouped.entries.order_by("rank")
    assert (first.element, first.members, second.element, second.members) == ("👍", 3, "😂", 1)
    assert first.estimate == pytest.approx(expected, rel=1e-12)
    assert first.threshold is not None
    assert second.threshold is not None
    assert first.threshold > second.threshold


def test_only_what_the_dictionary_supports_is_published() -> None:
    for dictionary, normalization, names in (
        (["apple"], "raw", []),
        (CATEGORIES, "raw", ["category"]),
        (["😂", "👍"], "emoji", []),
        (["😂", "👍", "👍🏽"], "emoji", ["skin-tones"]),
        ([{"element": "👍🏽", "category": "hands"}], "emoji", ["category", "skin-tones"]),
        (["👍🏽"], "raw", []),
    ):
        parameters = {"epsilon": 8, "k": 1024, "m": 64, "seed": f"{UseCase.objects.count():032x}"}
        slug = f"case-{UseCase.objects.count()}"
        version = define(slug=slug, parameters=parameters, dictionary=dictionary, normalization=normalization)
        revision = version.current_dictionary()
        assert revision is not None
        assert [grouping.name for grouping in groupings(revision)] == names, dictionary


def windows_of(version: Version, *, grouped: bool) -> list[tuple[Any, ...]]:
    """Window, dictionary and reports of what is published now."""
    fields = ("locale", "first_day", "last_day", "revision", "n", "sealings", "alpha")
    found = version.histograms.filter(replaced=False)
    found = found.exclude(grouping="") if grouped else found.filter(grouping="")
    return sorted(found.values_list(*fields), key=str)


def test_groups_are_published_and_replaced_with_their_elements() -> None:
    version = define(dictionary=CATEGORIES, minimum_reports=100)
    for reports, day in ((150, 3), (150, 2), (60, 1), (60, 1)):
        send(version, reports, day=days_ago(day))
        aggregate(version)
        assert windows_of(version, grouped=True) == windows_of(version, grouped=False)
    assert (
        Histogram.objects.filter(replaced=True, grouping="category").count()
        == Histogram.objects.filter(replaced=True, grouping="").count()
    )
    assert not HistogramEntry.objects.filter(histogram__replaced=True).exists()
    version = define(dictionary=CATEGORIES[:4])
    aggregate(version)
    assert windows_of(version, grouped=True) == windows_of(version, grouped=False)
    assert view(group="category").histogram.revision.number == 2


def test_groupings_that_became_possible_come_with_the_next_dictionary() -> None:
    version = define()
    send(version, 300)
    aggregate(version)
    assert not Histogram.objects.exclude(grouping="").exists()
    with pytest.raises(QueryError, match="nothing to group"):
        view(group="category")
    version = define(dictionary=CATEGORIES)
    # What is on show still is of the dictionary without categories.
    with pytest.raises(QueryError, match="nothing to group"):
        view(group="category")
    aggregate(version)
    assert view(group="category").histogram.grouping == "category"


def test_a_window_from_before_there_were_groups_gets_them_when_asked_for() -> None:
    version = define(dictionary=CATEGORIES)
    original = published(version)
    entries = list(original.entries.values_list("element", "estimate", "threshold", "members"))
    original.delete()
    made = view(group="category").histogram
    assert made.pk != original.pk
    assert list(made.entries.values_list("element", "estimate", "threshold", "members")) == entries
    assert (made.n, made.sealings, made.generated_at) == (original.n, original.sealings, original.generated_at)
    assert view(group="category").histogram == made


@pytest.mark.django_db(transaction=True)
def test_a_page_does_not_wait_for_a_run_that_publishes_to_make_groups() -> None:
    version = define(dictionary=CATEGORIES)
    published(version).delete()
    with transaction.atomic():
        lock_publications(version)
        (found,) = together(1, lambda: view(group="category"))
    assert (found.state, found.histogram) == (State.PUBLISHING, None)
    assert view(group="category").state == State.SHOWN


@pytest.mark.django_db(transaction=True)
def test_groups_asked_for_while_a_run_replaces_the_window_do_not_end_it(monkeypatch: pytest.MonkeyPatch) -> None:
    version = define(dictionary=CATEGORIES)
    published(version).delete()
    send(version, 1000, seed=1)
    create, begun = publish._create_grouped, threading.Event()

    def until_the_run_waits(*arguments: Any) -> Histogram:
        """The page is in the middle of it when the run comes to replace the histogram."""
        if not begun.is_set():
            begun.set()
            for _ in range(1000):
                with connection.cursor() as cursor:
                    cursor.execute("SELECT count(*) FROM pg_locks WHERE NOT granted")
                    if cursor.fetchone()[0]:
                        break
                time.sleep(0.01)
        return create(*arguments)

    def look() -> None:
        assert view(group="category").state in (State.SHOWN, State.PUBLISHING)

    def publish_again() -> None:
        assert begun.wait(20)
        aggregate(version)

    monkeypatch.setattr(publish, "_create_grouped", until_the_run_waits)
    actions = [publish_again, look]

    def one_of_them() -> None:
        actions.pop()()

    together(2, one_of_them)
    assert view(group="category").histogram.n == 4000
    assert windows_of(version, grouped=True) == windows_of(version, grouped=False)


def test_the_groups_of_a_histogram_that_was_replaced_are_not_made() -> None:
    version = define(dictionary=CATEGORIES)
    published(version)
    looked_up = Histogram.objects.get(grouping="")
    Histogram.objects.update(replaced=True)
    assert publish_grouping(looked_up, GROUPINGS["category"]) is None
    assert not Histogram.objects.filter(replaced=False).exists()


def test_too_few_reports_make_no_groups_either() -> None:
    version = define(dictionary=CATEGORIES)
    send(version, 99)
    aggregate(version)
    shown = view(group="category")
    assert (shown.state, shown.histogram) == (State.BELOW_MINIMUM, None)
    assert not Histogram.objects.exists()


def names(**parameters: str) -> list[str]:
    return [row.entry.element for row in view(**parameters).rows]


def test_the_category_filter_goes_with_search_top_and_order() -> None:
    version = define(dictionary=CATEGORIES)
    published(version)
    assert names(category="tree") == ["apple", "cherry"]
    assert names(category="tree", top="1") == ["apple"]
    assert names(category="tree", sort="-name") == ["cherry", "apple"]
    assert names(category="tree", q="err") == ["cherry"]
    assert names(category="herb", q="err") == []
    assert names(category="shrub") == []  # below the threshold
    assert names(group="category", category="tree") == ["tree"]
    assert names(group="category", q="ERB") == ["herb"]
    assert [row.entry.rank for row in view(category="tree").rows] == [1, 3]
    with pytest.raises(QueryError, match="does not have this category"):
        view(category="vegetable")


@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    counts=st.lists(st.sampled_from([30, 60, 120]), min_size=3, max_size=3),
    asked=st.lists(st.tuples(st.integers(1, 3), st.integers(1, 3)), min_size=1, max_size=5),
)
def test_groups_change_nothing_in_what_may_be_published(
    counts: list[int], asked: list[tuple[int, int]], transactional_db: None
) -> None:
    shown = []
    for dictionary in (list(FRUITS), CATEGORIES):
        number = UseCase.objects.count()
        parameters = {"epsilon": 8, "k": 1024, "m": 64, "seed": f"{number:032x}"}
        version = define(slug=f"case-{number}", parameters=parameters, dictionary=dictionary)
        for day, reports in enumerate(counts, 1):
            send(version, reports, day=days_ago(day))
        aggregate(version)
        for pair in asked:
            publish_window(version, "en_US", days_ago(max(pair)), days_ago(min(pair)))
        shown.append([row[1:3] + row[4:5] for row in windows_of(version, grouped=False)])
        assert len(windows_of(version, grouped=True)) == (len(shown[-1]) if dictionary is CATEGORIES else 0)
    assert shown[0] == shown[1]


def test_windows_that_have_not_changed_cost_no_query_each() -> None:
    version = define(dictionary=CATEGORIES)
    for day in range(1, 9):
        send(version, 150, day=days_ago(day))
    aggregate(version)
    before = list(Histogram.objects.values())
    windows = [("en_US", days_ago(8), days_ago(1)), *(("en_US", days_ago(day), days_ago(day)) for day in range(1, 9))]
    with CaptureQueriesContext(connection) as queries:
        found = publish_windows(version, windows)
    assert [histogram and (histogram.first_day, histogram.last_day) for histogram in found] == [
        window[1:] for window in windows
    ]
    assert len(queries) <= 12
    assert list(Histogram.objects.values()) == before


def test_windows_that_are_published_together_know_of_each_other() -> None:
    """The second would single out the day that the first has more than the third."""
    version = define()
    for day, reports in ((3, 150), (2, 40), (1, 150)):
        send(version, reports, day=days_ago(day))
    aggregate(version, days_ago(3), days_ago(3))
    aggregate(version, days_ago(2), days_ago(1))
    Histogram.objects.all().delete()
    long = ("en_US", days_ago(3), days_ago(1))
    windows = [long, ("en_US", days_ago(3), days_ago(3)), ("en_US", days_ago(2), days_ago(1)), long,
               ("en_US", days_ago(1), days_ago(1))]  # fmt: skip
    found = publish_windows(version, windows)
    assert [histogram is not None for histogram in found] == [True, True, True, True, False]
    revision = version.current_dictionary()
    assert revision is not None
    assert Known(version, revision, windows).current.keys() == {windows[0], windows[1], windows[2]}
