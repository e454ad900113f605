"""Lists of what there is to read: as described, for those who may view it, in pages."""

import datetime

import pytest
from django.test import Client

from reports.models import ApiToken, Version
from reports.web.api import reading
from tests.reports.found_words import define_search, find
from tests.reports.small_fleet import aggregate, days_ago, define, send
from tests.reports.web.api.described import departure
from tests.worlds import once

pytestmark = [pytest.mark.exact, pytest.mark.django_db]


@pytest.fixture
@once
def counted(db: None) -> Version:
    """Three days of a locale, the oldest two of which are one release period, and one of the other."""
    version = define()
    send(version, 60, day=days_ago(4), seed=1)
    send(version, 60, day=days_ago(3), seed=2)
    send(version, 150, day=days_ago(1), seed=3)
    send(version, 20, locale="fr_FR", day=days_ago(1), seed=4)
    aggregate(version)
    return version


def entries(client: Client, address: str, component: str) -> list[dict[str, object]]:
    answer = client.get(f"/api/v1/use-cases/{address}").json()
    assert not departure(answer, component)
    assert answer["count"] == len(answer["entries"])
    found: list[dict[str, object]] = answer["entries"]
    return found


def span(first: int, last: int) -> dict[str, str]:
    return {"first_day": days_ago(first).isoformat(), "last_day": days_ago(last).isoformat()}


def test_use_cases_are_those_that_one_may_view(counted: Version, as_bob: Client) -> None:
    define(slug="vegetables", title="Vegetables", owner_group="gardeners", viewer_groups=["gardeners"])
    _reads, secret = ApiToken.create("reader", may_read=True, use_cases=[counted.use_case])
    _uploads, uploading = ApiToken.create("collector", may_ingest=True)
    of_fruits = [
        {
            "use_case": "fruits",
            "title": "Fruits",
            "description": "",
            "state": "running",
            "address": "http://testserver/use-cases/fruits/",
        }
    ]
    assert entries(as_bob, "", "UseCases") == of_fruits
    assert entries(Client(headers={"authorization": f"Bearer {secret}"}), "", "UseCases") == of_fruits
    assert entries(Client(headers={"authorization": f"Bearer {uploading}"}), "", "UseCases") == []
    for name in ("versions", "locales", "windows"):
        assert as_bob.get(f"/api/v1/use-cases/vegetables/{name}/").status_code == 404


def test_versions_are_all_but_drafts_the_newest_first(counted: Version, as_bob: Client) -> None:
    newer = define(parameters={"epsilon": 4, "k": 1024, "m": 64})
    found = entries(as_bob, "fruits/versions/", "Versions")
    assert [(each["version"], each["state"], each["is_default"]) for each in found] == [
        (newer.number, "active", False),  # it shows nothing yet
        (counted.number, "superseded", True),
    ]
    assert found[1]["parameters"] == counted.mechanism.encoded_parameters()
    assert found[1]["locales"] == ["en_US", "fr_FR"]
    Version.objects.filter(pk=newer.pk).update(state=Version.State.DRAFT)
    assert [each["version"] for each in entries(as_bob, "fruits/versions/", "Versions")] == [counted.number]


def test_locales_say_of_which_days_something_is_shown(counted: Version, as_bob: Client) -> None:
    nothing = {"first_day": None, "last_day": None}
    assert entries(as_bob, "fruits/locales/?version=1", "Locales") == [
        {"locale": "en_US", **span(4, 1)},
        {"locale": "fr_FR", **nothing},
    ]
    words = define_search()
    find(words, ["yeet"], locale="fr_FR")
    assert entries(as_bob, "slang/locales/", "Locales") == [
        {"locale": "en_US", **nothing},
        {"locale": "fr_FR", **span(7, 1)},
    ]


def test_windows_are_release_periods_or_lists_of_words(counted: Version, as_bob: Client) -> None:
    assert entries(as_bob, "fruits/windows/", "Windows") == [span(4, 3), span(1, 1)]
    assert entries(as_bob, "fruits/windows/?locale=fr_FR", "Windows") == []
    counted.use_case.minimum_reports = 130  # raised since they were closed
    counted.use_case.save()
    assert entries(as_bob, "fruits/windows/", "Windows") == [span(1, 1)]
    words = define_search()
    find(words, ["yeet"])
    find(words, ["lol"], first=days_ago(9), last=days_ago(3))
    assert entries(as_bob, "slang/windows/", "Windows") == [span(9, 3), span(7, 1)]
    for query in ("locale=xx", "version=9", "page=zero"):
        assert as_bob.get(f"/api/v1/use-cases/fruits/windows/?{query}").status_code == 400


def test_a_use_case_without_a_version_has_empty_lists(counted: Version, as_bob: Client) -> None:
    Version.objects.update(state=Version.State.DRAFT)
    for name, component in (("versions", "Versions"), ("locales", "Locales"), ("windows", "Windows")):
        assert entries(as_bob, f"fruits/{name}/", component) == []


def test_each_page_names_the_next(counted: Version, as_bob: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "PAGE_SIZE", 1)
    address, seen = "/api/v1/use-cases/fruits/windows/?locale=en_US", []
    while address:
        answer = as_bob.get(address).json()
        assert answer["count"] == 2
        seen += [datetime.date.fromisoformat(each["first_day"]) for each in answer["entries"]]
        address = answer["next"]
    assert seen == [days_ago(4), days_ago(1)]
    beyond = as_bob.get("/api/v1/use-cases/fruits/windows/?page=3")
    assert (beyond.status_code, beyond.json()["detail"]) == (400, "page: The last page is 2.")
