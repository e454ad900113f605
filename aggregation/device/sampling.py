"""What leaves the device: of what is due, a random sample within the limits of the day. The rest is dropped."""

import datetime
from collections import Counter
from decimal import Decimal
from enum import Enum
from typing import Any, Final

from aggregation.device.configuration import Configuration, Limit
from aggregation.device.holding import is_under
from aggregation.device.state import KEPT_DAYS, Segment, Spent, State
from aggregation.randomness import device_shuffle

# As many as a document may have.
MOST_SEGMENTS: Final = 64


class Dropped(Enum):
    """Why a record that was held is dropped."""

    OVER_LIMIT = "more than may be sent today"
    OTHER_VERSION = "made for a version that the configuration no longer has"
    TOO_OLD = f"from more than {KEPT_DAYS} days ago, or from a day to come"


def take_due(
    state: State, configuration: Configuration, now: datetime.datetime, *, at_once: bool
) -> tuple[dict[str, Any], Counter[Dropped]]:
    """Take what is due from what is held, and return the upload document of a sample of it; count it as sent.

    Parameters
    ----------
    state : State
        What the device remembers; it must not have sent anything on a later day.
    configuration : Configuration
        Whose limits hold. Records that were made under versions it does not have are dropped.
    now : datetime
        In UTC.
    at_once : bool
        Take everything, due or not.

    Returns
    -------
    dict
        An upload document, with as many segments as there is something for: none, perhaps.
    Counter
        How many records were dropped, by reason.
    """
    today = now.date()
    due = [held for held in state.held if at_once or held.due <= now]
    state.held = [held for held in state.held if not (at_once or held.due <= now)]
    everything = [(segment, record) for held in due for segment in held.segments for record in segment["records"]]
    drawn = [(segment, record) for segment, record in everything if is_under(segment, configuration)]
    # In random order, whoever comes first is a uniform sample, of every limit.
    device_shuffle(drawn)
    left = {limit: limit.reports - _used(state, limit, today) for limit in set(configuration.limit_of.values())}
    segments: dict[tuple[str, str], Segment] = {}
    for segment, record in drawn:
        use_case = configuration.use_cases[segment["use_case"]]
        limit, epsilon = configuration.limit_of[use_case.slug], use_case.mechanism.report_epsilon
        place = use_case.slug, segment["locale"]
        if left[limit] < 1 or not _is_agreed(state, epsilon, today):
            continue
        if place not in segments and len(segments) == MOST_SEGMENTS:
            continue
        left[limit] -= 1
        segments.setdefault(place, segment | {"records": []})["records"].append(record)
        _count(state, use_case.slug, use_case.budget_group, epsilon, today)
    leaves = sum(len(segment["records"]) for segment in segments.values())
    dropped = {Dropped.OTHER_VERSION: len(everything) - len(drawn), Dropped.OVER_LIMIT: len(drawn) - leaves}
    return {"version": 1, "segments": list(segments.values())}, +Counter(dropped)


def _used(state: State, limit: Limit, today: datetime.date) -> int:
    """Count today's reports of a limit: of its use cases, wherever they were counted, and of all that its group had."""
    members = {use_case.slug for use_case in limit.use_cases}
    return sum(
        spent.reports
        for spent in state.spent
        if spent.day == today
        and (spent.use_case in members or (limit.budget_group is not None and spent.budget_group == limit.budget_group))
    )


def _is_agreed(state: State, epsilon: Decimal, today: datetime.date) -> bool:
    """Whether one more report keeps to what the owner agreed to, whatever configurations the day has seen."""
    return state.agreed is not None and state.spent_today(today) + epsilon <= state.agreed


def _count(state: State, use_case: str, budget_group: str | None, epsilon: Decimal, today: datetime.date) -> None:
    """Count a report before it leaves: what may have been sent is never given back."""
    if state.spent_on != today:
        state.spent_on, state.spent_epsilon = today, Decimal(0)
    state.spent_epsilon += epsilon
    for spent in state.spent:
        if (spent.use_case, spent.budget_group) == (use_case, budget_group):
            spent.reports = spent.reports + 1 if spent.day == today else 1
            spent.day = today
            return
    state.spent.append(Spent(use_case, budget_group, today, 1))
