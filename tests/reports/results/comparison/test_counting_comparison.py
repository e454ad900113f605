"""The differences of counted elements: those of the published shares, and of what is below a threshold only bounds."""

import json
from typing import Any

import numpy as np
import pytest

from aggregation.estimation import Side as CountedSide
from aggregation.estimation import compare
from reports.models import Histogram, ReadOut, Version
from reports.publication import count_window, window_of
from reports.results import State
from reports.results.comparison import counting_comparison
from reports.results.comparison.comparison_rows import Share, Verdict, as_rows, sorted_rows
from reports.storage import open_array
from tests.aggregation.helpers import count_mean
from tests.reports.comparing import EATEN, comparison, send_shares
from tests.reports.results.comparison.seen import by_element
from tests.reports.small_fleet import FRUITS, aggregate, days_ago, define

pytestmark = [pytest.mark.exact, pytest.mark.django_db]


def test_shares_are_those_of_the_published_histograms_and_differences_are_theirs(both: Version) -> None:
    found = by_element(comparison())
    assert set(found) == {"apple", "banana", "cherry", "date"}
    for side, locale in (("first", "en_US"), ("second", "fr_FR")):
        for entry in Histogram.objects.get(locale=locale).entries:
            share = getattr(found[entry.element], side)
            expected = (entry.estimate / 3000, entry.adjusted_lower / 3000, entry.adjusted_upper / 3000)
            assert tuple(share[:3]) == expected
            assert share.at_most is None
    apple = found["apple"]
    assert apple.difference == pytest.approx(apple.first.value - apple.second.value, abs=1e-12)
    assert apple.lower < apple.difference < apple.upper


def hidden_numbers(version: Version, element: str, locale: str) -> set[str]:
    """Return the estimate, and the share, of what is below its threshold as they would be written, rounded or not."""
    revision = version.current_dictionary()
    assert revision is not None
    window = window_of(version, locale)
    assert window is not None
    position = revision.entries.get(element=element).position
    count = float(version.mechanism.debiased.estimate(count_window(window, revision).counts, window.n)[position])
    return {repr(number)[:9] for number in (count, count / window.n, 100 * count / window.n)}


def test_below_the_threshold_there_is_a_bound_and_never_the_value(both: Version) -> None:
    view = comparison()
    date = by_element(view)["date"]
    at_most = view.compared.second_at_most
    assert date.second == Share(at_most=at_most)
    assert 0 < at_most < 0.1
    assert date.difference is None
    # The other side has its published number, and this one the bound.
    assert date.upper == pytest.approx(date.first.upper, rel=0.3)
    assert date.first.lower - 2 * at_most < date.lower < date.first.lower
    written = json.dumps(view.document()) + repr(view.compared)
    hidden = hidden_numbers(both, "date", "fr_FR")
    assert len(hidden) == 3
    assert not [number for number in hidden if number in written]
    # Elements above are written.
    assert [number for number in hidden_numbers(both, "apple", "fr_FR") if number in written]
    assert "fig" not in written


def test_no_order_verdict_or_count_depends_on_what_is_hidden() -> None:
    """Three are below T on the second side; what their estimates are there goes round."""
    mechanism, n = count_mean("4", 65536, 1024), 50_000
    zero, one = mechanism.debiased.estimate(np.array([0, 1]), n)

    def said(*hidden: float) -> tuple[object, ...]:
        counts = ((9000, 450, 480, 5000, 0, *[0] * 95), (9900, *hidden, 3000, *[0] * 95))
        sides = [CountedSide(np.round((np.array(side) - zero) / (one - zero)).astype(np.int64), n) for side in counts]
        texts = [(place, name, name, "") for place, name in enumerate("abcde")]
        rows = list(as_rows(compare(mechanism.debiased, *sides, alpha=0.05), texts, overlapping=False).rows)
        assert [row.second.value is None for row in rows] == [False, True, True, True, False]
        orders = [
            [row.element for row in sorted_rows(rows, order)]
            for order in ("difference", "significance", "first", "second")
        ]
        ends = [(f"{row.lower:.10g}", f"{row.upper:.10g}", row.difference) for row in rows]
        return orders, ends, [row.verdict for row in rows]

    values = (-600, 100, 250)
    first = said(*values)
    assert first == said(*values[1:], values[0]) == said(values[2], *values[:2])
    verdicts = Verdict.MORE_IN_SECOND, *[Verdict.NO_CLEAR_DIFFERENCE] * 2, Verdict.MORE_IN_FIRST, Verdict.MORE_IN_SECOND
    assert first[2] == list(verdicts)


def test_reports_on_both_sides_are_taken_into_account(monkeypatch: pytest.MonkeyPatch) -> None:
    version = define()
    for day in (3, 2, 1):
        send_shares(version, 300 + day, day=days_ago(day), seed=day)
    aggregate(version)
    given: list[Any] = []

    def noted(estimator: Any, first: Any, second: Any, **more: Any) -> Any:
        given.append((first, second, more["shared"]))
        return compare(estimator, first, second, **more)

    monkeypatch.setattr(counting_comparison, "compare", noted)
    window = {"from_": str(days_ago(3)), "to": str(days_ago(2)), "other_from": str(days_ago(2))}
    view = comparison(**window, other_to=str(days_ago(1)), other_locale="en_US")
    assert view.compared is not None
    assert view.compared.overlapping
    ((first, second, shared),) = given
    assert (first.n, second.n, shared.n) == (605, 603, 302)
    days = {read_out.day: open_array(read_out.file_name) for read_out in ReadOut.objects.all()}
    assert np.array_equal(first.read_out, days[days_ago(3)] + days[days_ago(2)])
    assert np.array_equal(second.read_out, days[days_ago(2)] + days[days_ago(1)])
    assert np.array_equal(shared.read_out, days[days_ago(2)])


# --- A dictionary that has grown ---


def test_a_new_element_is_compared_only_where_both_sides_count_it_throughout(both: Version) -> None:
    """Yesterday's raw reports are gone, and so it is counted from today on."""
    dates = {"from_": str(days_ago(1)), "to": str(days_ago(1)), "other_from": str(days_ago(0)), "other_locale": "en_US"}
    older = comparison(from_=dates["from_"], to=dates["to"]).rows
    both.shards.all().delete()
    grown = define(dictionary=[*FRUITS[:2], "quince", *FRUITS[2:]])
    assert grown == both
    for locale in EATEN:
        send_shares(grown, 2000, locale=locale, day=days_ago(0), seed=4)
    aggregate(grown)
    # Days before it have no change; nor has one side before it.
    assert comparison(from_=dates["from_"], to=dates["to"]).rows == older
    view = comparison(**dates)
    assert {"apple", "banana", "cherry", "date"} == set(by_element(view))
    assert [(each.element, each.since) for each in view.not_counted] == [("quince", days_ago(0))]
    for side, histogram in zip(("first", "second"), view.histograms, strict=True):
        shares = {element: getattr(row, side).value for element, row in by_element(view).items()}
        for entry in histogram.entries:
            assert shares[entry.element] == entry.estimate / histogram.n, "as its histogram has it"
    assert view.document()["not_counted"] == [{"element": "quince", "display": "quince", "since": str(days_ago(0))}]
    assert not comparison(from_=str(days_ago(0)), other_from=str(days_ago(0))).not_counted


def test_a_dictionary_of_new_elements_alone_leaves_nothing_to_compare(both: Version) -> None:
    both.shards.all().delete()
    assert define(dictionary=["quince"]) == both
    view = comparison()
    assert (view.state, view.rows) == (State.NONE_ABOVE, ())
    assert [(each.element, each.since) for each in view.not_counted] == [("quince", None)]
