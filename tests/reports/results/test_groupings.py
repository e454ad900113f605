"""Groups are sums of the support counts of all their members."""

import io
from typing import Any

import numpy as np
import pytest
from django.db.models import F
from numpy.typing import NDArray

from aggregation.estimation import plug_in_f2
from aggregation.mechanisms import MECHANISMS
from reports.collection.ingest import Upload, ingest
from reports.kinds import COUNTING, algorithms_of
from reports.models import Histogram, UseCase
from reports.results import HistogramQuery, QueryError, histogram_view
from reports.results.groupings import GROUPINGS, groupings, load_groups, without_skin_tones
from reports.simulation import Fleet, Shares
from reports.storage import open_array
from tests.reports.small_fleet import aggregate, days_ago, define, estimates, send
from tests.worlds import once

pytestmark = [pytest.mark.exact, pytest.mark.django_db]

FRUITS = {"apple": "tree", "banana": "herb", "cherry": "tree", "date": "herb", "elderberry": "shrub", "fig": ""}
CATEGORIES = [{"element": element, "category": category} for element, category in FRUITS.items()]
HANDS = ["👍", "👍🏻", "👍🏿", "☝️", "☝🏽", "🧑🏻\u200d🤝\u200d🧑🏿", "👩🏻\u200d🤝\u200d👩🏿", "👭", "😂"]


def view(**parameters: str) -> Any:
    return histogram_view(UseCase.objects.get(), HistogramQuery.from_parameters(parameters))


@once
def published() -> Histogram:
    version = define(dictionary=CATEGORIES)
    send(version, 3000)
    aggregate(version)
    return Histogram.objects.get(grouping="category")


def raw_sums(histogram: Histogram) -> dict[str, int]:
    """The stored integer of each element, from the files."""
    assert histogram.revision is not None
    found = histogram.revision.read_outs.filter(locale=histogram.locale)
    counts: NDArray[np.int64] = np.sum([open_array(read_out.file_name) for read_out in found], axis=0)
    return dict(zip(histogram.revision.elements(), counts.tolist(), strict=True))


def test_a_group_is_the_sum_of_all_its_members_by_the_formula() -> None:
    grouped = published()
    version = grouped.version
    sums = raw_sums(grouped)
    mechanism, n = version.mechanism, grouped.n
    f2 = plug_in_f2(
        mechanism.debiased, mechanism.debiased.estimate(np.array(list(sums.values()), dtype=np.int64), n), n
    )
    entries = {entry.element: entry for entry in grouped.entries}
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
    assert [entry.category for entry in plain.entries].count("rare") < len(rare)
    (entry,) = grouped.entries
    assert (entry.element, entry.members) == ("rare", 40)
    assert abs(entry.estimate - 200) < 6 * entry.standard_error


# Words that a mechanism finds itself are in no groups.
@pytest.mark.parametrize("algorithm", sorted(algorithms_of(COUNTING)))
def test_windows_and_their_groups_are_sums_of_days_for_every_mechanism(algorithm: str) -> None:
    shape = {"epsilon": 8, "k": 1024, "m": 64, "g": 64, "w": 1}
    own = {name: value for name, value in shape.items() if name in MECHANISMS[algorithm].parameter_types}
    seed = {"seed": "0f" * 16} if MECHANISMS[algorithm].has_seed else {}
    version = define(algorithm=algorithm, dictionary=CATEGORIES, parameters={**own, **seed})
    for day in (3, 2, 1):
        send(version, 1000, day=days_ago(day), seed=day)
    aggregate(version)
    for grouping, name in (("", "apple"), ("category", "tree")):
        assert view(group=grouping, **{"from": str(days_ago(2)), "to": str(days_ago(1))}).histogram.n == 2000
        found = version.histograms.filter(grouping=grouping, first_day__gte=days_ago(2))
        estimate = {h.first_day: estimates(h)[name] for h in found.filter(first_day=F("last_day"))}
        window = found.get(first_day=days_ago(2), last_day=days_ago(1))
        assert estimates(window)[name] == pytest.approx(sum(estimate.values()), rel=1e-12)
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
    first, second = grouped.entries
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


def test_groupings_come_with_the_dictionary_that_has_them() -> None:
    version = define()
    send(version, 300)
    aggregate(version)
    assert not Histogram.objects.exclude(grouping="").exists()
    with pytest.raises(QueryError, match="nothing to group"):
        view(group="category")
    # All of its elements are counted already.
    define(dictionary=CATEGORIES)
    assert view(group="category").histogram.grouping == "category"


def test_groups_that_were_dropped_are_made_again_the_same() -> None:
    original = published()
    entries = list(original.entries)
    original.delete()
    made = view(group="category").histogram
    assert made.pk != original.pk
    assert list(made.entries) == entries
    assert (made.n, made.made_of, made.generated_at) == (original.n, original.made_of, original.generated_at)
    assert view(group="category").histogram == made


def test_members_that_are_not_counted_in_all_of_a_window_are_in_no_group() -> None:
    """The raw reports of the window are gone when the dictionary grows by a herb and a shrub."""

    def groups(histogram: Histogram) -> tuple[Any, ...]:
        fields = ("element", "estimate", "members", "threshold", "adjusted_lower", "adjusted_upper")
        return histogram.below_threshold, *([getattr(entry, field) for field in fields] for entry in histogram.entries)

    counted = published()
    before = groups(counted)
    counted.version.shards.all().delete()
    define(dictionary=[{"element": "quince", "category": "herb"}, *CATEGORIES, {"element": "sloe", "category": "vine"}])
    found = view(group="category")
    assert [each.element for each in found.not_counted] == ["quince", "sloe"]
    assert groups(found.histogram) == before


def names(**parameters: str) -> list[str]:
    return [row.entry.element for row in view(**parameters).rows]


def test_the_category_filter_goes_with_search_top_and_order() -> None:
    published()
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
