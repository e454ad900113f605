"""Devices to test with: a clock that is set, a server that answers what it is told, and configurations."""

import datetime
import json
from collections.abc import Callable, Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

from aggregation.device import Answer, Device

SEED = "000102030405060708090a0b0c0d0e0f"
SERVER = "https://reports.example.org"
NOON = datetime.datetime(2026, 11, 21, 12, tzinfo=datetime.UTC)
DAY = datetime.timedelta(days=1)
# Enough for all that is in CONFIGURATION.
AGREED = Decimal(100)


def use_case(slug: str = "emoji", **changes: Any) -> dict[str, Any]:
    return {
        "slug": slug,
        "title": slug.capitalize(),
        "daily_limit": 1,
        "budget_group": None,
        "algorithm": "HadamardCountMeanSketch",
        "parameters": {"epsilon": 4, "k": 64, "m": 64, "hash": "quadratic-m31-v1", "seed": SEED},
        "normalization": "raw",
        "keep_case": False,
        "alphabet": None,
        "locales": ["und"],
    } | changes


def words(slug: str = "words", **changes: Any) -> dict[str, Any]:
    parameters = {"epsilon": 2, "k": 16, "m": 16, "fragment_epsilon": 6, "fragment_k": 16, "fragment_m": 16}
    return use_case(
        slug,
        algorithm="SequenceFragmentPuzzle",
        parameters={**parameters, "length": 10, "hash": "quadratic-m31-v1", "seed": SEED},
        normalization="word",
        alphabet={"en": "abcdefghijklmnopqrstuvwxyz", "fr": "é"},
        locales=["en", "fr"],
        **changes,
    )


def document(*use_cases: dict[str, Any], groups: dict[str, int] | None = None) -> bytes:
    """A device configuration."""
    budget_groups = [{"name": name, "daily_limit": limit} for name, limit in (groups or {}).items()]
    return json.dumps({"version": 1, "budget_groups": budget_groups, "use_cases": list(use_cases)}).encode()


# Three a day for emoji, two for energy and memory together, one word.
CONFIGURATION = document(
    use_case("emoji", daily_limit=3, normalization="emoji", locales=["en_US", "fr_FR"]),
    use_case("energy", daily_limit=2, budget_group="web", normalization="domain"),
    use_case("memory", daily_limit=2, budget_group="web", normalization="domain"),
    words(),
    groups={"web": 2},
)


class Clock:
    def __init__(self, now: datetime.datetime = NOON) -> None:
        self.now = now

    def __call__(self) -> datetime.datetime:
        return self.now

    def next_days(self, days: int = 1) -> None:
        self.now += days * DAY


class Server:
    """Remembers requests; answers well, or what `answers` says, one after the other: a status, or an error to raise."""

    def __init__(self, *answers: int | Exception, before: Callable[[], None] = lambda: None) -> None:
        self.answers, self.before = list(answers), before
        self.requests: list[tuple[str, str, dict[str, str], bytes | None]] = []

    def __call__(self, method: str, url: str, headers: Any, body: bytes | None) -> Answer:
        self.before()
        self.requests.append((method, url, dict(headers), body))
        answer = self.answers.pop(0) if self.answers else (200 if method == "GET" else 202)
        if isinstance(answer, Exception):
            raise answer
        return Answer(answer, CONFIGURATION if method == "GET" else b"{}")

    @property
    def keys(self) -> list[str]:
        return [headers["Idempotency-Key"] for _, _, headers, _ in self.requests]

    @property
    def bodies(self) -> list[bytes | None]:
        return [body for _, _, _, body in self.requests]

    def documents(self) -> Iterator[dict[str, Any]]:
        for body in self.bodies:
            assert body is not None
            yield json.loads(body)


class Bench:
    """A device with its clock and its server."""

    def __init__(self, folder: Path, *answers: int | Exception) -> None:
        self.folder, self.clock, self.server = folder, Clock(), Server(*answers)
        self.slept: list[float] = []
        self.device = Device(folder, clock=self.clock, transport=self.server, sleep=self.slept.append)

    @property
    def text(self) -> str:
        return (self.folder / "state.json").read_text(encoding="utf-8")

    def ready(self, configuration: bytes = CONFIGURATION) -> "Bench":
        self.device.opt_in(AGREED)
        self.device.configure(configuration)
        return self

    def observe(self, slug: str, count: int = 1, text: str = "www.example.org", locale: str = "und") -> None:
        for _ in range(count):
            self.device.observe(slug, text, locale)

    def send_all_due(self) -> dict[str, int]:
        """Go on by two days, send, and return the number of reports by use case."""
        self.clock.next_days(2)
        return self.send_now()

    def send_now(self) -> dict[str, int]:
        before = len(self.server.requests)
        self.device.send(SERVER, at_once=True)
        counts: dict[str, int] = {}
        for sent in list(self.server.documents())[before:]:
            for segment in sent["segments"]:
                counts[segment["use_case"]] = counts.get(segment["use_case"], 0) + len(segment["records"])
        return counts
