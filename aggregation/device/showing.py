"""Words for a device's owner about all that it remembers."""

import datetime
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

from .state import KEPT_DAYS, Segment, State


def counted(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"


def cost(state: State, today: datetime.date) -> str:
    """Say what today's sending has cost, and how much it may."""
    spent = f"ε: today {state.spent_today(today):f}"
    return f"{spent}." if state.agreed is None else f"{spent} of the {state.agreed:f} you agreed to."


def numbers(state: State, today: datetime.date) -> dict[str, Any]:
    """Return what `summary` says besides what is held and sent, for programs."""
    return {
        "epsilon_agreed": None if state.agreed is None else float(state.agreed),
        "epsilon_today": float(state.spent_today(today)),
        "configuration_sha256": state.configured_sha256,
        "configured_on": None if state.configured_on is None else str(state.configured_on),
        "last_document_on": None if state.spent_on is None else str(state.spent_on),
        "epsilon_of_last_document": float(state.spent_epsilon),
    }


def summary(state: State, today: datetime.date) -> Iterator[str]:
    """Yield lines that say what was agreed to, what is held, and what was sent, without the records."""
    yield "Dormant: the owner has not opted in." if state.agreed is None else "Opted in."
    yield cost(state, today)
    if state.agreed is not None:
        configuration = state.in_force()
        if configuration is None:
            yield "Device configuration: none."
        else:
            price = f"costs at most ε = {configuration.epsilon_per_day:f} a day, SHA-256 {configuration.sha256}"
            yield f"Device configuration of {state.configured_on}: {price}."
    yield from _titled("Held", _held(state))
    yield from _titled(f"Sent in the last {KEPT_DAYS} days", _sent(state))
    yield from _titled("Kept, also after opting out", _kept(state))


def _titled(title: str, lines: Iterable[str]) -> Iterator[str]:
    found = list(lines)
    yield f"{title}:" if found else f"{title}: nothing."
    yield from (f"  {line}" for line in found)


def _held(state: State) -> Iterator[str]:
    for held in state.held:
        yield f"{held.day}: {_by_use_case(held.segments, 'record')}; due {held.due:%Y-%m-%d %H:%M} (UTC)"


def _sent(state: State) -> Iterator[str]:
    for sent in state.sent:
        yield f"{sent.day}: {_by_use_case(sent.document['segments'], 'report')}; {sent.answer}"


def _kept(state: State) -> Iterator[str]:
    if state.spent_on is not None:
        yield f"last document: {state.spent_on}, ε = {state.spent_epsilon:f}"
    if state.configured_on is not None:
        yield f"last device configuration: {state.configured_on}, SHA-256 {state.configured_sha256}"


def _by_use_case(segments: Iterable[Segment], what: str) -> str:
    numbers = Counter[str]()
    for segment in segments:
        numbers[f"{segment['use_case']} ({segment['locale']})"] += len(segment["records"])
    return ", ".join(f"{counted(number, what)} for {place}" for place, number in numbers.items())
