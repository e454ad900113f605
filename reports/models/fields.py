"""Fields that several models have."""

from typing import TYPE_CHECKING

from django.conf import settings
from django.contrib.auth.models import User
from django.db import models

if TYPE_CHECKING:
    from django.utils.functional import _StrPromise


def person_who(verbose_name: "_StrPromise", *, blank: bool = False) -> "models.ForeignKey[User | None, User | None]":
    """Return a link to the person who did something, or None: what was done stays when their account goes."""
    return models.ForeignKey(
        settings.AUTH_USER_MODEL,
        verbose_name=verbose_name,
        on_delete=models.SET_NULL,
        related_name="+",
        null=True,
        blank=blank,
    )
