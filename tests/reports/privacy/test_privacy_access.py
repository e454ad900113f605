"""Whose page is whose: the privacy page, and the numbers of people and programs on it."""

import pytest
from django.contrib.auth.models import AnonymousUser, Group, User

from reports import access
from reports.models import ApiToken, UseCase
from tests.conftest import make_user
from tests.reports.factories import make_version
from tests.reports.small_fleet import days_ago

pytestmark = [pytest.mark.exact, pytest.mark.django_db]


@pytest.fixture
def everything(db: None) -> list[UseCase]:
    make_version()
    make_version(slug="owned", viewer_groups=[])
    make_version(slug="nobodys", viewer_groups=[], owner_group=None)
    make_version(slug="foreign", viewer_groups=["others"], owner_group="other-owners")
    UseCase.objects.filter(slug="foreign").update(privacy_published=True)
    return list(UseCase.objects.all())


@pytest.fixture
def people(everything: list[UseCase], alice: User, bob: User, charlie: User) -> list[User]:
    root, left = make_user("root"), make_user("left")
    User.objects.filter(username__in=["root", "left"]).update(is_superuser=True)
    left.groups.set(Group.objects.all())
    User.objects.filter(pk=left.pk).update(is_active=False)
    both = make_user("both", "keyboard", "keyboard-owners", "others")
    for user in (root, left):
        user.refresh_from_db()
    return [alice, bob, charlie, root, left, both]


def test_people_are_those_whom_the_rule_lets_in(everything: list[UseCase], people: list[User]) -> None:
    for use_case in everything:
        for action in ("view", "edit"):
            allowed = {one for one in people if use_case in access.use_cases(one, action)}
            assert set(access.people(use_case, action)) == allowed
            assert access.people(use_case, action).count() == len(allowed) > 0


def test_reading_tokens_are_those_whom_the_rule_lets_in(everything: list[UseCase]) -> None:
    one = everything[0]
    ApiToken.create("every", may_read=True)
    ApiToken.create("two", may_read=True, use_cases=everything[:2])
    ApiToken.create("none", may_read=True, use_cases=[])
    ApiToken.create("ingest", may_ingest=True, use_cases=[one])
    ApiToken.create("void", may_read=True, expires_on=days_ago(0))
    ApiToken.create("last-day", may_read=True, expires_on=days_ago(-1))
    ApiToken.create("revoked", may_read=True, use_cases=[one])
    ApiToken.objects.filter(name="revoked").update(revoked=True)
    for use_case in everything:
        allowed = {token for token in ApiToken.objects.all() if use_case in access.use_cases(token, "view")}
        assert set(access.reading_tokens(use_case)) == allowed
        assert access.reading_tokens(use_case).count() == len(allowed) >= 2


def test_a_published_page_is_everybodys(everything: list[UseCase], people: list[User]) -> None:
    void, _secret = ApiToken.create("void", may_read=True, expires_on=days_ago(0))
    everybody: list[access.Person] = [*people, AnonymousUser(), void]
    for person in everybody:
        readable = set(access.use_cases(person, "privacy"))
        published = UseCase.objects.get(slug="foreign")
        assert readable == {*access.use_cases(person, "view"), published}
        # It gives no right to see results.
        assert (published in access.use_cases(person, "view")) is (getattr(person, "username", "") in {"root", "both"})


def test_taken_back_it_is_so_no_more(everything: list[UseCase], charlie: User) -> None:
    UseCase.objects.update(privacy_published=False)
    for person in (charlie, AnonymousUser()):
        assert not access.use_cases(person, "privacy").exists()
