"""An event is privatised at once; only the record is held."""

import bisect
import datetime
from collections.abc import Container
from enum import Enum
from typing import Final

from ..randomness import device_below
from .configuration import Configuration, Limit, UseCase
from .state import HeldDay, Segment, State

# Events of one day and limit that are held, many times what may be sent; of more, so many are drawn at random.
MOST_HELD: Final = 250


class Observed(Enum):
    """Outcome of an event."""

    HELD = "held"
    # Drawn to be dropped, because so many are held already.
    DROPPED = "dropped"
    DORMANT = "the owner has not opted in"
    NOT_CONFIGURED = "there is no device configuration, or it costs more than the owner agreed to"
    UNKNOWN_USE_CASE = "the device configuration has no such use case"
    UNKNOWN_LOCALE = "the use case does not have this locale"
    NOT_REPORTED = "the use case does not report such a text"


def observe(
    state: State,
    use_case: str,
    text: str,
    locale: str,
    local_words: Container[str],
    now: datetime.datetime,
    longest_delay: datetime.timedelta,
) -> Observed:
    """Hold a record of an event that may be reported; the state changes only then.

    Parameters
    ----------
    state : State
        What the device remembers.
    use_case, text, locale : str
        What the event is about, what was observed, and where.
    local_words : container of str
        For words: the device's own dictionary, each as `normalization.fold_word` makes it.
    now : datetime
        In UTC. Only its day is used.
    longest_delay : timedelta
        Records of a day become due this long after its end, or at any moment between.
    """
    if state.agreed is None:
        return Observed.DORMANT
    configuration = state.in_force()
    if configuration is None:
        return Observed.NOT_CONFIGURED
    asked = configuration.use_cases.get(use_case)
    if asked is None:
        return Observed.UNKNOWN_USE_CASE
    if locale not in asked.locales:
        return Observed.UNKNOWN_LOCALE
    element = asked.element(text, locale, local_words)
    if element is None:
        return Observed.NOT_REPORTED
    record = asked.mechanism.privatize(element)
    held = _of_today(state, now, longest_delay)
    if not _make_room(held, configuration.limit_of[use_case], use_case):
        return Observed.DROPPED
    # In order of their texts, which are noise: nothing tells which event came first.
    bisect.insort(_segment(held, asked, locale)["records"], record)
    return Observed.HELD


def is_under(segment: Segment, configuration: Configuration) -> bool:
    """Tell whether a held segment is of a version that the configuration still has."""
    asked = configuration.use_cases.get(segment["use_case"])
    return asked is not None and segment["locale"] in asked.locales and _is_of(segment, asked)


def _is_of(segment: Segment, asked: UseCase) -> bool:
    """Tell whether a segment of a use case is of its version."""
    return (segment["algorithm"], segment["parameters"]) == (asked.mechanism.algorithm, asked.parameters)


def _of_today(state: State, now: datetime.datetime, longest_delay: datetime.timedelta) -> HeldDay:
    today = now.date()
    for held in state.held:
        if held.day == today:
            return held
    end = datetime.datetime.combine(today, datetime.time(), datetime.UTC) + datetime.timedelta(days=1)
    delay = datetime.timedelta(seconds=device_below(int(longest_delay.total_seconds()) + 1))
    state.held.append(HeldDay(today, end + delay))
    return state.held[-1]


def _make_room(held: HeldDay, limit: Limit, use_case: str) -> bool:
    """Count an event, and say whether its record is to be held: every event of a limit's day is with equal chance."""
    held.seen[use_case] = held.seen.get(use_case, 0) + 1
    if sum(held.seen.values()) <= MOST_HELD:
        return True
    mine = {member.slug for member in limit.use_cases}
    seen = sum(count for slug, count in held.seen.items() if slug in mine)
    if seen <= MOST_HELD:
        return True
    chosen = device_below(seen)
    if chosen >= MOST_HELD:
        return False
    for segment in held.segments:
        if segment["use_case"] in mine:
            if chosen < len(segment["records"]):
                del segment["records"][chosen]
                break
            chosen -= len(segment["records"])
    return True


def _segment(held: HeldDay, asked: UseCase, locale: str) -> Segment:
    """Return the day's segment of a version and locale, made in its place if it is the first of its kind."""
    for segment in held.segments:
        if segment["use_case"] == asked.slug and segment["locale"] == locale and _is_of(segment, asked):
            return segment
    segment = {
        "use_case": asked.slug,
        "locale": locale,
        "algorithm": asked.mechanism.algorithm,
        "parameters": asked.parameters,
        "records": [],
    }
    bisect.insort(held.segments, segment, key=lambda other: (other["use_case"], other["locale"]))
    return segment
