"""The newest of each of many use cases, in a handful of numbers."""

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from reports.kinds import ByKind
from reports.models import UseCase, Version
from reports.results.counting_latest import latest_counted
from reports.results.discovery_latest import latest_searched
from reports.results.latest_result import Latest
from reports.results.versions import default_versions

_LATEST: Final = ByKind[Callable[[Sequence[Version]], Mapping[int, Latest | None]]](
    counting=latest_counted, discovery=latest_searched
)


def latest(use_cases: Sequence[UseCase]) -> dict[int, Latest | None]:
    """Return the newest by primary key; None where nothing is shown. A fixed number of queries, if it is kept."""
    found: dict[int, Latest | None] = dict.fromkeys(use_case.pk for use_case in use_cases)
    for read, versions in _LATEST.groups(default_versions(use_cases)):
        found |= read(versions)
    return found
