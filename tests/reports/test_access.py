"""Who may do what, where tokens are concerned; people are tested with the pages, the API and the admin."""

import datetime

import pytest
from django.contrib.auth.models import AnonymousUser, User

from reports import access
from reports.models import ApiToken, UseCase, Version
from reports.models.uploads import utc_today
from tests.reports.factories import make_version

pytestmark = [pytest.mark.exact, pytest.mark.django_db]


@pytest.fixture
def emoji(db: None) -> UseCase:
    return make_version().use_case


@pytest.fixture
def secret(db: None) -> UseCase:
    return make_version(slug="secret", owner_group="others").use_case


def may(token: ApiToken) -> dict[str, list[str]]:
    """The use cases, by what the token may do with them."""
    actions: tuple[access.Action, ...] = ("view", "edit", "upload")
    return {action: sorted(each.slug for each in access.use_cases(token, action)) for action in actions}


def test_tokens_may_do_what_they_say_and_no_more(emoji: UseCase, secret: UseCase) -> None:
    both = ["keyboard-emoji", "secret"]
    ingest, _secret = ApiToken.create("ingest", may_ingest=True)
    read, _secret = ApiToken.create("read", may_read=True, use_cases=[emoji])
    all_of_it, _secret = ApiToken.create("both", may_ingest=True, may_read=True, use_cases=[secret])
    nothing, _secret = ApiToken.create("nothing")
    assert may(ingest) == {"view": [], "edit": [], "upload": both}
    assert may(read) == {"view": ["keyboard-emoji"], "edit": [], "upload": []}
    assert may(all_of_it) == {"view": ["secret"], "edit": [], "upload": ["secret"]}
    assert may(nothing) == {"view": [], "edit": [], "upload": []}
    assert [access.may_upload(token) for token in (ingest, read, all_of_it, nothing)] == [True, False, True, False]
    for token in (ingest, read, all_of_it, nothing):
        assert not access.may_define(token)
        assert not access.budget_groups(token).exists()
        assert not access.owner_groups(token).exists()
        assert not access.api_tokens(token).exists()


@pytest.mark.parametrize("end", ["expired", "revoked"])
def test_a_token_that_is_void_may_do_nothing(emoji: UseCase, end: str) -> None:
    token, _secret = ApiToken.create("program", may_ingest=True, may_read=True)
    token.expires_on = utc_today() + datetime.timedelta(days=1)
    assert may(token)["view"] == may(token)["upload"] == ["keyboard-emoji"]
    if end == "expired":
        token.expires_on = utc_today()
    else:
        token.revoked = True
    assert may(token) == {"view": [], "edit": [], "upload": []}
    assert not access.may_upload(token)


def test_a_token_without_use_cases_is_for_none(emoji: UseCase, secret: UseCase) -> None:
    named, _secret = ApiToken.create("named", may_ingest=True, may_read=True, use_cases=[secret])
    none, _secret = ApiToken.create("none", may_ingest=True, may_read=True, use_cases=[])
    Version.objects.filter(use_case=secret).delete()
    secret.delete()
    for token in ApiToken.objects.all():
        assert may(token) == {"view": [], "edit": [], "upload": []}, token
        assert not access.batches(token).exists()
    later = make_version(slug="later").use_case
    assert may(none)["view"] == may(named)["view"] == []
    every, _secret = ApiToken.create("every", may_read=True)
    assert may(every)["view"] == sorted([emoji.slug, later.slug])


def test_owners_see_all_tokens_that_reach_their_own_and_revoke_those_that_are_for_nothing_else(
    emoji: UseCase, secret: UseCase, alice: User, bob: User, admin_user: User
) -> None:
    other = make_version(slug="other").use_case
    for name, use_cases in {
        "emoji": [emoji],
        "two": [emoji, other],
        "mixed": [emoji, secret],
        "secret": [secret],
        "none": [],
        "every": None,
    }.items():
        ApiToken.create(name, may_read=True, use_cases=use_cases)
    assert [token.name for token in access.api_tokens(alice)] == ["emoji", "every", "mixed", "two"]
    assert [token.name for token in access.revocable_tokens(alice)] == ["emoji", "two"]
    assert access.api_tokens(admin_user).count() == access.revocable_tokens(admin_user).count() == 6
    for stranger in (bob, AnonymousUser()):
        assert not access.api_tokens(stranger).exists()
        assert not access.revocable_tokens(stranger).exists()
    UseCase.objects.filter(pk=other.pk).update(owner_group=secret.owner_group)
    assert [token.name for token in access.api_tokens(alice)] == ["emoji", "every", "mixed", "two"]
    assert [token.name for token in access.revocable_tokens(alice)] == ["emoji"]
    UseCase.objects.update(owner_group=secret.owner_group)
    assert not access.api_tokens(alice).exists()
