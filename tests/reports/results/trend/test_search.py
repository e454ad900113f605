"""Elements that a reader may mean who types a part of one."""

import pytest

from reports.models import UseCase
from reports.results import QueryError
from reports.results.trend.choice import search
from tests.reports.found_words import define_search, find
from tests.reports.small_fleet import define

pytestmark = [pytest.mark.exact, pytest.mark.django_db]


def test_elements_are_found_by_what_people_type(db: None) -> None:
    version = define(normalization="emoji", dictionary=["😂", "❤️", "💔", "👍"])
    version.use_case = UseCase.objects.get()
    assert [each.text for each in search(version, "en_US", "❤️")] == ["❤"]
    assert [each.text for each in search(version, "en_US", "red heart")] == ["❤"]
    assert {each.text for each in search(version, "en_US", "heart")} == {"❤", "💔"}
    assert [each.text for each in search(version, "en_US", "cœur brisé")] == ["💔"]
    with pytest.raises(QueryError):
        search(version, "en_US", "kiwi")
    fruits = define(slug="more", dictionary=["apple", "pineapple", "applesauce"])
    assert [each.text for each in search(fruits, "en_US", "apple")] == ["apple"]
    assert [each.text for each in search(fruits, "en_US", "APPL")] == ["apple", "applesauce", "pineapple"]
    words = define_search()
    find(words, ["yeet", "yolo"])
    assert [each.text for each in search(words, "en_US", "yeet")] == ["yeet"]
    assert {each.text for each in search(words, "en_US", "y")} == {"yeet", "yolo"}
