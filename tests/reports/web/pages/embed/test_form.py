"""The form by which owners make links: what it offers and gives, and what it does not take."""

import html
import re

import pytest
from django.contrib.auth.models import User
from django.test import Client
from pytest_django import Settings

from reports.models import Run, UseCase, Version, Viewing
from tests.reports.web.pages.embed.links import FORM, made, opened, token_of
from tests.reports.web.pages.reading import PAGE, chart, table, words

pytestmark = [pytest.mark.exact, pytest.mark.django_db]


def test_the_frame_can_be_copied_and_pasted_whatever_the_title(published: Run, as_alice: Client) -> None:
    UseCase.objects.update(title='"><script>alert(1)</script> "Fruits" & more')
    page = as_alice.post(f"{FORM}?page=use_case&query=", {"days": 7, "window": "these"}).content.decode()
    code = re.search(r'<code id="embed-frame">(.*?)</code>', page)
    assert code is not None
    pasted = html.unescape(code[1])
    frame = re.fullmatch(r'<iframe src="([^"]*)" title="([^"]*)"[^<>]*></iframe>', pasted)
    assert frame is not None
    assert html.unescape(frame[2]) == '"><script>alert(1)</script> "Fruits" & more'
    assert Client().get(html.unescape(frame[1])).status_code == 200
    for source in ("embed-frame", "embed-link"):
        assert re.search(rf'<button [^>]*data-copy="{source}"\s+data-stays\s+data-said="{source}-said"', page)
        assert f'<span id="{source}-said"' in page
    assert "reports/copy.js" in page


def test_owners_make_links_that_strangers_open(published: Run, as_alice: Client, alice: User) -> None:
    page = as_alice.get(PAGE, {"top": "2"}).content.decode()
    found = re.search(r'<a href="(/use-cases/fruits/embed/[^"]*)"', page)
    assert found is not None
    assert html.unescape(found[1]) == f"{FORM}?page=use_case&query=top%3D2"
    form = words(as_alice.get(html.unescape(found[1])))
    assert re.findall(r"<li> <code>([^<]*)</code>", form) == ["https://wiki.example.org", "https://*.example.com"]
    answer = Client().get(made(as_alice, "top%3D2"))
    assert answer.status_code == 200
    assert table(answer) == ["apple", "banana"]
    assert len(chart(answer)["data"][0]["x"]) == 2
    text = words(answer)
    for said in ("<h1>Fruits</h1>", "Estimated share of reports, not of people", "Dictionary", "95 % interval"):
        assert said in text


def test_where_days_are_named_there_is_nothing_to_choose(published: Run, as_alice: Client) -> None:
    day = published.first_day.isoformat()
    page = as_alice.get(f"{FORM}?page=use_case&query=from%3D{day}%26to%3D{day}")
    assert 'name="window"' not in page.content.decode()


def test_without_origins_the_form_says_so_and_names_the_setting_to_staff(
    published: Run, as_alice: Client, alice: User, settings: Settings
) -> None:
    assert "LDPSITE" not in words(as_alice.get(FORM))
    settings.LDPSITE_EMBED_ORIGINS = []
    page = words(as_alice.get(FORM))
    assert "No other site may show pages of this one in a frame yet" in page
    assert "LDPSITE" not in page
    User.objects.filter(pk=alice.pk).update(is_staff=True)
    assert "<code>LDPSITE_EMBED_ORIGINS</code>" in words(as_alice.get(FORM))
    settings.LDPSITE_EMBED_ORIGINS = ["https://wiki.example.org"]
    assert "<code>LDPSITE_EMBED_ORIGINS</code>" in words(as_alice.get(FORM))


def test_nothing_to_embed_yet(version: Version, as_alice: Client, alice: User) -> None:
    answer = as_alice.post(FORM, {"days": 7, "window": "newest"})
    assert answer.status_code == 422
    assert "There is nothing to show in this view yet." in words(answer)
    assert 'id="embed-link"' not in answer.content.decode()
    answer = opened(token_of(alice))
    assert answer.status_code == 200
    assert "There is nothing to show yet." in words(answer)
    assert not Viewing.objects.exists()


def test_making_a_link_shows_nothing_by_itself(published: Run, as_alice: Client) -> None:
    as_alice.get(FORM)
    made(as_alice)
    assert not Viewing.objects.exists()


def test_what_the_form_does_not_take(published: Run, as_alice: Client) -> None:
    for choices in ({"days": 366, "window": "these"}, {"days": 7, "window": "all"}, {}):
        answer = as_alice.post(FORM, choices)
        assert answer.status_code == (422 if choices else 200)
        assert 'id="embed-link"' not in answer.content.decode()
    assert as_alice.get(f"{FORM}?page=home").status_code == 404
    assert as_alice.get(f"{FORM}?page=use_case&query=top%3Dnone").status_code == 400
    answer = as_alice.post(f"{FORM}?page=use_case&query=locale%3Dnone", {"days": 7, "window": "these"})
    assert answer.status_code == 400
