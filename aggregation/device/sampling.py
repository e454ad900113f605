"""Sampling of a day's document: a random part of what is due, within the limits. The rest is dropped."""

import datetime
from collections import Counter
from decimal import Decimal
from enum import Enum
from typing import Any, Final

from ..randomness import device_shuffle
from .configuration import Configuration
from .holding import is_under
from .state import KEPT_DAYS, Segment, State

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
        What the device remembers; it must not have sent anything on this day or a later one.
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
    due = [held for held in state.held if at_once or held.due <= now]
    state.held = [held for held in state.held if not (at_once or held.due <= now)]
    everything = [(segment, record) for held in due for segment in held.segments for record in segment["records"]]
    drawn = [(segment, record) for segment, record in everything if is_under(segment, configuration)]
    # In random order, those that come first are a uniform sample, of every limit.
    device_shuffle(drawn)
    left = {limit: limit.reports for limit in set(configuration.limit_of.values())}
    segments: dict[tuple[str, str], Segment] = {}
    epsilon = Decimal(0)
    for segment, record in drawn:
        use_case = configuration.use_cases[segment["use_case"]]
        limit, place = configuration.limit_of[use_case.slug], (use_case.slug, segment["locale"])
        if left[limit] < 1 or (place not in segments and len(segments) == MOST_SEGMENTS):
            continue
        left[limit] -= 1
        segments.setdefault(place, segment | {"records": []})["records"].append(record)
        epsilon += use_case.mechanism.report_epsilon
    if segments:
        # Counted before it leaves: what may have been sent is never given back.
        state.spent_on, state.spent_epsilon = now.date(), epsilon
    leaves = sum(len(segment["records"]) for segment in segments.values())
    dropped = {Dropped.OTHER_VERSION: len(everything) - len(drawn), Dropped.OVER_LIMIT: len(drawn) - leaves}
    return {"version": 1, "segments": list(segments.values())}, +Counter(dropped)
