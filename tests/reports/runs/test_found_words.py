"""The record of how words were found: the questions that fragments were really asked."""

from functools import partial
from typing import Any

import numpy as np
import pytest

from aggregation.discovery import Cut, Joined, detection_probability, join_fragments, summarize_words
from reports.kinds import puzzle_of
from reports.models import Discovery, Version
from reports.runs.found_words import HowFound
from tests.reports.small_fleet import aggregate, define_words, send_words

pytestmark = pytest.mark.exact


def test_cuts_are_those_that_joining_used() -> None:
    kept, estimates = [np.arange(3), np.arange(2)], [np.array([9.0, 5.0, 3.0]), np.array([8.0, 4.0])]
    thresholds, f2, capped = np.array([2.0, 4.0]), np.array([70.0, 80.0]), np.array([False, True])
    cut = Cut(kept, estimates, np.array([50, 60]), thresholds, f2, capped)
    how = HowFound.of(cut, Joined(["ab"], [2, 1], 7, 1.5))
    assert how.cuts == how.cut.thresholds.tolist() == [3.0, 6.0]
    assert (how.kept, how.strictness, how.joined, how.capped) == ([2, 1], 1.5, 7, True)
    assert HowFound.from_facts(how.as_facts()) == how


@pytest.mark.django_db(transaction=True)
def test_what_is_published_applies_the_factor_once(monkeypatch: pytest.MonkeyPatch) -> None:
    version: Version = define_words()
    mechanism = puzzle_of(version)
    used: list[tuple[Cut, Joined]] = []
    summaries: list[Any] = []

    def joined(mechanism: Any, keys: Any, cut: Cut) -> Joined:
        found = join_fragments(mechanism, keys, cut, most=1)
        used.append((cut, found))
        return found

    def summarized(*args: Any, **options: Any) -> Any:
        summaries.append(summarize_words(*args, **options))
        return summaries[-1]

    monkeypatch.setattr("reports.runs.discovery_steps.join_fragments", joined)
    monkeypatch.setattr("reports.runs.word_publication.summarize_words", summarized)
    send_words(version, 2000)
    aggregate(version)
    how = Discovery.objects.get()
    cut, found = next(each for each in used if each[1].tried)
    (summary,) = summaries
    assert how.strictness == found.strictness > 1
    assert how.cuts == pytest.approx((cut.thresholds * found.strictness).tolist())
    reached = zip(cut.estimates, cut.thresholds, strict=True)
    assert how.kept == [int((own / threshold >= found.strictness).sum()) for own, threshold in reached]
    raised = Cut([], [], cut.reports, cut.thresholds * found.strictness, cut.f2, cut.capped)
    found_at = partial(detection_probability, mechanism, n=summary.n, f2=summary.f2, threshold=summary.threshold)
    assert found_at(share=how.smallest_share, cut=raised) == pytest.approx(0.9)
