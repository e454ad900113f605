"""Embedded pages: made by owners, opened by anybody until their time or their maker's right is over."""

import datetime
import html
import json
import re
from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core import signing
from django.db.models import F
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from pytest_django import Settings

from reports import embedding
from reports.embedding import make_token
from reports.models import Annotation, Histogram, Run, UseCase, Version, Viewing
from reports.pages.embed import page as embed
from reports.words import Decided, decide
from tests.reports.found_words import define_search, find
from tests.reports.pages.reading import PAGE, chart, table, words
from tests.reports.small_fleet import aggregate, days_ago, send

pytestmark = [pytest.mark.exact, pytest.mark.django_db]

FORM = "/use-cases/fruits/embed/"


@pytest.fixture(autouse=True)
def _origins(settings: Settings) -> None:
    settings.LDPSITE_EMBED_ORIGINS = ["https://wiki.example.org", "https://*.example.com"]


def token_of(maker: User, query: str = "", *, page: str = "use_case", days: int = 7) -> str:
    return make_token(maker, UseCase.objects.get(slug="fruits"), page, query, days)


def opened(token: str) -> Any:
    """By a stranger."""
    return Client().get(reverse("embed", args=[token]))


def made(client: Client, query: str = "", **choices: object) -> str:
    """The path that the form gives."""
    return link_in(client.post(f"{FORM}?page=use_case&query={query}", {"days": 7, "window": "these"} | choices))


def link_in(answer: Any) -> str:
    assert answer.status_code == 200
    found = re.search(r'<a id="embed-link" href="http://testserver(/embed/[^"/]*/)"', answer.content.decode())
    assert found is not None
    return found[1]


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


def test_it_shows_what_the_page_shows(published: Run, as_alice: Client, alice: User) -> None:
    page, embedded = as_alice.get(PAGE), opened(token_of(alice))
    assert table(embedded) == table(page)
    assert json.dumps(chart(embedded)) == json.dumps(chart(page))


def reports_shown(answer: Any) -> str:
    found = re.search(r"Reports \(n\)</dt><dd>([^<]*)<", words(answer))
    assert found is not None
    return found[1]


def test_these_days_or_the_newest(published: Run, version: Version, as_alice: Client) -> None:
    these, newest = made(as_alice), made(as_alice, window="newest")
    assert reports_shown(Client().get(these)) == reports_shown(Client().get(newest)) == "800"
    send(version, 400, day=days_ago(0))
    aggregate(version)
    assert reports_shown(Client().get(these)) == "800"
    assert reports_shown(Client().get(newest)) == "1,200"


def test_where_days_are_named_there_is_nothing_to_choose(published: Run, as_alice: Client) -> None:
    day = published.first_day.isoformat()
    page = as_alice.get(f"{FORM}?page=use_case&query=from%3D{day}%26to%3D{day}")
    assert 'name="window"' not in page.content.decode()


def test_a_comparison(published: Run, alice: User) -> None:
    first, second = published.first_day.isoformat(), published.last_day.isoformat()
    query = f"locale=en_US&from={second}&to={second}&other-locale=en_US&other-from={first}&other-to={first}"
    answer = opened(token_of(alice, query, page="compare"))
    assert answer.status_code == 200
    assert {"apple", "banana", "cherry"} == set(table(answer))
    assert "Difference in points" in words(answer)
    assert chart(answer)["data"]


def test_a_trend(published: Run, alice: User) -> None:
    answer = opened(token_of(alice, "element=apple&element=banana", page="trend"))
    assert answer.status_code == 200
    text = words(answer)
    assert re.search(r'<th scope="col" class="number">apple</th> *<th scope="col" class="number">banana</th>', text)
    assert "Grey windows show nothing" in text
    assert chart(answer)["data"]


def test_an_element(published: Run, as_alice: Client, alice: User) -> None:
    annotate(published, "Release of fruit 2")
    page = as_alice.get("/use-cases/fruits/elements/?element=apple").content.decode()
    form = re.search(r'<a href="(/use-cases/fruits/embed/[^"]*)"', page)
    assert form is not None
    made_now = link_in(as_alice.post(html.unescape(form[1]), {"days": 7, "window": "these", "annotated": "on"}))
    there = Histogram.objects.count()
    answer = Client().get(made_now)
    text = words(answer)
    assert answer.status_code == 200
    assert "<h2>apple, by locale</h2>" in text
    assert "<h2>apple, by day: " in text
    assert "Grey windows show nothing" in text
    assert "<bdi>Release of fruit 2</bdi>" in text
    # Both figures, with the numbers of the page.
    figures = re.findall(r'<script id="(\w+)-figure" type="application/json">(.*?)</script>', answer.content.decode())
    shown = re.findall(r'<script id="\w+-figure" type="application/json">(.*?)</script>', page)
    assert [name for name, _figure in figures] == ["chart", "below"]
    assert [json.loads(figure) for _name, figure in figures] == [json.loads(figure) for figure in shown]
    assert Histogram.objects.count() == there
    hidden = opened(token_of(alice, "element=apple", page="element"))
    assert "Release of fruit 2" not in hidden.content.decode()


def test_an_element_that_is_none_and_a_word_that_was_rejected(alice: User) -> None:
    search = define_search()
    find(search, ["yeet", "lol"])
    token = make_token(alice, search.use_case, "element", "element=yeet", 7)
    assert "yeet" in opened(token).content.decode()
    assert "There is nothing to show yet" in words(
        opened(make_token(alice, search.use_case, "element", "element=rizz", 7))
    )
    decide(alice, search.use_case, "en_US", [Decided("yeet", "rejected")])
    assert "yeet" not in opened(token).content.decode()


def annotate(run: Run, text: str) -> None:
    Annotation.objects.create(use_case=run.version.use_case, day=run.last_day, text=text)


def test_annotations_are_shown_if_who_makes_the_link_wants_that(published: Run, as_alice: Client) -> None:
    annotate(published, "Release of <b>fruit</b> 2")
    page = f"{FORM}?page=trend&query=element%3Dapple"
    box = re.search(r'<input type="checkbox" name="annotated"[^>]*>', as_alice.get(page).content.decode())
    # Nobody publishes by leaving something as it is.
    assert box is not None
    assert "checked" not in box[0]
    for window in ("these", "newest"):
        choices = {"days": 7, "window": window}
        shown, hidden = (link_in(as_alice.post(page, choices | more)) for more in ({"annotated": "on"}, {}))
        # A link holds for what is written later, too.
        Annotation.objects.exclude(text__startswith="Release").delete()
        annotate(published, "Written later")
        answer = Client().get(shown)
        happened = re.search(r'<ol class="happened">(.*?)</ol>', words(answer))
        assert happened is not None
        said = re.findall(r"<bdi>(.*?)</bdi>", happened[1])
        assert said == ["Release of &lt;b&gt;fruit&lt;/b&gt; 2", "Written later"]
        assert marks(answer)
        answer = Client().get(hidden)
        assert "Written later" not in answer.content.decode()
        assert "fruit</b>" not in answer.content.decode()
        assert not marks(answer)


def test_what_is_about_all_use_cases_is_shown_only_by_who_may_write_it(
    published: Run, as_alice: Client, alice: User
) -> None:
    annotate(published, "Release of fruit 2")
    Annotation.objects.create(day=published.last_day, text="The site was down")
    for page in ("trend", "element"):
        form = f"{FORM}?page={page}&query=element%3Dapple%26annotated%3Dall"
        User.objects.filter(pk=alice.pk).update(is_superuser=False)
        by_owner = link_in(as_alice.post(form, {"days": 7, "window": "newest", "annotated": "on"}))
        User.objects.filter(pk=alice.pk).update(is_superuser=True)
        by_administrator = link_in(as_alice.post(form, {"days": 7, "window": "newest", "annotated": "on"}))
        unasked = link_in(as_alice.post(form, {"days": 7, "window": "newest"}))
        assert said(by_owner) == ["Release of fruit 2"]
        assert said(by_administrator) == ["Release of fruit 2", "The site was down"]
        assert said(unasked) == []
        # As long as that is so.
        User.objects.filter(pk=alice.pk).update(is_superuser=False)
        assert said(by_administrator) == ["Release of fruit 2"]
    # Of links that were made before there was a difference, too.
    assert said(reverse("embed", args=[token_of(alice, "element=apple&annotated=1", page="trend")])) == [
        "Release of fruit 2"
    ]


def said(link: str) -> list[str]:
    """The annotations that a stranger reads."""
    answer = Client().get(link)
    assert answer.status_code == 200
    assert ("The site was down" in answer.content.decode()) == ("The site was down</bdi>" in words(answer))
    happened = re.search(r'<ol class="happened">(.*?)</ol>', words(answer))
    return re.findall(r"<bdi>(.*?)</bdi>", happened[1]) if happened is not None else []


def marks(answer: Any) -> list[Any]:
    """The lines of annotations in the chart."""
    return [shape for shape in chart(answer)["layout"]["shapes"] if shape["name"] == "annotation"]


def test_links_from_before_there_was_a_choice_show_no_annotations(published: Run, alice: User) -> None:
    annotate(published, "Secret release")
    answer = opened(token_of(alice, "element=apple", page="trend"))
    assert "Secret release" not in answer.content.decode()
    assert not marks(answer)


def test_there_is_no_choice_where_nothing_is_annotated(published: Run, as_alice: Client) -> None:
    for page in ("use_case", "compare"):
        assert 'name="annotated"' not in as_alice.get(f"{FORM}?page={page}&query=").content.decode()


# --- Who may, and for how long ---


def test_viewers_make_none(published: Run, as_bob: Client, charlie: User, client: Client) -> None:
    client.force_login(charlie)
    for other in (as_bob, client):
        for method in (other.get, other.post):
            assert method(FORM).status_code == 404
    assert FORM not in as_bob.get(PAGE).content.decode()


def nothing(answer: Any, status: int) -> None:
    assert answer.status_code == status
    assert "Fruits" not in words(answer)
    assert "fruits" not in words(answer)
    assert not Viewing.objects.exists()


def test_its_time_is_over(published: Run, alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
    token = token_of(alice, days=1)
    assert opened(token).status_code == 200
    Viewing.objects.all().delete()
    moment = timezone.now() + datetime.timedelta(days=1)
    monkeypatch.setattr(timezone, "now", lambda: moment)
    answer = opened(token)
    nothing(answer, 410)
    assert "This link has expired." in words(answer)


@pytest.mark.parametrize(
    "lose",
    [
        lambda alice: alice.groups.clear(),
        lambda alice: User.objects.filter(pk=alice.pk).update(is_active=False),
        lambda alice: alice.delete(),
        lambda _alice: UseCase.objects.update(owner_group=None),
    ],
    ids=["left the group", "account closed", "account deleted", "owner changed"],
)
def test_it_dies_with_its_makers_right(published: Run, alice: User, lose: Callable[[User], object]) -> None:
    token = token_of(alice)
    lose(alice)
    nothing(opened(token), 404)


def test_expired_links_of_those_who_lost_their_right_are_as_if_never_made(published: Run, alice: User) -> None:
    token = token_of(alice, days=-1)
    nothing(opened(token), 410)
    alice.groups.clear()
    nothing(opened(token), 404)


def test_what_was_not_signed_for_this_is_nothing(published: Run, alice: User, settings: Settings) -> None:
    token = token_of(alice)
    content = signing.loads(token, salt=embedding.SALT)
    for other in (token[:-1] + ("A" if token[-1] != "A" else "B"), "x", "a:b:c", signing.dumps(content), "é"):
        nothing(opened(other), 404)
    nothing(opened(signing.dumps([content[0], "home", "", alice.pk, content[4]], salt=embedding.SALT)), 404)
    nothing(opened(token_of(alice, "top=none")), 404)
    settings.SECRET_KEY = "another"
    nothing(opened(token), 404)


# --- What a stranger's browser is told ---


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


def test_it_leads_nowhere(published: Run, alice: User) -> None:
    """No link, no form, no header of the site; and it is the same for who is logged in."""
    text = opened(token_of(alice)).content.decode()
    assert not re.search(r"<(a|form|button|input|nav)\b", text)
    client = Client()
    client.force_login(alice)
    assert "alice" not in client.get(reverse("embed", args=[token_of(alice)])).content.decode()


def test_posts_are_not_taken(published: Run, alice: User) -> None:
    assert Client().post(reverse("embed", args=[token_of(alice)])).status_code == 405


def test_opening_is_noted_under_its_makers_name(published: Run, alice: User) -> None:
    opened(token_of(alice))
    assert list(Viewing.objects.values_list("user", "what")) == [(alice.pk, "embed")]


def test_opening_often_is_noted_once_a_day(published: Run, alice: User) -> None:
    """Whoever has the link could fill the log of its maker else."""
    token = token_of(alice)
    assert [opened(token).status_code for _ in range(3)] == [200] * 3
    assert Viewing.objects.count() == 1
    Viewing.objects.update(at=timezone.now() - datetime.timedelta(days=1))
    opened(token)
    assert Viewing.objects.count() == 2


def test_opening_publishes_nothing(published: Run, alice: User, as_bob: Client) -> None:
    """Which windows are published rules out others: no stranger may choose."""
    first, last = published.first_day.isoformat(), published.last_day.isoformat()
    Histogram.objects.exclude(first_day=F("last_day")).delete()
    before = set(Histogram.objects.values_list("pk", flat=True))
    window = f"from={first}&to={last}"
    sides = f"locale=en_US&{window}&other-locale=en_US&other-from={first}&other-to={first}"
    for page, query in (("use_case", window), ("use_case", "days=2"), ("compare", sides)):
        answer = opened(token_of(alice, query, page=page))
        assert answer.status_code == 200
        assert set(Histogram.objects.values_list("pk", flat=True)) == before
    assert "There is nothing to show yet." in words(opened(token_of(alice, window)))
    Histogram.objects.filter(first_day=published.last_day).delete()
    assert opened(token_of(alice, "element=apple", page="trend")).status_code == 200
    assert Histogram.objects.count() == 1
    # Who is known may.
    as_bob.get(PAGE, {"from": first, "to": last})
    assert reports_shown(opened(token_of(alice, window))) == "800"


def test_an_error_of_ours_is_no_unknown_page(published: Run, alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
    nothing(opened(token_of(alice, page="home")), 404)

    def broken(_use_case: UseCase, _parameters: object) -> None:
        raise KeyError("broken")

    monkeypatch.setitem(embed.PAGES, "use_case", broken)
    with pytest.raises(KeyError, match="broken"):
        opened(token_of(alice))


def test_words_that_were_rejected_meanwhile_are_not_shown(found: Version, alice: User) -> None:
    pinned = make_token(alice, found.use_case, "trend", "element=yeet&element=rizz", 7)
    everything = make_token(alice, found.use_case, "use_case", "words=all", 7)
    assert all("rizz" in words(opened(token)) for token in (pinned, everything))
    decide(alice, found.use_case, "en_US", [Decided("rizz", "rejected")])
    for token in (pinned, everything):
        answer = opened(token)
        assert "yeet" in words(answer)
        assert "rizz" not in answer.content.decode()
    decide(alice, found.use_case, "en_US", [Decided("yeet", "rejected")])
    assert "yeet" not in opened(pinned).content.decode()


def test_hostile_words_are_no_markup(published: Run, alice: User) -> None:
    UseCase.objects.update(title="<script>alert(1)</script>")
    assert "<script>alert" not in opened(token_of(alice)).content.decode()


# --- States of the form ---


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
    for choices in ({"days": 365, "window": "these"}, {"days": 7, "window": "all"}, {}):
        answer = as_alice.post(FORM, choices)
        assert answer.status_code == (422 if choices else 200)
        assert 'id="embed-link"' not in answer.content.decode()
    assert as_alice.get(f"{FORM}?page=home").status_code == 404
    assert as_alice.get(f"{FORM}?page=use_case&query=top%3Dnone").status_code == 400
    answer = as_alice.post(f"{FORM}?page=use_case&query=locale%3Dnone", {"days": 7, "window": "these"})
    assert answer.status_code == 400


def test_what_can_be_embedded_has_an_address() -> None:
    assert all(reverse(page, args=["fruits"]) for page in embed.PAGES)
