"""Elements of a trend: those chosen, or the largest, and no word that is rejected."""

import pytest
from django.contrib.auth.models import User

from reports.models import Histogram, UseCase
from reports.results import NotInVersion, QueryError
from reports.results.trend.choice import search, suggested
from reports.results.trend.query import TrendQuery
from reports.results.trend.trend_view import trend_view
from reports.words import Decided, decide
from tests.reports.found_words import define_search, find
from tests.reports.results.trend.seen import see
from tests.reports.small_fleet import define
from tests.reports.trends import publish_day

pytestmark = [pytest.mark.exact, pytest.mark.django_db]


def test_the_largest_of_all_periods_if_nobody_chose(db: None) -> None:
    version = define()
    publish_day(version, 2, {"apple": 1000, "banana": 900, "cherry": 800, "date": 700, "fig": 600})
    assert [series.element.text for series in see(version).series] == ["apple", "banana", "cherry", "date"]
    publish_day(version, 1, {"cherry": 5000, "fig": 150})
    UseCase.renew_generation(version.use_case_id)
    assert [series.element.text for series in see(version).series] == ["cherry", "apple", "banana", "fig"]


def test_of_words_nobody_knows_any_but_those_published(db: None) -> None:
    version = define_search()
    find(version, ["yeet"])
    with pytest.raises(QueryError, match="Nothing here is called “lol”"):
        see(version, elements=("lol",))
    Histogram.objects.all().delete()
    find(version, ["abc"])
    with pytest.raises(QueryError, match="Nothing here is called “yeet”"):
        see(version, elements=("yeet",))


def test_rejected_words_are_only_for_those_who_decide(alice: User) -> None:
    version = define_search()
    find(version, ["yeet", "yolo", "lol"])
    version.use_case.refresh_from_db()
    assert [element.text for element in suggested(version, "en_US")] == ["yeet", "yolo", "lol"]
    decide(alice, version.use_case, "en_US", [Decided("yeet", "rejected")])
    version.use_case.refresh_from_db()
    assert [element.text for element in suggested(version, "en_US")] == ["yolo", "lol"]
    assert [element.text for element in search(version, "en_US", "y")] == ["yolo"]
    with pytest.raises(QueryError):
        search(version, "en_US", "yeet")

    def shown(*elements: str, **who: bool) -> list[str]:
        view = trend_view(UseCase.objects.get(), TrendQuery(elements=elements), **who)
        return [series.element.text for series in view.series]

    assert shown() == ["yolo", "lol"]
    assert shown("yeet", "lol") == ["lol"]
    assert shown("yeet", "lol", with_rejected=True) == ["yeet", "lol"]
    with pytest.raises(QueryError, match="Nothing here is called “yeet”"):
        shown("yeet")
    # The newest decision holds.
    decide(alice, version.use_case, "en_US", [Decided("yeet", "undecided")])
    assert shown("yeet") == ["yeet"]


def test_what_another_version_has_is_told_from_what_none_has(db: None) -> None:
    define(dictionary=["apple", "kiwi"])
    version = define(parameters={"epsilon": 4, "k": 1024, "m": 64, "seed": "0e" * 16}, dictionary=["apple"])
    publish_day(version, 1, {"apple": 10})
    with pytest.raises(NotInVersion):
        see(version, elements=("kiwi",), version=version.number)
    with pytest.raises(QueryError) as refused:
        see(version, elements=("durian",))
    assert not isinstance(refused.value, NotInVersion)
    with pytest.raises(QueryError):
        see(version, locale="xx")
