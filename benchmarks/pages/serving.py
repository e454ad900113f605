"""Server time of every page, in a process of its own: `python -m benchmarks.pages.serving` prints JSON.

Requests go through the whole of Django, middleware and templates included, but through no socket: what the network and
the web server add is the same for every page. *Cold*: nothing that was computed from results is kept. *Warm*: the same
again, at once. *Computed*: what the process itself computed of a cold request, without the database and without waiting
for a processor that others have.
"""

import argparse
import json
import sys
import time
from typing import Any

import django

from ldpsite.gunicorn_config import collect_between, collect_rarely

REQUESTS = 60
# Requests to pages that can be asked in one way only.
REPEATED = 20
COUNTED = 6
LOOP_STEPS = 100_000
CHARTS = ("use_case", "compare", "trend", "element")
# New browsers, and visits with a browser that was there.
COLD_VISITS, WARM_VISITS = 3, 9


def main() -> None:
    parser = argparse.ArgumentParser()
    add_options(parser)
    parser.add_argument("--only-queries", action="store_true")
    options = parser.parse_args()
    django.setup()
    from django.core.management import call_command

    from benchmarks.pages.requests import Draw, page_names, paths
    from benchmarks.pages.site import Size, build
    from reports.models import HistogramEntries, ReadOut, UseCase

    size = Size(options.use_cases, options.locales, options.days)
    call_command("collectstatic", interactive=False, verbosity=0)
    started = time.perf_counter()
    if not UseCase.objects.exists():
        build(size)
    result: dict[str, Any] = {
        "seconds": time.perf_counter() - started,
        "read_outs": ReadOut.objects.count(),
        "entries": sum(entries.size for entries in HistogramEntries.objects.iterator()),
        "pages": {},
    }
    for name in options.page or page_names():
        asked = Asked(name, Draw(size), options.requests)
        result["pages"][name] = asked.queries() | ({} if options.only_queries else asked.times())
        print(name, file=sys.stderr, flush=True)
    charts = [name for name in CHARTS if name in result["pages"]]
    result["charts"] = {name: paths(name, Draw(size), COLD_VISITS + WARM_VISITS) for name in charts}
    result["session"] = Asked("home", Draw(size), 1).client.session.session_key
    print(json.dumps(result))


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--use-cases", type=int, default=6)
    parser.add_argument("--locales", type=int, default=4)
    parser.add_argument("--days", type=int, default=365)
    parser.add_argument("--requests", type=int, default=REQUESTS, help="different requests of each page")
    parser.add_argument("--page", action="append", default=[], help="only these, by the names of their addresses")


class Asked:
    """Asks for a page again and again."""

    def __init__(self, name: str, draw: Any, count: int) -> None:
        from django.contrib.auth.models import User
        from django.core.cache import cache
        from django.test import Client

        from benchmarks.pages.requests import asked_by, paths
        from reports.models import ApiToken, TrainingTask

        self._cache = cache
        self.client = Client(SERVER_NAME="localhost")
        self._headers: dict[str, str] = {}
        if name.startswith("api_"):
            ApiToken.objects.filter(name="benchmark").delete()
            token, secret = ApiToken.create("benchmark", may_read=True, may_ingest=True)
            token.training_tasks.set(TrainingTask.objects.all())
            self._headers = {"Authorization": f"Bearer {secret}"}
        else:
            self.client.force_login(User.objects.get(username=asked_by(name)))
        self._paths = [self._final(path) for path in paths(name, draw, count)]

    def _final(self, path: str) -> str:
        """Follow an address to where it leads, as a saved view leads to what it is of."""
        response = self.client.get(path, headers=self._headers, follow=True)
        if response.status_code != 200:
            raise RuntimeError(f"{path} answers {response.status_code}: {response.content[:300]!r}")
        return str(response.redirect_chain[-1][0]) if response.redirect_chain else path

    def _seconds(self, path: str) -> tuple[float, float]:
        """Time a request by the clock, and by what this process computed for it."""
        started, computed = time.perf_counter(), time.process_time()
        self.client.get(path, headers=self._headers)
        found = time.perf_counter() - started, time.process_time() - computed
        collect_between()  # as the web server does
        return found

    def queries(self) -> dict[str, Any]:
        """Count the most queries that some of the addresses take with nothing kept."""
        from django.db import connection
        from django.test.utils import CaptureQueriesContext

        most = 0
        for path in self._paths[:COUNTED]:
            self._cache.clear()
            with CaptureQueriesContext(connection) as captured:
                self.client.get(path, headers=self._headers)
            most = max(most, len(captured))
        return {"queries": most}

    def times(self) -> dict[str, Any]:
        cold, warm, computed, loops = [], [], [], []
        paths = self._paths if len(self._paths) > REPEATED else self._paths * -(-REPEATED // len(self._paths))
        collect_rarely()  # as the web server does
        for path in paths:
            loops.append(loop_seconds())
            self._cache.clear()
            seconds, of_process = self._seconds(path)
            cold.append(seconds)
            computed.append(of_process)
            warm.append(self._seconds(path)[0])
        worst = max(range(len(cold)), key=cold.__getitem__)
        times = {"cold": cold, "warm": warm, "computed": computed, "loops": loops}
        return {**times, "different": len(self._paths), "worst": paths[worst]}


def loop_seconds() -> float:
    """Time a loop of nothing but Python: machines are not always equally fast."""
    started = time.perf_counter()
    total = 0
    for number in range(LOOP_STEPS):
        total += number * number % 7
    return time.perf_counter() - started


if __name__ == "__main__":
    main()
