"""What the browser of the benchmark visits: `python -m benchmarks.pages.visiting SIZE` prints JSON.

A session of the visitor, the name of its cookie and addresses of pages with charts.
"""

import argparse
import json

import django

from benchmarks.pages.serving import add_size, size_of

CHARTS = ("use_case", "compare", "trend", "element")
COLD, WARM = 3, 9


def main() -> None:
    parser = argparse.ArgumentParser()
    add_size(parser)
    options = parser.parse_args()
    django.setup()
    from django.contrib.auth.models import User
    from django.test import Client

    from benchmarks.pages.definitions import VISITOR
    from benchmarks.pages.drawing import Draw
    from benchmarks.pages.requests import page_names, paths

    client = Client(SERVER_NAME="localhost")
    client.force_login(User.objects.get(username=VISITOR))
    size = size_of(options)
    visited = {name: paths(name, Draw(size), COLD + WARM) for name in CHARTS if name in page_names()}
    print(json.dumps({"session": client.session.session_key, "paths": visited, "cold": COLD}))


if __name__ == "__main__":
    main()
