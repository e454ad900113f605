"""Where a dictionary is complete, collisions are corrected, and everything that is shown says so and agrees."""

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from reports.models import Shard, UseCase
from reports.results import HistogramQuery, histogram_view
from reports.results.comparison import ComparisonQuery, comparison_view
from tests.reports.small_fleet import FRUITS, aggregate, days_ago, define, send

pytestmark = [pytest.mark.exact, pytest.mark.django_db]

# So few cells that collisions are many times the noise.
SHAPE = {"epsilon": 8, "k": 16, "m": 8, "seed": "0f" * 16}
N = 20_000


@pytest.fixture
def counts(db: None) -> NDArray[np.int64]:
    """Publish a day of both locales; return the true counts of the first."""
    version = define(parameters=SHAPE, dictionary_complete=True)
    _receipt, found = send(version, N)
    send(version, N, locale="fr_FR", seed=1)
    aggregate(version)
    return found


def document(**query: str) -> dict[str, Any]:
    found = histogram_view(UseCase.objects.get(), HistogramQuery.from_parameters(query)).document()
    assert found is not None
    return found


def farthest(entries: list[dict[str, Any]], counts: NDArray[np.int64]) -> float:
    far = [abs(entry["estimate"] - counts[FRUITS.index(entry["element"])]) for entry in entries]
    return float(max(far))


def test_few_hash_functions_are_enough_for_a_complete_dictionary(counts: NDArray[np.int64]) -> None:
    corrected = document()
    assert corrected["estimator"] == "corrected"
    error = max(entry["standard_error"] for entry in corrected["entries"])
    # False alarm below 1e-7.
    assert farthest(corrected["entries"], counts) < 6 * error
    UseCase.objects.update(dictionary_complete=False)
    plain = document()
    assert plain["estimator"] == "debiased"
    assert farthest(plain["entries"], counts) > 10 * error
    assert min(entry["standard_error"] for entry in plain["entries"]) > 5 * error
    assert corrected["threshold"] < plain["threshold"] / 5


@pytest.mark.usefixtures("counts")
def test_comparisons_are_of_the_same_estimates_as_histograms() -> None:
    found = comparison_view(UseCase.objects.get(), ComparisonQuery.from_parameters({})).document()
    assert found is not None
    assert found["estimator"] == "corrected"
    shown = {entry["element"]: entry["estimate"] for entry in document()["entries"]}
    compared = {entry["element"]: entry["first_estimate"] for entry in found["entries"]}
    assert compared == pytest.approx(shown)
    # Alike, which 16 hash functions would hide in errors of thousands.
    assert {entry["verdict"] for entry in found["entries"]} == {"no-clear-difference"}
    assert max(entry["difference_upper"] - entry["difference_lower"] for entry in found["entries"]) < 0.1


def test_what_is_not_counted_as_a_whole_is_not_corrected() -> None:
    version = define(parameters=SHAPE, dictionary_complete=True, dictionary=list(FRUITS[1:]))
    send(version, N, day=days_ago(1))
    aggregate(version)
    assert document()["estimator"] == "corrected"
    version.runs.all().delete()
    Shard.objects.filter(version=version).delete()
    define(parameters=SHAPE, dictionary_complete=True, dictionary=list(FRUITS))
    found = document()
    assert [each["element"] for each in found["not_counted"]] == [FRUITS[0]]
    assert found["estimator"] == "debiased"
