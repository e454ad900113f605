"""The log of who looked at what."""

from typing import Literal, TypeAlias

from django.contrib.auth.base_user import AbstractBaseUser
from django.contrib.auth.models import AnonymousUser, User

from reports.models import UseCase, Viewing

What: TypeAlias = Literal["page", "csv", "json", "api", "words"]


def record_viewing(user: AbstractBaseUser | AnonymousUser, use_case: UseCase, what: What) -> None:
    """Note that somebody saw a histogram, on a page, as an export or through the API, or a list of accepted words."""
    Viewing.objects.create(user=user if isinstance(user, User) else None, use_case=use_case, what=what)
