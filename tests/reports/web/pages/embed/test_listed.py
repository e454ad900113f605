"""Owners see every link to an embedded page of their use case, and revoke them one by one."""

import datetime

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from reports.embedding import KEPT_DAYS, forget_old_links, read_token
from reports.models import EmbedLink, EmbedViews, Run, Viewing
from reports.models.uploads import utc_today
from tests.reports.web.pages.embed.links import made, opened, token_of
from tests.reports.web.pages.reading import PAGE, words

pytestmark = [pytest.mark.exact, pytest.mark.django_db]

LIST = "/use-cases/fruits/embed-links/"


def revoking(token: str) -> str:
    return reverse("revoke_embed_link", args=["fruits", read_token(token).pk])


def test_owners_see_who_made_which_link_and_when_it_was_opened(published: Run, as_alice: Client) -> None:
    assert LIST in as_alice.get(PAGE).content.decode()
    assert "There is no link" in words(as_alice.get(LIST))
    token = made(as_alice, "locale=en_US").split("/")[2]
    listed = words(as_alice.get(LIST))
    for text in ("histogram", "locale=en_US", "alice", f"…{token[-6:]}", "never"):
        assert text in listed
    # The key of the row opens nothing: the list gives no link away.
    assert token not in as_alice.get(LIST).content.decode()
    assert opened(token).status_code == 200
    assert EmbedLink.objects.get().last_opened == utc_today()
    assert "never" not in words(as_alice.get(LIST))


def test_of_strangers_a_number_for_each_day_is_kept_and_nothing_else(
    published: Run, alice: User, as_alice: Client
) -> None:
    token = token_of(alice)
    before = set(EmbedLink.objects.values_list().get())
    opened(token)
    assert set(EmbedLink.objects.values_list().get()) - before == {utc_today()}
    yesterday = utc_today() - datetime.timedelta(days=1)
    EmbedLink.objects.update(last_opened=yesterday)
    EmbedViews.objects.update(day=yesterday)
    opened(token)
    opened(token)
    assert EmbedLink.objects.get().last_opened == utc_today()
    assert {*EmbedViews.objects.values_list("day", "number")} == {(yesterday, 1), (utc_today(), 2)}
    assert "3 times" in words(as_alice.get(LIST))


def test_a_link_is_revoked_alone(published: Run, alice: User, as_alice: Client) -> None:
    token, other = token_of(alice), token_of(alice, "top=1")
    page = revoking(token)
    assert as_alice.get(page).status_code == 200
    assert opened(token).status_code == 200
    assert as_alice.post(page).headers["Location"] == LIST
    assert opened(other).status_code == 200
    assert as_alice.post(page).status_code == 404
    Viewing.objects.all().delete()
    revoked, wrong = opened(token), opened("x")
    assert (revoked.status_code, revoked.content) == (wrong.status_code, wrong.content) == (404, wrong.content)
    assert not Viewing.objects.exists()


def test_revoked_after_its_end_it_is_a_wrong_link(published: Run, alice: User, as_alice: Client) -> None:
    token = token_of(alice, days=-1)
    assert opened(token).status_code == 410
    assert "expired" in words(as_alice.get(LIST))
    as_alice.post(reverse("revoke_embed_link", args=["fruits", EmbedLink.objects.get().pk]))
    assert opened(token).status_code == 404


def test_other_owners_revoke_it_and_viewers_do_not_see_it(
    published: Run, alice: User, as_alice: Client, as_bob: Client, admin_user: User
) -> None:
    token = token_of(admin_user)
    page = revoking(token)
    assert [as_bob.get(LIST).status_code, as_bob.get(page).status_code, as_bob.post(page).status_code] == [404] * 3
    assert LIST not in as_bob.get(PAGE).content.decode()
    assert as_alice.post(page).status_code == 302
    assert opened(token).status_code == 404


def test_links_of_those_who_own_it_no_more_are_listed_as_dead(published: Run, bob: User, as_alice: Client) -> None:
    token = token_of(bob)
    assert opened(token).status_code == 404
    assert "It shows nothing: its maker is no owner any more." in words(as_alice.get(LIST))


def test_many_links_of_a_person_are_no_more_queries(
    published: Run, alice: User, as_alice: Client, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    token_of(alice)
    as_alice.get(LIST)
    with CaptureQueriesContext(connection) as one:
        as_alice.get(LIST)
    for top in range(1, 5):
        token_of(alice, f"top={top}")
    with django_assert_num_queries(len(one)):
        assert words(as_alice.get(LIST)).count("?top=") == 4


def test_links_that_ended_long_ago_are_forgotten(published: Run, alice: User) -> None:
    for days in (1, None, -1, -KEPT_DAYS - 1):
        token_of(alice, days=days)
    forget_old_links()
    assert EmbedLink.objects.count() == 3
    ended = timezone.now() - datetime.timedelta(days=KEPT_DAYS)
    assert not EmbedLink.objects.filter(until__lt=ended).exists()
