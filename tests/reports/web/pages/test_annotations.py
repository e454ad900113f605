"""Annotations of a day: owners write and delete them, all who see the use case read them."""

import datetime
import html
import re

import pytest
from django.contrib.auth.models import User
from django.test import Client

from reports.models import Annotation, UseCase, Version
from tests.reports.small_fleet import days_ago, define
from tests.reports.trends import publish_day

pytestmark = [pytest.mark.exact, pytest.mark.django_db]

PAGE = "/use-cases/fruits/annotations/"
TREND = "/use-cases/fruits/trend/"


def day() -> datetime.date:
    return days_ago(1)


def written() -> list[tuple[str, bool]]:
    return [(each.text, each.use_case_id is None) for each in Annotation.objects.order_by("pk")]


def test_an_owner_writes_and_viewers_read(version: Version, as_alice: Client, as_bob: Client, alice: User) -> None:
    publish_day(version, 1, {"apple": 5000})
    answer = as_alice.post(PAGE, {"day": day().isoformat(), "text": "  iOS\n release ", "back": "days=7&element=apple"})
    assert answer["Location"] == f"{TREND}?days=7&element=apple"
    found = Annotation.objects.get()
    assert (found.use_case, found.day, found.text, found.written_by) == (version.use_case, day(), "iOS release", alice)
    for client, may in ((as_alice, True), (as_bob, False)):
        for address in (f"{TREND}?days=7", PAGE):
            page = client.get(address).content.decode()
            assert "iOS release" in page
            assert (f"/annotations/{found.pk}/delete/" in page) is may
            assert ('name="text"' in page) is may


def test_a_day_and_a_text_are_needed(version: Version, as_alice: Client) -> None:
    for data in (
        {"day": "", "text": "release"},
        {"day": day().isoformat(), "text": "   "},
        {"day": day().isoformat(), "text": "x" * 121},
        {"day": day().isoformat(), "text": "a\0b"},
        {"day": "0001-01-01", "text": "release"},
        {"day": "9999-12-31", "text": "release"},
        {"day": "21/11/2026", "text": "release"},
    ):
        answer = as_alice.post(PAGE, data | {"back": "days=7"})
        assert answer.status_code == 200
        page = answer.content.decode()
        assert re.search(r'<p class="field-error" id="[a-z_]+_error" role="alert">', page)
        # And who mends it comes back to where they were.
        assert re.search(r'name="back"\s+value="days=7"', page)
    assert not written()


def test_who_deletes(version: Version, as_alice: Client, as_bob: Client, charlie: User, client: Client) -> None:
    found = Annotation.objects.create(use_case=version.use_case, day=day(), text="release")
    address = f"{PAGE}{found.pk}/delete/"
    client.force_login(charlie)
    assert client.post(address).status_code == 404
    assert as_bob.post(address).status_code == 404
    assert [each.get(address).status_code for each in (as_bob, client, Client())] == [404, 404, 302]
    assert written()
    assert as_alice.post(address)["Location"] == PAGE
    assert not written()
    assert as_alice.post(address).status_code == 404


def test_who_deletes_is_asked_first(version: Version, as_alice: Client) -> None:
    publish_day(version, 1, {"apple": 5000})
    found = Annotation.objects.create(use_case=version.use_case, day=day(), text="iOS <b>release</b>")
    for start, back in ((f"{TREND}?days=7&element=apple", "?back=days%3D7%26element%3Dapple"), (PAGE, "")):
        page = as_alice.get(start).content.decode()
        # A link, because who follows it has not deleted anything yet.
        (address,) = re.findall(rf'<a class="button small"\s+href="({PAGE}{found.pk}/delete/[^"]*)"', page)
        assert html.unescape(address) == f"{PAGE}{found.pk}/delete/{back}"
        question = as_alice.get(html.unescape(address)).content.decode()
        assert "iOS &lt;b&gt;release&lt;/b&gt;" in question
        assert "cannot be brought back" in question
        keep = re.search(r'<a class="button" href="([^"]*)">Keep it</a>', question)
        assert keep is not None
        assert html.unescape(keep[1]) == start
        sent = dict(re.findall(r'<input type="hidden" name="(back)" value="([^"]*)">', question))
        assert as_alice.get(start).status_code == 200
        assert written()
    form = {name: html.unescape(value) for name, value in sent.items()}
    assert as_alice.post(f"{PAGE}{found.pk}/delete/", form)["Location"] == PAGE
    assert not written()


def test_who_came_from_a_trend_is_led_back_there(version: Version, as_alice: Client) -> None:
    found = Annotation.objects.create(use_case=version.use_case, day=day(), text="release")
    address = f"{PAGE}{found.pk}/delete/"
    question = as_alice.get(address, {"back": "days=7"}).content.decode()
    assert '<input type="hidden" name="back" value="days=7">' in question
    assert as_alice.post(address, {"back": "days=7"})["Location"] == f"{TREND}?days=7"


def test_nobody_deletes_what_is_of_another_use_case(version: Version, as_alice: Client) -> None:
    other = define(slug="vegetables", owner_group="gardeners", viewer_groups=["keyboard-owners"])
    found = Annotation.objects.create(use_case=other.use_case, day=day(), text="harvest")
    for slug in ("fruits", "vegetables"):
        address = f"/use-cases/{slug}/annotations/{found.pk}/delete/"
        assert [as_alice.post(address).status_code, as_alice.get(address).status_code] == [404, 404]
    assert (
        as_alice.post("/use-cases/vegetables/annotations/", {"day": day().isoformat(), "text": "x"}).status_code == 404
    )
    assert "harvest" not in as_alice.get(PAGE).content.decode()
    assert written() == [("harvest", False)]


def test_viewers_write_nothing(version: Version, as_bob: Client) -> None:
    assert as_bob.post(PAGE, {"day": day().isoformat(), "text": "x"}).status_code == 404
    assert not written()


def test_those_of_all_use_cases_are_the_superusers(version: Version, as_alice: Client, as_root: Client) -> None:
    asked = {"day": day().isoformat(), "text": "holiday", "everywhere": "on"}
    as_alice.post(PAGE, asked)
    assert written() == [("holiday", False)], "asked for by who may not, it is of this use case"
    as_root.post(PAGE, asked | {"text": "new year"})
    define(slug="vegetables")
    page = as_alice.get("/use-cases/vegetables/annotations/").content.decode()
    assert "new year" in page
    assert "all use cases" in page
    assert 'name="everywhere"' not in page
    common = Annotation.objects.get(text="new year")
    assert as_alice.post(f"{PAGE}{common.pk}/delete/").status_code == 404
    assert "all use cases" in as_root.get(f"{PAGE}{common.pk}/delete/").content.decode()
    assert as_root.post(f"{PAGE}{common.pk}/delete/").status_code == 302
    assert written() == [("holiday", False)]


def test_back_leads_nowhere_else(version: Version, as_alice: Client) -> None:
    found = Annotation.objects.create(use_case=version.use_case, day=day(), text="release")
    question = as_alice.get(f"{PAGE}{found.pk}/delete/", {"back": "//example.org"}).content.decode()
    assert f'href="{TREND}?//example.org">Keep it' in question
    for back in ("//example.org", "https://example.org/", "a=b\r\nSet-Cookie: c=d"):
        answer = as_alice.post(PAGE, {"day": day().isoformat(), "text": "x", "back": back})
        assert answer["Location"].startswith(f"{TREND}?")
        assert not answer.has_header("Set-Cookie")
        assert "\n" not in answer["Location"]


def test_they_go_with_their_use_case_and_stay_without_their_writer(version: Version, alice: User) -> None:
    Annotation.objects.create(use_case=version.use_case, day=day(), text="release", written_by=alice)
    alice.delete()
    assert written() == [("release", False)]
    UseCase.objects.all().delete()
    assert not written()
