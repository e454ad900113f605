"""The lock of a version's publications: held while periods are cut, and while what is shown of them is replaced."""

from collections.abc import Iterable

from reports.locks import Lock, lock_until_commit
from reports.models import UseCase, Version


def lock_publications(version: Version) -> None:
    """Wait for the exclusive right to cut periods of the version, and hold it until the transaction ends."""
    lock_until_commit(Lock.PUBLICATIONS, [version.pk])


def lock_publications_of(use_cases: Iterable[UseCase]) -> None:
    """Lock the publications of all versions of use cases until the transaction ends.

    To be called before rows of use cases are locked, which runs do last.
    """
    versions = Version.objects.filter(use_case__in=use_cases)
    lock_until_commit(Lock.PUBLICATIONS, versions.values_list("pk", flat=True))
