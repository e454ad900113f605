"""Changes from one window to the next: which rows there are, by what they are judged, and what is never said."""

from dataclasses import replace
from typing import Any

import pytest

from reports.models import UseCase, Version
from reports.results import State
from reports.results.changes import ChangeRow, ChangesQuery, changes_document, changes_view
from reports.results.changes.change_rows import judged, rows_of_each
from reports.results.comparison import ComparisonRow, Share, Verdict
from tests.reports.changed import two_weeks
from tests.reports.comparing import comparison
from tests.reports.small_fleet import days_ago

pytestmark = [pytest.mark.exact, pytest.mark.django_db]


@pytest.fixture
def version(db: None) -> Version:
    return two_weeks()


def changes(slug: str = "fruits", **parameters: str) -> Any:
    return changes_view(UseCase.objects.get(slug=slug), ChangesQuery.from_parameters(parameters))


def test_each_change_is_said_once_and_the_largest_first(version: Version) -> None:
    view = changes()
    assert view.state == State.SHOWN
    assert view.now == (days_ago(7), days_ago(1))
    assert view.before == (days_ago(14), days_ago(8))
    assert [(row.locale, row.row.element, row.change) for row in view.clear] == [
        ("en_US", "banana", "down"),
        ("en_US", "apple", "up"),
        ("en_US", "date", "new"),
    ]
    assert {(row.locale, row.row.element) for row in view.all_rows if not row.is_clear} == {
        ("en_US", "cherry"), ("fr_FR", "apple"), ("fr_FR", "banana"), ("fr_FR", "cherry"),
    }  # fmt: skip


def test_numbers_are_those_of_the_comparison_of_both_windows(version: Version) -> None:
    (first, last), (other_first, other_last) = changes().now, changes().before
    named = {"from_": first, "to": last, "other_from": other_first, "other_to": other_last, "other_locale": "en_US"}
    compared = comparison(locale="en_US", **{name: str(value) for name, value in named.items()})
    own = {row.row.element: row.row for row in changes().all_rows if row.locale == "en_US"}
    assert len(compared.rows) == len(own) == 4
    for row in compared.rows:
        for side in ("first", "second"):
            for value, expected in zip(getattr(own[row.element], side), getattr(row, side), strict=True):
                assert (value is None) == (expected is None)
                assert (value or 0.0) == pytest.approx(expected or 0.0, rel=1e-12)
        for field in ("difference", "lower", "upper"):
            assert (getattr(own[row.element], field) or 0.0) == pytest.approx(getattr(row, field) or 0.0, rel=1e-9)


def test_lists_of_words_that_are_drawn_are_compared_by_themselves(version: Version) -> None:
    pair, *_others = changes().compared
    assert pair.now is not None
    drawn = replace(pair, now=replace(pair.now, drawn=pair.now.histogram.n // 2))
    alone = [rows_of_each([each])[0] for each in (drawn, pair)]
    assert alone[0] != alone[1]
    assert rows_of_each([drawn, pair, drawn]) == [*alone, alone[0]]


def test_what_its_interval_leaves_open_is_not_clear_however_small_the_p_value() -> None:
    def row(lower: float, upper: float, p_value: float) -> ChangeRow:
        sides = Share(0.2, 0.1, 0.3), Share(0.1, 0.0, 0.2)
        verdict = Verdict.NO_CLEAR_DIFFERENCE
        return ChangeRow("", ComparisonRow("x", "x", "", *sides, 0.1, lower, upper, verdict), p_value)

    rows = [row(0.05, 0.15, 1e-6), row(-0.05, 0.25, 1e-6), row(0.05, 0.15, 0.2)]
    assert [each.change for each in judged(rows, others=2)] == ["up", "uncertain", "uncertain"]


def test_document_has_what_is_published_and_bounds_alone_of_what_is_hidden(version: Version) -> None:
    document = changes_document(changes(top="3"))
    assert document is not None
    assert (document["clear"], document["listed"], document["tested"], len(document["entries"])) == (3, 7, 7, 3)
    new = document["entries"][2]
    assert (new["element"], new["change"], new["before_share"], new["difference"]) == ("date", "new", None, None)
    assert 0 < new["before_share_at_most"] < new["difference_lower"] + new["before_share_at_most"] < new["share"]
    assert "fig" not in repr(document)
