"""A comparison as a document."""

import pytest

from reports.models import Histogram, Version
from tests.reports.comparing import comparison
from tests.reports.small_fleet import days_ago

pytestmark = [pytest.mark.exact, pytest.mark.django_db]


def test_the_document_says_where_it_comes_from(both: Version) -> None:
    document = comparison(top="2", sort="name").document()
    assert document is not None
    assert [entry["element"] for entry in document["entries"]] == ["apple", "cherry"]
    assert (document["use_case"], document["version"], document["listed"]) == ("fruits", 1, 4)
    assert (document["alpha"], document["false_discovery_rate"], document["dictionary_size"]) == (0.05, 0.05, 6)
    for side, locale in (("first", "en_US"), ("second", "fr_FR")):
        histogram = Histogram.objects.get(locale=locale)
        about = document[side]
        assert (about["locale"], about["n"], about["threshold"]) == (locale, 3000, histogram.threshold)
        assert (about["first_day"], about["last_day"]) == (str(days_ago(1)), str(days_ago(1)))
