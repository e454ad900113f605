"""The state that a device remembers: never a text, and of when something was observed the day and nothing finer."""

import datetime
import json
import re
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, Final, TypeAlias, TypeVar

from .configuration import Configuration, read_configuration

VERSION: Final = 1
# Its owner may look back this long at what was sent; what is held and never sent is forgotten then, too.
KEPT_DAYS: Final = 30
_KEPT: Final = datetime.timedelta(days=KEPT_DAYS)

# A segment of an upload document: use_case, locale, algorithm, parameters, records.
Segment: TypeAlias = dict[str, Any]
_SEGMENT: Final[dict[str, type[Any]]] = {
    "use_case": str,
    "locale": str,
    "algorithm": str,
    "parameters": dict,
    "records": list,
}
_KEY: Final = re.compile("(?:[0-9a-f]{32})?")


@dataclass
class HeldDay:
    """Records of the events of one day, until a moment drawn at random after its end.

    The moment is drawn once for the day, and not counted from an event: so it tells nothing about when events were, nor
    how many, and what leaves is drawn from all of them whenever the device happens to send.
    """

    day: datetime.date
    due: datetime.datetime
    # How many events each use case had; more than are held, if there were very many.
    seen: dict[str, int] = field(default_factory=dict)
    segments: list[Segment] = field(default_factory=list)

    @classmethod
    def from_json(cls, item: dict[str, Any]) -> "HeldDay":
        due = datetime.datetime.fromisoformat(item["due"])
        if due.tzinfo is None:
            raise ValueError("a moment without its zone")
        seen = {slug: _count(number) for slug, number in item["seen"].items()}
        return cls(datetime.date.fromisoformat(item["day"]), due, seen, [_segment(each) for each in item["segments"]])

    def as_json(self) -> dict[str, Any]:
        return {"day": str(self.day), "due": self.due.isoformat(), "seen": self.seen, "segments": self.segments}


@dataclass
class Sent:
    """A document that left the device, or may have: counted from the moment it was made."""

    day: datetime.date
    document: dict[str, Any]
    # "waiting" while it may be sent again under its key; then "accepted", "refused" or "given up".
    answer: str
    # Empty as soon as it is not to be sent again.
    key: str

    @classmethod
    def from_json(cls, item: dict[str, Any]) -> "Sent":
        document, answer, key = _is(dict, item["document"]), _is(str, item["answer"]), _is(str, item["key"])
        if document.keys() != {"version", "segments"} or not _KEY.fullmatch(key):
            raise ValueError("no upload document, or no key")
        document["segments"] = [_segment(each) for each in document["segments"]]
        return cls(datetime.date.fromisoformat(item["day"]), document, answer, key)

    def as_json(self) -> dict[str, Any]:
        return {"day": str(self.day), "answer": self.answer, "key": self.key, "document": self.document}

    def close(self, answer: str) -> None:
        self.answer, self.key = answer, ""


@dataclass
class State:
    """A memory. Without consent: the day and ε of the last document, the day and hash of the last configuration."""

    # The most ε a day that the owner agreed to; None if the device is dormant.
    agreed: Decimal | None = None
    # The document; and its hash and the last day on which the server gave it out, which outlive it.
    configuration: bytes | None = None
    configured_sha256: str | None = None
    configured_on: datetime.date | None = None
    held: list[HeldDay] = field(default_factory=list)
    sent: list[Sent] = field(default_factory=list)
    # The day of the last document, and what it cost, all use cases together.
    spent_on: datetime.date | None = None
    spent_epsilon: Decimal = Decimal(0)

    def in_force(self) -> Configuration | None:
        """The configuration that the device follows: none if it is dormant, or if it would cost too much."""
        if self.agreed is None or self.configuration is None:
            return None
        configuration = read_configuration(self.configuration)
        return configuration if configuration.epsilon_per_day <= self.agreed else None

    def waiting(self) -> Sent | None:
        return next((sent for sent in self.sent if sent.key), None)

    def forget(self, today: datetime.date) -> None:
        """Drop what is too old to be kept, or was made in a future to which the clock was set."""
        first, last = today - _KEPT, today + _KEPT
        self.held = [held for held in self.held if first <= held.day <= last]
        self.sent = [sent for sent in self.sent if first <= sent.day <= last]
        for sent in self.sent:
            # The server forgets keys a day after theirs, and would then count the document again.
            if sent.key and sent.day != today:
                sent.close("given up")

    def count_held(self) -> int:
        """Return how many records are held."""
        return sum(len(segment["records"]) for held in self.held for segment in held.segments)

    def spent_today(self, today: datetime.date) -> Decimal:
        """Return the ε of what was sent today, all use cases together."""
        return self.spent_epsilon if self.spent_on == today else Decimal(0)

    def opt_out(self) -> None:
        """Forget all but the days of the last document and configuration: toggling lets no other one leave or in."""
        self.agreed = self.configuration = None
        self.held, self.sent = [], []

    def to_json(self) -> str:
        content = {
            "version": VERSION,
            "epsilon_per_day": None if self.agreed is None else str(self.agreed),
            "configuration": None if self.configuration is None else self.configuration.decode(),
            "configured_sha256": self.configured_sha256,
            "configured_on": None if self.configured_on is None else str(self.configured_on),
            "held": [held.as_json() for held in self.held],
            "sent": [sent.as_json() for sent in self.sent],
            "spent_on": None if self.spent_on is None else str(self.spent_on),
            "spent_epsilon": str(self.spent_epsilon),
        }
        return json.dumps(content, separators=(",", ":"))

    @classmethod
    def from_json(cls, text: str) -> "State":
        """Read what `to_json` wrote.

        Anything else raises a ValueError, LookupError, TypeError, AttributeError, ArithmeticError or RecursionError,
        here and not where it is used.
        """
        content = json.loads(text)
        if content["version"] != VERSION:
            raise ValueError("another version")
        return cls(
            agreed=None if content["epsilon_per_day"] is None else _epsilon(content["epsilon_per_day"]),
            configuration=None if content["configuration"] is None else content["configuration"].encode(),
            configured_sha256=None if content["configured_sha256"] is None else _is(str, content["configured_sha256"]),
            configured_on=_date(content["configured_on"]),
            held=[HeldDay.from_json(item) for item in content["held"]],
            sent=[Sent.from_json(item) for item in content["sent"]],
            spent_on=_date(content["spent_on"]),
            spent_epsilon=_epsilon(content["spent_epsilon"]),
        )


_Kind = TypeVar("_Kind")


def _is(kind: type[_Kind], value: object) -> _Kind:
    if not isinstance(value, kind):
        raise TypeError(f"{kind.__name__} expected")
    return value


def _segment(item: Any) -> Segment:
    if _is(dict, item).keys() != _SEGMENT.keys():
        raise ValueError("no segment")
    for name, kind in _SEGMENT.items():
        _is(kind, item[name])
    for record in item["records"]:
        _is(str, record)
    return {**item}


def _count(number: object) -> int:
    if not 0 <= _is(int, number) < 2**63:
        raise ValueError("no count")
    return _is(int, number)


def _epsilon(text: str) -> Decimal:
    epsilon = Decimal(_is(str, text))
    if not epsilon.is_finite() or epsilon < 0:
        raise ValueError("no ε")
    return epsilon


def _date(text: str | None) -> datetime.date | None:
    return None if text is None else datetime.date.fromisoformat(text)
