"""Server time of every page, in a process of its own: `python -m benchmarks.pages.serving SIZE` prints JSON.

Requests go through the whole of Django, middleware and templates included, but through no socket: what the network and
the web server add is the same for every page. *Cold*: nothing that was computed from results is kept. *Warm*: the same
again, at once.
"""

import argparse
import datetime
import gc
import json
import sys
import time
from typing import Any

import django

REQUESTS = 60
# What can be asked in one way only is asked so often.
REPEATED = 20
COUNTED = 6
LOOP_STEPS = 100_000


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--requests", type=int, default=REQUESTS)
    parser.add_argument("--only-queries", action="store_true")
    parser.add_argument("--page", action="append", help="only these")
    add_size(parser)
    options = parser.parse_args()
    django.setup()
    from benchmarks.pages.drawing import Draw
    from benchmarks.pages.requests import page_names

    size = size_of(options)
    found = {}
    for name in options.page or page_names():
        asked = Asked(name, Draw(size), options.requests)
        found[name] = asked.queries() | ({} if options.only_queries else asked.times())
        print(name, file=sys.stderr, flush=True)
    print(json.dumps(found))


def add_size(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--use-cases", type=int, default=100)
    parser.add_argument("--locales", type=int, default=20)
    parser.add_argument("--days", type=int, default=365)


def size_of(options: argparse.Namespace) -> Any:
    """As asked for. The days of a site end yesterday, or the day before it was built."""
    from benchmarks.pages.sizes import Size
    from reports.models import Sealing
    from reports.models.uploads import utc_today

    newest = Sealing.objects.order_by("-day").values_list("day", flat=True).first()
    last = newest or utc_today() - datetime.timedelta(days=1)
    return Size(options.use_cases, options.locales, options.days, last)


class Asked:
    """Asks for a page again and again."""

    def __init__(self, name: str, draw: Any, count: int) -> None:
        from django.contrib.auth.models import User
        from django.core.cache import cache
        from django.test import Client

        from benchmarks.pages.requests import asked_by, paths
        from reports.models import ApiToken

        self._cache = cache
        self._client = Client(SERVER_NAME="localhost")
        self._headers: dict[str, str] = {}
        if name.startswith("api_"):
            ApiToken.objects.filter(name="benchmark").delete()
            _token, secret = ApiToken.create("benchmark", may_read=True, may_ingest=True)
            self._headers = {"Authorization": f"Bearer {secret}"}
        else:
            self._client.force_login(User.objects.get(username=asked_by(name)))
        self._paths = [self._final(path) for path in paths(name, draw, count)]

    def _final(self, path: str) -> str:
        """Where one is led from there: every view has one address. A saved view leads to what it is of."""
        for _ in range(3):
            response = self._client.get(path, headers=self._headers)
            if response.status_code not in {301, 302}:
                if response.status_code != 200:
                    raise RuntimeError(f"{path} answers {response.status_code}: {response.content[:300]!r}")
                return path
            path = response["Location"]
        raise RuntimeError(f"{path} leads on and on")

    def _seconds(self, path: str) -> float:
        started = time.perf_counter()
        response = self._client.get(path, headers=self._headers)
        elapsed = time.perf_counter() - started
        if response.status_code != 200:
            raise RuntimeError(f"{path} answers {response.status_code}")
        return elapsed

    def queries(self) -> dict[str, Any]:
        """The most queries that some of the addresses take with nothing kept, and what they are."""
        from django.db import connection
        from django.test.utils import CaptureQueriesContext

        most, slowest = 0, ("", 0.0)
        for path in self._paths[:COUNTED]:
            self._cache.clear()
            with CaptureQueriesContext(connection) as captured:
                self._client.get(path, headers=self._headers)
            most = max(most, len(captured))
            for query in captured.captured_queries:
                if float(query["time"]) > slowest[1]:
                    slowest = query["sql"], float(query["time"])
        return {"queries": most, "slowest_query": slowest[0][:3000], "slowest_query_seconds": slowest[1]}

    def times(self) -> dict[str, Any]:
        cold, warm, loops = [], [], []
        paths = self._paths if len(self._paths) > REPEATED else self._paths * -(-REPEATED // len(self._paths))
        gc.collect()
        gc.freeze()  # as the web server does

        for path in paths:
            loops.append(loop_seconds())
            self._cache.clear()
            cold.append(self._seconds(path))
            warm.append(self._seconds(path))
        worst = max(range(len(cold)), key=cold.__getitem__)
        return {"cold": cold, "warm": warm, "loops": loops, "different": len(self._paths), "worst": paths[worst]}


def loop_seconds() -> float:
    """How long a loop of nothing but Python takes just now: machines are not always equally fast."""
    started = time.perf_counter()
    total = 0
    for number in range(LOOP_STEPS):
        total += number * number % 7
    return time.perf_counter() - started


if __name__ == "__main__":
    main()
