"""Embedded pages in a stranger's browser: what they tell it, leave behind, and do not do."""

import datetime
import re
import struct
import zlib
from typing import Any

import numpy as np
import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from pytest_django import Settings

from reports.embedding import make_token
from reports.models import EmbedViews, Histogram, Run, UseCase, Version, Viewing
from reports.words import Decided, decide
from tests.conftest import logged_in
from tests.reports.found_words import change_word
from tests.reports.small_fleet import days_ago, define
from tests.reports.trends import publish_day
from tests.reports.web.pages.embed.links import made, opened, reports_shown, token_of
from tests.reports.web.pages.words.page import PAGE

pytestmark = [pytest.mark.exact, pytest.mark.django_db]


def policy(answer: Any) -> str:
    return str(answer.headers["Content-Security-Policy"])


@pytest.mark.parametrize("kind", ["shown", "invalid", "expired"])
def test_headers(published: Run, alice: User, kind: str, settings: Settings) -> None:
    token = {"shown": token_of(alice), "invalid": "x", "expired": token_of(alice, days=-1)}[kind]
    answer = opened(token)
    assert "frame-ancestors https://wiki.example.org https://*.example.com;" in policy(answer)
    assert "default-src 'self';" in policy(answer)
    assert "X-Frame-Options" not in answer.headers
    assert answer.headers["Referrer-Policy"] == "no-referrer"
    assert answer.headers["X-Robots-Tag"] == "noindex, nofollow"
    assert "private" in answer.headers["Cache-Control"]
    assert not answer.cookies
    assert "Cookie" not in answer.headers.get("Vary", "")
    settings.LDPSITE_EMBED_ORIGINS = []
    assert "frame-ancestors 'none';" in policy(opened(token))


def test_it_leads_nowhere(published: Run, alice: User) -> None:
    """No link, no form, no header of the site, no markup in a title; and it is the same for who is logged in."""
    UseCase.objects.update(title="<script>alert(1)</script>")
    for page, query in (("use_case", ""), ("use_case", "q=app"), ("changes", "days=1&previewed=1")):
        text = opened(token_of(alice, query, page=page)).content.decode()
        assert "apple" in text
        assert not re.search(r"<(a|form|button|input|nav)\b|<script>alert", text)
    client = logged_in(alice)
    address = reverse("embed", args=[token_of(alice)])
    assert "alice" not in client.get(address).content.decode()
    assert client.post(address).status_code == 405


def test_strangers_are_not_told_what_a_search_finds_below_the_threshold(
    published: Run, alice: User, as_alice: Client
) -> None:
    """The page tells members that it is in the dictionary."""
    below = as_alice.get("/use-cases/fruits/?q=e").content.decode()
    assert "In the dictionary, below the threshold" in below
    assert "below the threshold</h3>" not in opened(token_of(alice, "q=e")).content.decode()


def test_strangers_are_not_told_who_decided_what_about_words(found: Version, alice: User, as_alice: Client) -> None:
    """Nor on which days a word was seen that are not in the window."""
    change_word("yeet", first_day=days_ago(30))
    decide(alice, found.use_case, "en_US", [Decided("yeet", "accepted", "argot", "A remark for colleagues.")])
    page, embedded = (
        answer.content.decode()
        for answer in (as_alice.get(PAGE), opened(make_token(alice, found.use_case, "use_case", "", 7)))
    )
    assert "yeet" in embedded
    said = ("alice", "argot", "A remark for colleagues.", "accepted", str(days_ago(30)))
    assert [text for text in said if text not in page] == []
    assert [text for text in said if text in embedded] == []


def test_opening_often_is_noted_once_a_day(published: Run, alice: User) -> None:
    """A reader of the link could fill the log of its maker else."""
    token = token_of(alice)
    assert [opened(token).status_code for _ in range(3)] == [200] * 3
    assert Viewing.objects.count() == 1
    Viewing.objects.update(at=timezone.now() - datetime.timedelta(days=1))
    opened(token)
    assert Viewing.objects.count() == 2


def test_strangers_see_any_window_as_everybody_does(published: Run, alice: User, as_bob: Client) -> None:
    """The content depends on periods alone, not on earlier readers."""
    first, last = published.first_day.isoformat(), published.last_day.isoformat()
    window = f"from={first}&to={last}"
    Histogram.objects.all().delete()
    assert reports_shown(opened(token_of(alice, window))) == "800"
    sides = f"locale=en_US&{window}&other-locale=en_US&other-from={first}&other-to={first}"
    for page, query in (("use_case", "days=2"), ("compare", sides), ("trend", "element=apple")):
        assert opened(token_of(alice, query, page=page)).status_code == 200


def test_programs_that_show_links_have_a_picture_if_its_maker_chose_that(published: Run, as_alice: Client) -> None:
    plain, previewed = made(as_alice), made(as_alice, previewed="on")
    assert "og:" not in Client().get(plain).content.decode()
    assert Client().get(f"{plain}preview.png").status_code == 404
    head = Client().get(previewed).content.decode()
    assert f'<meta property="og:image" content="http://testserver{previewed}preview.png">' in head
    assert '<meta property="og:description" content="apple leads' in head
    answer = Client().get(f"{previewed}preview.png")
    assert answer.headers["Content-Type"] == "image/png"
    assert "no-store" in answer.headers["Cache-Control"]
    width, height, pixels = read_png(answer.content)
    assert (width, height) == (1200, 630)
    # The longest bar is the first one's, in the colour that bars have.
    bars = [int(np.all(row == (0x3F, 0x9B, 0xAE), axis=1).sum()) for row in pixels]
    first = next(length for length in bars if length)
    assert first == max(bars) > 200
    assert [each.number for each in EmbedViews.objects.all()] == [1, 1]  # to ask for the picture is no opening
    assert Client().get(f"{previewed[:-2]}/preview.png").status_code == 404


def test_pictures_of_more_rows_than_they_have_room_for_and_of_nothing_above_its_threshold(alice: User) -> None:
    words = [f"word{number}" for number in range(20)]
    version = define(dictionary=words)
    for locale in version.locales:
        publish_day(version, 1, dict.fromkeys(words[:18], 1000.0), locale=locale)
    compared = "locale=en_US&other-locale=fr_FR&top=20"
    below = "element=word19"
    for page, query in (("compare", compared), ("trend", below), ("trend", f"element=word1&{below}")):
        token = token_of(alice, f"{query}&previewed=1", page=page)
        assert Client().get(reverse("embed_preview", args=[token])).status_code == 200, (page, query)


def read_png(content: bytes) -> tuple[int, int, Any]:
    """Return width, height and pixels of a PNG of one chunk, whose lines are differences to the ones above."""
    width, height = struct.unpack(">II", content[16:24])
    data = content.index(b"IDAT")
    (length,) = struct.unpack(">I", content[data - 4 : data])
    lines = np.frombuffer(zlib.decompress(content[data + 4 : data + 4 + length]), np.uint8).reshape(height, -1)
    assert np.all(lines[:, 0] == 2)
    return width, height, np.cumsum(lines[:, 1:], axis=0, dtype=np.uint8).reshape(height, width, 3)
