"""From simulated reports to what a comparison says: its intervals and bounds cover the truth, its clear ones are clear.

Truth are the shares of what was reported. Fixed seeds; each claim may fail by chance with probability 10⁻⁶ at most.
"""

import io

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

from reports.collection.ingest import Upload, ingest
from reports.models import UseCase
from reports.results.comparison.comparison_rows import Verdict
from reports.simulation import Fleet, Shares
from tests.reports.comparing import comparison
from tests.reports.small_fleet import aggregate, days_ago, define

pytestmark = [pytest.mark.statistical, pytest.mark.django_db]

ALPHA = 1e-6
ELEMENTS = tuple(f"element-{number:02}" for number in range(60))
REPORTS = 6000
PARAMETERS = {"epsilon": 4, "k": 4096, "m": 256}


def shares(turned: bool) -> NDArray[np.float64]:
    """Zipf's law; a third of the elements are as frequent on both sides, of the others two at a time change places."""
    found = 1 / np.arange(1, len(ELEMENTS) + 1)
    if turned:
        for place in range(0, len(ELEMENTS) - 2, 3):
            found[[place + 1, place + 2]] = found[[place + 2, place + 1]] * (3, 1 / 3)
    normalised: NDArray[np.float64] = found / found.sum()
    return normalised


def true_shares(slug: str) -> dict[str, tuple[float, float]]:
    """Simulate and count both sides; returns what was really reported."""
    version = define(slug=slug, dictionary=list(ELEMENTS), parameters=PARAMETERS)
    counts = []
    for seed, locale in enumerate(("en_US", "fr_FR")):
        rng = np.random.default_rng([len(slug), seed])
        fleet = Fleet(version, Shares(locale, ELEMENTS, shares(turned=seed == 1)), rng)
        body = "\n".join(fleet.documents(REPORTS)).encode()
        ingest(Upload(io.BytesIO(body), "ndjson"), UseCase.objects.filter(slug=slug), day=days_ago(1))
        counts.append(fleet.true_counts / REPORTS)
    aggregate(version)
    return dict(zip(ELEMENTS, zip(*(side.tolist() for side in counts), strict=True), strict=True))


def test_intervals_and_bounds_cover_what_was_reported_and_few_clear_differences_are_none() -> None:
    covered: list[bool] = []
    bounded: list[bool] = []
    within: list[bool] = []
    wrong = clear = listed = 0
    for slug in ("a", "bb", "ccc", "dddd"):  # each with a hash family of its own
        truth = true_shares(slug)
        view = comparison(slug)
        assert view.rows
        for row in view.rows:
            difference = truth[row.element][0] - truth[row.element][1]
            assert row.lower is not None
            assert row.upper is not None
            inside = row.lower <= difference <= row.upper
            (covered if row.difference is not None else bounded).append(inside)
            for share, true in zip((row.first, row.second), truth[row.element], strict=True):
                if share.at_most is not None:
                    within.append(true <= share.at_most)
            listed += 1
            if row.verdict != Verdict.NO_CLEAR_DIFFERENCE:
                clear += 1
                said = 1 if row.verdict == Verdict.MORE_IN_FIRST else -1
                wrong += said * difference <= 0
    # Enough of each kind to say something.
    assert min(len(covered), len(bounded), len(within), clear) >= 8, (len(covered), len(bounded), len(within), clear)
    for found in (covered, bounded, within):
        assert found.count(False) <= stats.binom.ppf(1 - ALPHA, len(found), 0.05), found
    assert wrong <= stats.binom.ppf(1 - ALPHA, clear, 0.05)
    assert clear < listed
