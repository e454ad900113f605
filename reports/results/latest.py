"""The newest of each of many use cases, in a handful of numbers."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Final

from reports.kinds import ByKind
from reports.models import UseCase, Version
from reports.publication import periods_of_each
from reports.results.counting_latest import latest_counted, single_days
from reports.results.discovery_latest import latest_searched
from reports.results.latest_result import Latest, OtherVersion
from reports.results.versions import versions_of_each

_LATEST: Final = ByKind[Callable[[Sequence[Version]], Mapping[int, Latest | None]]](
    counting=latest_counted, discovery=latest_searched
)


def latest(use_cases: Sequence[UseCase]) -> dict[int, Latest | None]:
    """Return the newest by primary key; None where nothing is shown. A fixed number of queries, if it is kept."""
    found: dict[int, Latest | None] = dict.fromkeys(use_case.pk for use_case in use_cases)
    versions = versions_of_each(use_cases)
    for read, defaults in _LATEST.groups(own[0] for own in versions):
        found |= read(defaults)
    return found | _beside_others(found, [other for _default, *others in versions for other in others])


def _beside_others(found: Mapping[int, Latest | None], others: Sequence[Version]) -> dict[int, Latest]:
    """Say which other versions counted in the locale of the newest results, the oldest first: one query."""
    places = [(other, newest.locale) for other in others if (newest := found[other.use_case_id]) is not None]
    beside: dict[int, Latest] = {}
    for periods in sorted(periods_of_each(places).values(), key=lambda each: each.version.number):
        use_case = periods.version.use_case_id
        newest = beside.get(use_case) or found[use_case]
        if newest is not None and periods.span is not None:
            other = OtherVersion(periods.version.number, *periods.span, tuple(single_days(periods, newest.last_day)))
            beside[use_case] = replace(newest, others=(*newest.others, other))
    return beside
