"""Accounts of people who log in elsewhere: known by their name there, with the rights of their groups there."""

import re
from dataclasses import dataclass
from typing import Any, Final

from django.conf import settings
from django.contrib.auth.models import Group, User
from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.db import IntegrityError, transaction
from django.http import HttpRequest

from reports.accounts.preferences import PersonBackend
from reports.models import Identity
from reports.models.validators import is_storable

# Characters that Django refuses in a user name, and the length that leaves room for a suffix that makes it unique.
_NOT_IN_NAMES: Final = re.compile(r"[^\w.@+-]")
_LONGEST_NAME: Final = 140
_LONGEST_SUBJECT: Final = 255


class NotLetIn(Exception):
    """Refusal of a person whom the provider knows. `reason` is a key of the page that says why."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class SignedOnBackend(PersonBackend):
    """Marks sessions of people who logged in elsewhere; it checks nothing, and no password."""

    def authenticate(self, request: HttpRequest | None, *credentials: Any, **named: Any) -> None:
        return None


@dataclass(frozen=True)
class Claimed:
    """Facts that a provider vouches for. The subject alone says who it is: names and addresses change hands."""

    issuer: str
    subject: str
    groups: frozenset[str]
    user_name: str = ""
    email: str = ""


@dataclass(frozen=True)
class Rights:
    """Rights that groups at the provider grant; `managed` are all groups of this site that any of them could grant."""

    groups: frozenset[str]
    managed: frozenset[str]
    is_staff: bool
    is_admin: bool

    @classmethod
    def of(cls, groups: frozenset[str]) -> "Rights":
        mapped: dict[str, list[str]] = settings.LDPSITE_SSO_GROUPS
        is_admin = not groups.isdisjoint(settings.LDPSITE_SSO_ADMIN_GROUPS)
        return cls(
            groups=frozenset(here for there in groups for here in mapped.get(there, [])),
            managed=frozenset(here for granted in mapped.values() for here in granted),
            is_staff=is_admin or not groups.isdisjoint(settings.LDPSITE_SSO_STAFF_GROUPS),
            is_admin=is_admin,
        )

    def __bool__(self) -> bool:
        return bool(self.groups) or self.is_admin


def account_of(claimed: Claimed) -> User:
    """Return the account of a person, made at their first login, with exactly the rights of their groups.

    Rights that are gone are taken away also from people who are not let in. An account that was made here has no
    identity, and so is never taken over by a name or an address. Raises `NotLetIn`.
    """
    if not 0 < len(claimed.subject) <= _LONGEST_SUBJECT or not is_storable(claimed.subject):
        raise NotLetIn("token")
    rights = Rights.of(claimed.groups)
    known = {"issuer": claimed.issuer, "subject": claimed.subject}
    identity = Identity.objects.select_related("user").filter(**known).first()
    if identity is None:
        if not rights:
            raise NotLetIn("group")
        try:
            with transaction.atomic():
                identity = Identity.objects.create(user=_new_account(claimed), **known)
        except IntegrityError:  # another browser of theirs was faster, or the name was taken meanwhile
            identity = Identity.objects.select_related("user").filter(**known).first()
            if identity is None:
                raise
    person = identity.user
    _grant(person, rights)
    if not rights:
        raise NotLetIn("group")
    if not person.is_active:
        raise NotLetIn("closed")
    if claimed.email and claimed.email != person.email:
        person.email = claimed.email
        person.save(update_fields=["email"])
    return person


@transaction.atomic
def _grant(person: User, rights: Rights) -> None:
    held = {group.name: group for group in person.groups.all()}
    person.groups.remove(*(group for name, group in held.items() if name in rights.managed - rights.groups))
    person.groups.add(*(Group.objects.get_or_create(name=name)[0] for name in rights.groups - held.keys()))
    before = (person.is_superuser, person.is_staff)
    # Staff status that was given by hand stays, unless groups decide it, or it came with being an administrator.
    if settings.LDPSITE_SSO_STAFF_GROUPS or (
        settings.LDPSITE_SSO_ADMIN_GROUPS and person.is_superuser != rights.is_admin
    ):
        person.is_staff = rights.is_staff
    if settings.LDPSITE_SSO_ADMIN_GROUPS:
        person.is_superuser = rights.is_admin
    if (person.is_superuser, person.is_staff) != before:
        person.save(update_fields=["is_superuser", "is_staff"])


def _new_account(claimed: Claimed) -> User:
    """Make an account without a password, under a name that no other has."""
    wanted = _NOT_IN_NAMES.sub("_", User.normalize_username(claimed.user_name))[:_LONGEST_NAME] or "person"
    taken = set(User.objects.filter(username__istartswith=wanted).values_list("username", flat=True))
    folded = {name.casefold() for name in taken}
    names = (wanted, *(f"{wanted}-{number}" for number in range(2, len(folded) + 3)))
    free = next(name for name in names if name.casefold() not in folded)
    return User.objects.create_user(free, claimed.email)


def address_in(value: object) -> str:
    """Return an e-mail address, or nothing if it is none."""
    address = str(value)
    try:
        validate_email(address)
    except ValidationError:
        return ""
    return address


def groups_in(value: object) -> frozenset[str]:
    """Return the groups that a claim or a header names: a list of texts, or one text."""
    if isinstance(value, str):
        return frozenset({value} if value else ())
    return frozenset(each for each in value if isinstance(each, str)) if isinstance(value, list) else frozenset()
