"""Rate at which the web server takes in documents of single devices, beside a view that only commits a row.

The server is the one we ship, with two processes, and all of the site's middleware for both. Each round measures them
one behind the other, and the median of the rounds' ratios counts, because other work on the machine comes and goes.
"""

import json
import statistics
import uuid
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
import psycopg

from aggregation.mechanisms import mechanism_for
from benchmarks import load
from benchmarks.measuring import Row, own_site, row, web_server

ROUNDS = 7
SECONDS = 2.0
CALM_SECONDS = 10.0
FLOOR = "a view that commits a row"
ROW, REPORTS = "/benchmark/row/", "/api/v1/reports/"
# Table that benchmarks.beside_urls writes to.
CREATE_TABLE = "CREATE TABLE benchmark_row (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY)"
SEED = "000102030405060708090a0b0c0d0e0f"
DEFINITIONS: list[dict[str, Any]] = [
    {
        "slug": "device-emoji",
        "title": "Emoji of devices",
        "algorithm": "CountMeanSketch",
        "normalization": "emoji",
        "locales": ["en_US"],
        "parameters": {"epsilon": 4, "k": 65536, "m": 1024, "seed": SEED},
        "dictionary": ["😂"],
    },
    {
        "slug": "device-words",
        "title": "Words of devices",
        "algorithm": "SequenceFragmentPuzzle",
        "normalization": "word",
        "locales": ["en_US"],
        "alphabet": "abcdefghijklmnopqrstuvwxyz",
        "parameters": {
            "epsilon": 2,
            "k": 2048,
            "m": 1024,
            "fragment_epsilon": 6,
            "fragment_k": 2048,
            "fragment_m": 1024,
            "length": 10,
            "seed": SEED,
        },
    },
]
ELEMENTS = {"device-emoji": "😂", "device-words": "rendezvous"}


def documents(definition: dict[str, Any]) -> list[bytes]:
    """Documents of a thousand devices, of one record each."""
    parameters = definition["parameters"] | {"hash": "quadratic-m31-v1"}
    mechanism = mechanism_for(definition["algorithm"], parameters)
    segment = {"use_case": definition["slug"], "locale": "en_US", "algorithm": mechanism.algorithm}
    parts = mechanism.privatize_fleet([ELEMENTS[definition["slug"]]], np.zeros(1000, np.intp), np.random.default_rng(0))
    return [
        json.dumps({"version": 1, "segments": [{**segment, "parameters": parameters, "records": [line]}]}).encode()
        for line in mechanism.format_records(parts)
    ]


def requests_of(bodies: list[bytes], path: str = REPORTS) -> Iterator[bytes]:
    """A request each, in turn, under a key of its own."""
    marker = "k" * 32
    prepared = [load.request(path, body, {"Idempotency-Key": marker}).split(marker.encode()) for body in bodies]
    while True:
        for head, tail in prepared:
            yield head + uuid.uuid4().hex.encode() + tail


def steps() -> Iterator[Row]:
    with own_site() as site:
        definitions = site.folder / "devices.json"
        definitions.write_text(json.dumps(DEFINITIONS), encoding="utf-8")
        site.manage("apply_use_cases", str(definitions))
        with psycopg.connect(site.database_url, autocommit=True) as connection:
            connection.execute(CREATE_TABLE)
        with web_server(site, "--workers", "2", DJANGO_SETTINGS_MODULE="benchmarks.beside_settings") as port:
            yield from _measured(port)


def _measured(port: int) -> Iterator[Row]:
    bodies = {definition["algorithm"]: documents(definition) for definition in DEFINITIONS}
    # The floor answers these requests without a look at them.
    floor_of = partial(requests_of, bodies["CountMeanSketch"], ROW)
    senders: dict[str, Callable[[], Iterator[bytes]]] = {
        FLOOR: floor_of,
        **{name: partial(requests_of, bodies[name]) for name in bodies},
    }
    for sender in senders.values():
        load.send(port, sender(), 1)  # imports, connections and definitions are there in a server that is up
    rounds = [{name: load.send(port, sender(), SECONDS) for name, sender in senders.items()} for _ in range(ROUNDS)]
    for name in bodies:
        yield _rate_row(name, rounds)
    rate = statistics.median(each["CountMeanSketch"].per_second for each in rounds) / 2
    calm = load.send(port, senders["CountMeanSketch"](), CALM_SECONDS, per_second=rate)
    floor = load.send(port, floor_of(), CALM_SECONDS, per_second=rate)
    for share, target in ((0.5, ""), (0.99, "≤ 0.1 s")):
        step = f"device document, p{share * 100:.0f} at {rate:.0f}/s"
        yield row(step, calm.percentile(share), None, target, FLOOR, floor.percentile(share))


def _rate_row(name: str, rounds: list[dict[str, load.Load]]) -> Row:
    """Seconds between two documents; the ratio is the share of the floor's rate that is reached."""
    seconds = statistics.median(1 / each[name].per_second for each in rounds)
    floor = statistics.median(1 / each[FLOOR].per_second for each in rounds)
    found = row(f"device document, {name}", seconds, None, "≥ 0.5 of its rate", FLOOR, floor, reports=1)
    found["ratio"] = statistics.median(each[name].per_second / each[FLOOR].per_second for each in rounds)
    # Part of one core that the generator itself takes.
    found["generator"] = statistics.median(each[name].processor_seconds / each[name].seconds for each in rounds)
    return found


def main() -> None:
    for found in steps():
        print(json.dumps(found, ensure_ascii=False), flush=True)


if __name__ == "__main__":
    main()
