"""Use cases as commands name them."""

from django.core.management.base import CommandError

from reports.models import UseCase


def use_case_named(slug: str) -> UseCase:
    """Return the use case with an identifier. Raises `CommandError` if there is none."""
    found = UseCase.objects.filter(slug=slug).first()
    if found is None:
        raise CommandError(f"There is no use case {slug!r}.")
    return found
