"""Who may embed a page, and for how long: until a link's time or its maker's right is over."""

import datetime
import uuid
from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core import signing
from django.test import Client
from django.utils import timezone
from pytest_django import Settings

from reports import embedding
from reports.models import Run, UseCase, Viewing
from reports.web.pages.embed import embedded_page as embed
from tests.reports.web.pages.embed.links import FORM, opened, token_of
from tests.reports.web.pages.reading import PAGE, words

pytestmark = [pytest.mark.exact, pytest.mark.django_db]


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
    key, _signature = token.split(":")
    changed = token[:-1] + ("A" if token[-1] != "A" else "B")
    for other in (changed, key, "x", "a:b:c", signing.Signer(salt="another").sign(key), "é"):
        nothing(opened(other), 404)
    for unknown in (uuid.uuid4().hex, "x"):
        nothing(opened(signing.Signer(salt=embedding.SALT).sign(unknown)), 404)
    nothing(opened(token_of(alice, "top=none")), 404)
    settings.SECRET_KEY = "another"
    nothing(opened(token), 404)


def test_an_error_of_ours_is_no_unknown_page(published: Run, alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
    nothing(opened(token_of(alice, page="home")), 404)

    def broken(_use_case: UseCase, _parameters: object) -> None:
        raise KeyError("broken")

    monkeypatch.setitem(embed.PAGES, "use_case", broken)
    with pytest.raises(KeyError, match="broken"):
        opened(token_of(alice))
