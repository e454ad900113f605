"""Server time of the histogram page, in a process of its own: `python -m benchmarks.page USE_CASE` prints JSON."""

import json
import statistics
import sys
import time

from benchmarks.scale.inside import set_up

VISITS = 40


def main(slug: str) -> None:
    set_up()
    from django.contrib.auth.models import User
    from django.core.management import call_command
    from django.db import connection
    from django.test import Client
    from django.test.utils import CaptureQueriesContext

    call_command("collectstatic", interactive=False, verbosity=0)
    person, _created = User.objects.get_or_create(username="visitor", is_superuser=True, is_staff=True)
    client = Client(SERVER_NAME="localhost")
    client.force_login(person)
    address = f"/use-cases/{slug}/"

    def seconds(path: str) -> float:
        started = time.perf_counter()
        response = client.get(path)
        elapsed = time.perf_counter() - started
        if response.status_code != 200:
            raise RuntimeError(f"{path} answers {response.status_code}")
        return elapsed

    seconds(address)  # imports, templates and caches are warm in a server, too
    visits = [seconds(address) for _ in range(VISITS)]
    floor = [seconds("/healthz") for _ in range(VISITS)]
    with CaptureQueriesContext(connection) as queries:
        client.get(address)
    result = {
        "seconds": statistics.median(visits),
        "worst_seconds": max(visits),
        "queries": len(queries),
        "floor_seconds": statistics.median(floor),
    }
    print(json.dumps(result))


if __name__ == "__main__":
    main(sys.argv[1])
