"""Settings of a person: in force on every page, for that person alone, and never in files."""

import re

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from django.utils import translation

from reports.formatting import number_language, percent, rounded, small_percents, upper_bound, write_numbers_as
from reports.models import Preferences, Run, SavedView
from tests.reports.small_fleet import aggregate, define, send
from tests.worlds import once

pytestmark = [pytest.mark.exact, pytest.mark.django_db]


@pytest.fixture
@once
def published(db: None) -> Run:
    version = define()
    send(version, 1_500)
    return aggregate(version)


def choose(client: Client, **chosen: str) -> None:
    form = {"language": "", "theme": "auto", "numbers": "", "opens": ""} | chosen
    answer = client.post(reverse("preferences"), form)
    assert answer.headers["Location"] == reverse("preferences")


@pytest.mark.parametrize(
    ("language", "written"), [("en", "1,234.50"), ("fr", "1\u00a0234,50"), ("de", "1.234,50"), ("", "1,234.50")]
)
def test_numbers_are_written_as_chosen_whatever_the_language(language: str, written: str) -> None:
    write_numbers_as(language)
    try:
        assert rounded(1234.5, 2) == upper_bound(1234.5) == written
        decimal = written[-3]
        assert percent(0.125) == small_percents()(0.125) == f"12{decimal}50\u00a0%"
        with translation.override("fr"):
            assert rounded(1234.5, 2) == (written if language else "1\u00a0234,50")
    finally:
        write_numbers_as("")


def test_pages_and_charts_write_numbers_as_their_reader_chose_and_files_do_not(
    published: Run, alice: User, bob: User
) -> None:
    hers, his = Client(), Client()
    hers.force_login(alice)
    his.force_login(bob)
    path = reverse("use_case", args=[published.version.use_case.slug])
    before = his.get(path).content.decode()
    choose(hers, numbers="de")
    page = hers.get(path).content.decode()
    assert "1.500" in page
    assert "1,500" not in page
    assert '"separators":",."' in page
    assert 'data-numbers="de"' in page
    assert number_language() == "en"
    assert re.sub(r'name="csrf\w+" value="\w+"', "", his.get(path).content.decode()) == re.sub(
        r'name="csrf\w+" value="\w+"', "", before
    )
    for form in ("csv", "json"):
        files = [client.get(reverse(f"use_case_{form}", args=["fruits"])).getvalue() for client in (hers, his)]
        assert files[0] == files[1]


def test_language_of_the_settings_holds_until_another_is_chosen_in_the_browser(alice: User, client: Client) -> None:
    client.force_login(alice)
    client.cookies["language"] = "en"
    choose(client, language="fr")
    assert '<html lang="fr"' in client.get("/").content.decode()
    client.post(reverse("choose_language"), {"language": "en"})
    assert '<html lang="en"' in client.get("/").content.decode()
    # Another login lets the settings go first again.
    client.post(reverse("logout"))
    client.post(reverse("login"), {"username": "alice", "password": "password"})
    assert '<html lang="fr"' in client.get("/").content.decode()


def test_colours_stand_in_the_page_before_any_script(alice: User, client: Client) -> None:
    client.force_login(alice)
    assert client.post(reverse("choose_theme"), {"theme": "dark"}).status_code == 204
    assert re.search(r'<html lang="en"[^>]* data-theme="dark"', client.get("/").content.decode())
    assert client.post(reverse("choose_theme"), {"theme": "pink"}).status_code == 422
    assert Preferences.objects.get().theme == "dark"
    assert "data-theme" not in Client().get(reverse("login")).content.decode()


def test_login_opens_what_was_chosen_as_long_as_it_may_be_seen(published: Run, bob: User) -> None:
    client = Client()
    client.force_login(bob)
    use_case = published.version.use_case
    view = SavedView.objects.create(owner=bob, name="Mine", use_case=use_case, page="use_case", query="locale=fr_FR")
    log_in = {"username": "bob", "password": "password"}

    def opened() -> str:
        return str(Client().post(reverse("login"), log_in).headers["Location"])

    assert opened() == "/"
    choose(client, opens=f"use-case-{use_case.pk}")
    assert opened() == "/use-cases/fruits/"
    choose(client, opens=f"view-{view.pk}")
    assert opened() == "/use-cases/fruits/?locale=fr_FR"
    choose(client)
    assert opened() == "/"
    choose(client, opens=f"view-{view.pk}")
    bob.groups.clear()
    assert opened() == "/"


def test_settings_offer_nothing_that_the_person_may_not_see(published: Run, charlie: User, client: Client) -> None:
    client.force_login(charlie)
    assert "Fruits" not in client.get(reverse("preferences")).content.decode()
    hidden = {"language": "", "theme": "auto", "numbers": "", "opens": f"use-case-{published.version.use_case_id}"}
    assert client.post(reverse("preferences"), hidden).status_code == 422
    assert not Preferences.objects.exists()
