"""Sides below the threshold: a bound is said, and no number."""

import re

import pytest
from django.test import Client

from reports.models import Version
from reports.publication import count_window, window_of
from tests.reports.web.pages.compare.reading import PAGE, cells
from tests.reports.web.pages.reading import chart

pytestmark = [pytest.mark.exact, pytest.mark.django_db]


@pytest.mark.usefixtures("both")
def test_below_the_threshold_a_bound_is_said_and_so_of_the_difference(as_bob: Client) -> None:
    _first, second, difference, verdict = cells(as_bob.get(PAGE))["date"]
    assert re.fullmatch(r"below T true share ≤ \d+\.\d\d\u00a0%", second)
    assert re.fullmatch(r"at least \+\d+\.\d\d \+\d+\.\d\d to \+\d+\.\d\d", difference)
    assert verdict == "● English"
    _first, _second, difference, verdict = cells(as_bob.get(PAGE + "?locale=fr_FR"))["date"]
    assert re.fullmatch(r"at most −\d+\.\d\d −\d+\.\d\d to −\d+\.\d\d", difference)
    assert verdict == "■ English"


def test_what_is_below_the_threshold_is_in_no_answer(both: Version, as_bob: Client) -> None:
    """However it is written: as a count, a share or in percent, in table, chart or file."""
    revision, window = both.current_dictionary(), window_of(both, "fr_FR")
    assert revision is not None
    assert window is not None
    counts = both.mechanism.debiased.estimate(count_window(window, revision).counts, 3000)
    position = revision.entries.get(element="date").position
    answers = [
        as_bob.get(path).getvalue().decode()
        for path in (
            PAGE,
            f"{PAGE}?locale=fr_FR",
            "/use-cases/fruits/comparison.csv",
            "/use-cases/fruits/comparison.json",
            "/api/v1/use-cases/fruits/comparison/",
        )
    ]
    for element, hidden in (("date", True), ("apple", False)):
        count = float(counts[revision.entries.get(element=element).position])
        written = [repr(scale * count)[:8] for scale in (1, 1 / 3000, 100 / 3000)]
        for answer in answers:
            assert any(number in answer for number in written) is not hidden, element
    assert position == 3
    assert all("elderberry" not in answer for answer in answers)
    # In the chart it is the line to the bound, and no point that is joined with the other.
    data = chart(as_bob.get(PAGE))["data"]
    assert [trace["mode"] for trace in data] == ["lines", "lines", "markers", "markers", "lines+markers"]
    assert [len(trace["x"]) for trace in data[2:]] == [4, 3, 3]
    assert sum(len(trace["x"]) for trace in data[:2]) == 3 * 3
