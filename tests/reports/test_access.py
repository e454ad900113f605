"""The one place where it is decided who may do what."""

import pytest
from django.contrib.auth.models import AnonymousUser, Group, User

from reports.access import Action, Person, batches, use_cases
from reports.ingest import seal_days, withdraw
from reports.models import ApiToken, Batch, UseCase, Version
from tests.reports.factories import document, make_version, ndjson, record_lines, segment, send

pytestmark = [pytest.mark.exact]

ALL = {"keyboard-emoji", "owned", "nobodys", "foreign"}


@pytest.fixture
def everything(db: None) -> None:
    make_version()
    make_version(slug="owned", viewer_groups=[])
    make_version(slug="nobodys", viewer_groups=[], owner_group=None)
    make_version(slug="foreign", viewer_groups=["others"], owner_group="other-owners")


@pytest.fixture
def people(everything: None, alice: User, bob: User, charlie: User) -> dict[str, Person]:
    left = User.objects.create_user("left", is_active=False, is_superuser=True)
    left.groups.set(Group.objects.all())
    both = User.objects.create_user("both")
    both.groups.set(Group.objects.filter(name__in=["keyboard", "keyboard-owners", "others"]))
    staff = User.objects.create_user("staff", is_staff=True)
    token, _secret = ApiToken.create("collector", may_ingest=True)
    revoked, _secret = ApiToken.create("revoked", may_ingest=True)
    revoked.revoked = True
    return {
        "alice": alice,
        "bob": bob,
        "charlie": charlie,
        "left": left,
        "both": both,
        "staff": staff,
        "root": User.objects.create_superuser("root"),
        "anonymous": AnonymousUser(),
        "token": token,
        "revoked": revoked,
    }


ACTIONS: tuple[Action, ...] = ("view", "edit", "upload")
# In the order of the actions.
MAY: dict[str, tuple[set[str], set[str], set[str]]] = {
    "alice": ({"keyboard-emoji", "owned"}, {"keyboard-emoji", "owned"}, {"keyboard-emoji", "owned"}),
    "bob": ({"keyboard-emoji"}, set(), set()),
    "both": ({"keyboard-emoji", "owned", "foreign"}, {"keyboard-emoji", "owned"}, {"keyboard-emoji", "owned"}),
    "root": (ALL, ALL, ALL),
    "token": (set(), set(), ALL),
    "charlie": (set(), set(), set()),
    "staff": (set(), set(), set()),
    "left": (set(), set(), set()),
    "anonymous": (set(), set(), set()),
    "revoked": (set(), set(), set()),
}


@pytest.mark.parametrize("who", MAY.keys())
def test_use_cases(people: dict[str, Person], who: str) -> None:
    for action, expected in zip(ACTIONS, MAY[who], strict=True):
        found = list(use_cases(people[who], action).values_list("slug", flat=True))
        assert set(found) == expected, action
        assert len(found) == len(set(found)) == use_cases(people[who], action).count()


def test_a_member_of_several_groups_sees_a_use_case_once(people: dict[str, Person]) -> None:
    UseCase.objects.get(slug="keyboard-emoji").viewer_groups.add(*Group.objects.all())
    assert use_cases(people["both"], "view").filter(slug="keyboard-emoji").count() == 1


# --- Batches ---


def send_for(*slugs: str) -> Batch:
    body = ndjson(document(*[segment(record_lines(3), use_case=slug) for slug in slugs]))
    return Batch.objects.get(pk=send(body).batch)


@pytest.mark.parametrize(
    ("who", "numbers"),
    [
        ("alice", {0, 1, 4}),
        ("bob", set()),
        ("charlie", set()),
        ("staff", set()),
        ("left", set()),
        ("anonymous", set()),
        ("revoked", set()),
        ("root", {0, 1, 2, 3, 4}),
        ("token", {0, 1, 2, 3, 4}),
    ],
)
def test_batches(people: dict[str, Person], who: str, numbers: set[int]) -> None:
    sent = [
        send_for("keyboard-emoji"),
        send_for("keyboard-emoji", "owned"),
        send_for("keyboard-emoji", "foreign"),
        send_for("nobodys"),
        send_for("owned"),
    ]
    withdraw(sent[4])
    found = [batch.pk for batch in batches(people[who])]
    assert set(found) == {sent[number].pk for number in numbers}
    assert len(found) == len(set(found))


def test_sealing_changes_nothing_about_who_sees_a_batch(people: dict[str, Person]) -> None:
    own, mixed = send_for("keyboard-emoji"), send_for("keyboard-emoji", "foreign")
    seal_days(Version.objects.get(use_case__slug="keyboard-emoji"))
    assert list(batches(people["alice"])) == [own]
    assert set(batches(people["root"])) == {own, mixed}
