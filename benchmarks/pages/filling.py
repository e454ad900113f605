"""Builds the site of the benchmark in an empty database: `python -m benchmarks.pages.filling SIZE`."""

import argparse
import json
import sys
import time

import django

from benchmarks.pages.serving import add_size, size_of


def main() -> None:
    parser = argparse.ArgumentParser()
    add_size(parser)
    options = parser.parse_args()
    django.setup()
    from django.core.management import call_command
    from django.db import connection

    call_command("migrate", interactive=False, verbosity=0)
    call_command("collectstatic", interactive=False, verbosity=0)
    from benchmarks.pages.building import build
    from reports.models import Histogram, HistogramEntry

    started = time.perf_counter()
    build(size_of(options), lambda text: print(text, file=sys.stderr, flush=True))
    with connection.cursor() as cursor:
        cursor.execute("VACUUM ANALYZE")
        seconds = time.perf_counter() - started
        cursor.execute("SELECT pg_database_size(current_database())")
        (size,) = cursor.fetchone()
    counted = {"histograms": Histogram.objects.count(), "entries": HistogramEntry.objects.count()}
    print(json.dumps({"seconds": seconds, "bytes": size, **counted}))


if __name__ == "__main__":
    main()
