"""Identifiers of use cases that are made from their titles."""

from itertools import count
from typing import Final

from django.utils.text import slugify

from reports.models import UseCase

_LONGEST: Final = 80
# Length of a hyphen and a number.
_NUMBER: Final = 5


def identifier_of(title: str) -> str:
    """Make an identifier of the Latin letters and digits of a title; of a title without any, the first free number."""
    return slugify(title.replace("_", " "))[:_LONGEST].strip("-") or _numbered("use-case", 1)


def free_identifier(title: str) -> str:
    """Make one that no use case has, with a number if another has what the title makes."""
    made = identifier_of(title)
    taken = UseCase.objects.filter(slug=made).exists()
    return _numbered(made[: _LONGEST - _NUMBER].strip("-"), 2) if taken else made


def _numbered(stem: str, first: int) -> str:
    taken = set(UseCase.objects.filter(slug__startswith=f"{stem}-").values_list("slug", flat=True))
    return next(slug for number in count(first) if (slug := f"{stem}-{number}") not in taken)
