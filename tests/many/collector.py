"""The collecting server: it uploads batches until each is accepted, and knows what was."""

import datetime
import json
import random
import threading
import time
import uuid
from collections import Counter
from dataclasses import dataclass, field
from http.client import HTTPConnection, HTTPException
from itertools import cycle
from typing import Any, Final

import numpy as np

from aggregation import CountMeanSketch, Estimate, Fleet, Sketch, estimate

LOCALES: Final = ("en_US", "fr_FR")
FRUITS: Final = ("apple", "banana", "cherry", "date")
SHARES: Final = (0.4, 0.3, 0.2, 0.1)
SLUG: Final = "fruits"
PARAMETERS: Final = {"epsilon": 8, "k": 256, "m": 64, "seed": "0f" * 16}
# Batches of a locale and day in a row.
BATCHES: Final = 4
# Text that no table, file or log may have afterwards.
MARKER: Final = "planted-4c1d9f"

DEFINITION: Final[list[dict[str, Any]]] = [
    {
        "slug": SLUG, "title": "Fruits", "algorithm": "CountMeanSketch", "normalization": "raw",
        "locales": list(LOCALES), "parameters": PARAMETERS, "minimum_reports": 100, "dictionary": list(FRUITS),
    }
]  # fmt: skip

Target = tuple[str, datetime.date]


@dataclass
class Collector:
    """Uploads batches from several threads at a time, each under a key of its own until the site has accepted it.

    Attributes
    ----------
    sketches : dict
        Exact sums over what was accepted, by locale and by the day on which the site says that it counts.
    answers : Counter
        Answers by status; 0 stands for none.
    """

    port: int
    token: str
    batch: int
    sketches: dict[Target, Sketch] = field(default_factory=dict)
    answers: Counter[int] = field(default_factory=Counter)
    problems: list[str] = field(default_factory=list)
    accepted: int = 0

    def __post_init__(self) -> None:
        # By another way than the site, which is what is tested.
        self.mechanism = CountMeanSketch(epsilon=8, k=256, m=64, seed=bytes.fromhex("0f" * 16))
        self._lock = threading.Lock()
        self._ended = threading.Event()
        self._threads: list[threading.Thread] = []

    def start(self, days: list[datetime.date], threads: int, pause: float) -> None:
        for number in range(threads):
            mine = [(day, locale) for day in days for locale in LOCALES][number::threads]
            self._threads.append(threading.Thread(target=self._upload_all, args=(mine, number, pause), daemon=True))
            self._threads[-1].start()

    @property
    def is_running(self) -> bool:
        return any(thread.is_alive() for thread in self._threads)

    def stop(self) -> None:
        """Accept no more; a batch that is on its way is repeated until it is answered."""
        self._ended.set()

    def _upload_all(self, targets: list[tuple[datetime.date, str]], number: int, pause: float) -> None:
        rng = np.random.default_rng(number)
        # From day to day: one for which nothing came yet is still open, and not counted meanwhile.
        for day, locale in cycle(each for each in targets for _ in range(BATCHES)):
            if self._ended.is_set():
                return
            self._upload(day, locale, rng)
            time.sleep(pause * random.random())

    def _upload(self, day: datetime.date, locale: str, rng: np.random.Generator) -> None:
        (lines,) = Fleet(self.mechanism, FRUITS, SHARES, rng).lines(self.batch)
        segment = {
            "use_case": SLUG, "locale": locale, "algorithm": "CountMeanSketch",
            "parameters": self.mechanism.encoded_parameters(),
            "records": lines,
        }  # fmt: skip
        body = json.dumps({"version": 1, "segments": [segment]}).encode()
        key = uuid.uuid4().hex
        while True:
            status, answer = self._send(day, body, key)
            with self._lock:
                self.answers[status] += 1
                if status == 202:
                    self._note(locale, answer, lines)
                    return
                if 400 <= status < 500:
                    self.problems.append(f"{status}: {answer}")
                    return
            time.sleep(0.5)

    def _note(self, locale: str, answer: dict[str, Any], lines: list[str]) -> None:
        target = locale, datetime.date.fromisoformat(answer["day"])
        sketch = self.sketches.setdefault(target, Sketch(self.mechanism, FRUITS))
        sketch.update(lines)
        self.accepted += len(lines)
        if answer["accepted"] != len(lines):
            self.problems.append(str(answer))

    def _send(self, day: datetime.date, body: bytes, key: str) -> tuple[int, dict[str, Any]]:
        headers = {
            "Authorization": f"Bearer {self.token}", "Content-Type": "application/json", "Idempotency-Key": key,
            "User-Agent": MARKER, "X-Forwarded-For": MARKER, "Forwarded": f"for={MARKER}",
        }  # fmt: skip
        connection = HTTPConnection("127.0.0.1", self.port, timeout=60)
        try:
            connection.request("POST", f"/api/v1/batches/?day={day}", body, headers)
            response = connection.getresponse()
            return response.status, json.loads(response.read())
        except (OSError, HTTPException, ValueError):
            return 0, {}
        finally:
            connection.close()

    def expected(self, locale: str, first: datetime.date, last: datetime.date) -> tuple[int, dict[str, float]]:
        """Return how many reports of a window were accepted, and the estimates that follow from exactly these."""
        whole = Sketch(self.mechanism, FRUITS)
        for (its, day), sketch in self.sketches.items():
            if its == locale and first <= day <= last:
                whole.merge(sketch)
        found: Estimate = estimate(whole, FRUITS)
        return whole.n, dict(zip(FRUITS, found.count.tolist(), strict=True))
