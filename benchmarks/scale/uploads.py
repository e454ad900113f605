"""Uploads of 1,000 records over 1, 100 and 1,000 targets: processor time and statements of the whole request.

`statements` are all that the request sends to the database, BEGIN and COMMIT among them. Those `to_store` begin when
the upload is checked: two before the transaction, which look whether it is stored already and reserve names of files,
and those between BEGIN and COMMIT.

Runs inside an installation (`benchmarks.scale.__main__` makes one) and prints its rows as JSON.
"""

import datetime
import json
import uuid
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from http import HTTPStatus
from string import ascii_lowercase, ascii_uppercase

import numpy as np

from benchmarks.measuring import Row, Site, cpu_seconds, row
from benchmarks.scale.inside import define, definition, segment, set_up, version_of

RECORDS = 1_000
# Use cases and locales of each: so many targets, and objects.
SHAPES = ((1, 1), (10, 10), (10, 100))
USE_CASES, LOCALES = 10, 100
REPETITIONS = 7
TARGETS = {1: "≤ 15 ms", 1_000: "≤ 300 ms, ≤ 5 statements to store"}


def steps(site: Site) -> Iterator[Row]:
    yield from site.inside("scale.uploads")


def _measure() -> Iterator[Row]:
    define(*(definition(f"scale-{number}", locales=all_locales()) for number in range(USE_CASES)))
    upload = uploader()
    for use_cases, locales in SHAPES:
        bodies = [body_of(use_cases, locales) for _ in range(2 * REPETITIONS + 2)]
        upload(bodies.pop())  # which loads what the first upload of a process loads
        statements, stored = _statements(upload, bodies.pop())
        seconds = min(cpu_seconds(partial(upload, body)) for body in bodies[:REPETITIONS])
        floor = min(_parsed_and_sorted(body) for body in bodies[REPETITIONS:])
        targets = use_cases * locales
        yield row(
            f"upload of {RECORDS:,} records over {targets:,} targets",
            seconds,
            None,
            TARGETS.get(targets, ""),
            "the same records parsed and sorted",
            floor,
            reports=RECORDS,
        ) | {"statements": statements, "statements_to_store": stored}


def all_locales() -> list[str]:
    return [locale(number) for number in range(LOCALES)]


def locale(number: int) -> str:
    first, second = divmod(number, 26)
    return f"{ascii_lowercase[first]}{ascii_lowercase[second]}_{ascii_uppercase[second]}{ascii_uppercase[first]}"


def body_of(use_cases: int, locales: int) -> bytes:
    """Documents of a collector, which puts what it has of a target together."""
    from reports.collection.ingest import MAX_SEGMENTS
    from reports.models import Version

    versions = list(Version.objects.filter(use_case__slug__startswith="scale-").order_by("use_case__slug"))[:use_cases]
    mechanism = versions[0].mechanism
    rng = np.random.default_rng()  # records that are stored already would be recognised
    lines = mechanism.format_records(mechanism.privatize_fleet(["😂", "👍"], rng.integers(0, 2, RECORDS), rng))
    targets = use_cases * locales
    segments = []
    for target in range(targets):
        of_use_case, of_locale = divmod(target, locales)
        segments.append(segment(versions[of_use_case], locale(of_locale), lines[target::targets]))
    rng.shuffle(segments)
    documents = [segments[start : start + MAX_SEGMENTS] for start in range(0, targets, MAX_SEGMENTS)]
    return b"\n".join(json.dumps({"version": 1, "segments": each}).encode() for each in documents)


def uploader() -> Callable[..., None]:
    """Return a function that sends an upload with a token and a key, for a day if one is given."""
    from django.conf import settings
    from django.test import Client

    from reports.models import ApiToken
    from reports.models.uploads import utc_today

    settings.ALLOWED_HOSTS = ["*"]
    client, tomorrow = Client(), utc_today() + datetime.timedelta(days=1)
    _token, secret = ApiToken.create(uuid.uuid4().hex, may_ingest=True, expires_on=tomorrow)

    def upload(body: bytes, day: datetime.date | None = None) -> None:
        answer = client.post(
            "/api/v1/batches/" + (f"?day={day}" if day else ""), body, content_type="application/x-ndjson",
            headers={"Authorization": f"Bearer {secret}", "Idempotency-Key": uuid.uuid4().hex},
        )  # fmt: skip
        if answer.status_code != HTTPStatus.ACCEPTED:
            raise RuntimeError(answer.content)

    return upload


def _statements(upload: Callable[[bytes], None], body: bytes) -> tuple[int, int]:
    from django.db import connection
    from django.test.utils import CaptureQueriesContext

    with CaptureQueriesContext(connection) as captured:
        upload(body)
    return counted([each["sql"] for each in captured])


def counted(sent: Sequence[str]) -> tuple[int, int]:
    """Return how many statements an upload has sent, and how many of them store it, but for BEGIN and COMMIT."""
    first = next(place for place, sql in enumerate(sent) if "reports_uploaddigest" in sql)
    # All up to COMMIT, of which one is BEGIN.
    return len(sent), sent.index("COMMIT") - first - 1


def _parsed_and_sorted(body: bytes) -> float:
    from aggregation.encoding import sort_records

    mechanism = version_of("scale-0").mechanism

    def parse_and_sort() -> None:
        segments = [segment for line in body.split(b"\n") for segment in json.loads(line)["segments"]]
        lines = [record for segment in segments for record in segment["records"]]
        sort_records(mechanism.parse_records(lines).streams["element"])

    return cpu_seconds(parse_and_sort)


if __name__ == "__main__":
    set_up()
    print(json.dumps(list(_measure())))
