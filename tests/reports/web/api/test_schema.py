"""The API's description of itself, and requests made up from it: no answer is a 500, and all are as described."""

import io
import itertools
import json
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
import schemathesis
from django.conf import settings as django_settings
from django.contrib.auth.models import User
from django.core.management import call_command
from django.core.signals import request_finished, request_started
from django.db import close_old_connections
from django.test import Client
from django.utils import timezone
from hypothesis import HealthCheck, given, settings
from hypothesis.strategies import SearchStrategy
from schemathesis.checks import not_a_server_error
from schemathesis.generation import GenerationMode
from schemathesis.specs.openapi import checks

from ldpsite.env import BASE_DIR
from ldpsite.wsgi import application
from reports.collection.devices.definitions_in_force import read_definitions
from reports.jobs import finish_inline
from reports.models import ApiToken, Batch, DeviceRound, ProductList, ProductListVersion, TrainingRun
from reports.web.api.api_schema import openapi
from reports.web.api.api_urls import urlpatterns
from tests.conftest import logged_in
from tests.processes import clean_environment
from tests.reports import small_fleet
from tests.reports.factories import batch_of, document, make_version, ndjson, record_lines, segment, send
from tests.reports.found_words import define_search, find
from tests.reports.trained import define_task, order
from tests.reports.web.api.described import departure

pytestmark = [pytest.mark.exact, pytest.mark.django_db]

ADDRESS = "/api/v1/schema/"
CHECKS = [
    not_a_server_error,
    checks.status_code_conformance,
    checks.content_type_conformance,
    checks.response_headers_conformance,
    checks.response_schema_conformance,
]
DESCRIBED = openapi()
OPERATIONS = [(path, method) for path, methods in DESCRIBED["paths"].items() for method in methods]
QUICK = settings(
    derandomize=True, database=None, deadline=None, max_examples=6, suppress_health_check=list(HealthCheck)
)


# --- The description ---


def test_it_is_valid_and_nothing_is_left_out() -> None:
    out = io.StringIO()
    call_command("spectacular", validate=True, fail_on_warn=True, format="openapi-json", stdout=out)
    assert json.loads(out.getvalue()) == json.loads(json.dumps(DESCRIBED))
    named = [str(route.pattern) for route in urlpatterns if route.name]
    described = [path.removeprefix("/api/v1/") for path, _method in OPERATIONS]
    assert [path.count("/") for path in sorted(described)] == [path.count("/") for path in sorted(named)]
    assert len(set(described)) == len(named) >= 6


def test_it_is_for_those_who_may_sign_in(charlie: User) -> None:
    assert Client().get(ADDRESS).status_code == 401
    _token, secret = ApiToken.create("nothing")
    person = logged_in(charlie)
    for client in (person, Client(headers={"authorization": f"Bearer {secret}"})):
        response = client.get(ADDRESS)
        assert response.status_code == 200
        assert response.json()["openapi"].startswith("3.1")


def test_tokens_and_sessions_are_said_and_what_is_public() -> None:
    schemes = DESCRIBED["components"]["securitySchemes"]
    assert schemes["token"] | {"description": ""} == {"type": "http", "scheme": "bearer", "description": ""}
    assert schemes["cookieAuth"]["name"] == django_settings.SESSION_COOKIE_NAME
    public = {path for path, method in OPERATIONS if not DESCRIBED["paths"][path][method].get("security")}
    rounds = {f"/api/v1/training-tasks/{{slug}}/{what}/" for what in ("open-rounds", "rows", "contributions")}
    assert public == {"/api/v1/reports/", "/api/v1/device-configuration/"} | rounds


def test_errors_are_problems_everywhere() -> None:
    for path, method in OPERATIONS:
        for status, answer in DESCRIBED["paths"][path][method]["responses"].items():
            if status >= "400":
                assert set(answer["content"]) == {"application/problem+json"}, (path, status)
                assert answer["description"]


def _descriptions(part: object) -> Iterator[str]:
    if isinstance(part, dict):
        for name, value in part.items():
            if name in {"description", "summary", "title"} and isinstance(value, str):
                yield value
            else:
                yield from _descriptions(value)
    elif isinstance(part, list):
        for each in part:
            yield from _descriptions(each)


def test_descriptions_name_no_module_of_ours_and_load_nothing_from_elsewhere() -> None:
    said = list(_descriptions(DESCRIBED))
    assert len(said) > 30
    assert not re.search("https?://", json.dumps(DESCRIBED))
    of_the_source = re.compile(r"\b(ldpsite|reports|aggregation|django\w*)\.\w|\w\(\)|`")
    assert [words for words in said if of_the_source.search(words)] == []


def test_what_becomes_of_another_document_under_a_known_key_is_said() -> None:
    parameters = DESCRIBED["paths"]["/api/v1/reports/"]["post"]["parameters"]
    (key,) = (each for each in parameters if each["name"] == "Idempotency-Key")
    assert "Another document under a key that is known is answered with 202 as well, and dropped" in key["description"]


def test_every_kind_of_histogram_is_as_described(bob: User) -> None:
    fruits = small_fleet.define(dictionary=["apple", "banana"])
    small_fleet.send(fruits, 300)
    small_fleet.aggregate(fruits)
    # Nothing is known of an element that is added when the raw reports are gone.
    fruits.shards.all().delete()
    small_fleet.define(dictionary=["apple", "banana", "cherry"])
    find(define_search(), ["yeet", "lol"])
    client = logged_in(bob)
    for slug, more, not_counted in (("fruits", "", ["cherry"]), ("slang", "?words=all", [])):
        answer = client.get(f"/api/v1/use-cases/{slug}/histogram/{more}").json()
        assert answer["entries"]
        assert [each["element"] for each in answer["not_counted"]] == not_counted
        assert not departure(answer, "Histogram")
        assert departure(answer | {"device": "x"}, "Histogram")


def test_answers_to_what_is_right_are_as_described(alice: User) -> None:
    make_version(daily_limit=10)
    small_fleet.define()
    read_definitions.cache_clear()
    client = logged_in(alice)
    body = ndjson(document(segment([*record_lines(3), "x"])))
    stored = client.post("/api/v1/batches/", body, content_type="application/x-ndjson")
    assert not departure(stored.json(), "Receipt")
    assert not departure(client.get(stored.headers["Location"]).json(), "Batch")
    key = {"idempotency-key": "0123456789abcdef"}
    taken_in = client.post("/api/v1/reports/", body, content_type="application/json", headers=key)
    assert taken_in.status_code == 202
    assert not departure(taken_in.json(), "DeviceAnswer")
    assert not departure(client.get("/api/v1/device-configuration/").json(), "DeviceConfiguration")
    nothing_yet = client.get("/api/v1/use-cases/fruits/histogram/")
    assert nothing_yet.json()["state"] == "not-yet"
    assert not departure(nothing_yet.json(), "Problem")
    refused = client.post("/api/v1/batches/", ndjson(document(segment(["x"]))), content_type="application/x-ndjson")
    assert refused.json()["errors"]
    assert not departure(refused.json(), "Problem")


def test_documents_of_the_format_are_as_described() -> None:
    good = document(segment(record_lines(2)))
    assert not departure(good, "UploadDocument")
    for bad in (good | {"device": "x"}, document(segment([], time="x")), document(), document(segment([]), version=2)):
        assert departure(bad, "UploadDocument")


ANSWERS = """
import sys
from ldpsite.wsgi import application
from django.test import Client
assert application
status = Client(headers={"host": "localhost"}).get("/healthz").status_code
print(status, *(name in sys.modules for name in ("reports.web.api.api_schema", "drf_spectacular.generators")))
"""


def test_other_views_do_not_pay_for_it(tmp_path: Path) -> None:
    """The site starts, all its addresses known, without what makes the description."""
    environment = clean_environment(LDPSITE_DATA_DIR=str(tmp_path), LDPSITE_LOCAL_HTTP="1")
    ended = subprocess.run(
        [sys.executable, "-c", ANSWERS], cwd=BASE_DIR, env=environment, capture_output=True, text=True, check=False
    )
    assert ended.stdout.split() == ["200", "True", "False"], ended.stderr


# --- Requests made up from it ---


@pytest.fixture
def senders(db: None, alice: User) -> list[dict[str, Any]]:
    """Headers beside what is made up: of no login, of a person, and of a program."""
    client = logged_in(alice)
    cookies = {name: morsel.value for name, morsel in client.cookies.items()} | {"csrftoken": "a" * 32}
    _token, secret = ApiToken.create("both", may_ingest=True, may_read=True)
    return [
        {},
        {"headers": {"X-CSRFToken": "a" * 32}, "cookies": cookies},
        {"headers": {"Authorization": f"Bearer {secret}"}},
    ]


def _histogram_and_batch() -> Batch:
    fruits = small_fleet.define()
    small_fleet.send(fruits, 300)
    small_fleet.aggregate(fruits)
    content = {"en_US": {"elements": ["apple"], "first_day": "2026-01-01", "last_day": "2026-01-28", "n": 300}}
    ordered = ProductList.objects.create(use_case=fruits.use_case, name="order", rule="ordered", length=1)
    ProductListVersion.objects.create(product_list=ordered, number=1, locales=content, approved_at=timezone.now())
    make_version()
    read_definitions.cache_clear()
    task = define_task(slug="fruits", published=True)
    finish_inline(order(task))
    run = TrainingRun.objects.create(version=task, sealed=True, agreed={"task": {}}, seed=1)
    sizes = {"contribution_bytes": 2000, "request_bytes": 1500}
    DeviceRound.objects.create(
        run=run, purpose="train", number=1, digest="5" * 64, opened_at=timezone.now(), expected=9, **sizes
    )
    return batch_of(send(ndjson(document(segment(record_lines(3))))))


@pytest.fixture
def there(db: None) -> dict[str, dict[str, str]]:
    """Return existing values, by the name of the parameter in the path."""
    batch = _histogram_and_batch()
    run = TrainingRun.objects.get(state=TrainingRun.State.FINISHED)
    return {
        "{slug}": {"slug": "fruits"},
        "{batch_id}": {"batch_id": str(batch.pk)},
        "{id}": {"id": str(run.pk)},
        "{name}": {"slug": "fruits", "name": "order"},
    }


@pytest.fixture
def _one_connection() -> Iterator[None]:
    """Requests stay in the transaction of the test, as with Django's own client."""
    for signal in (request_started, request_finished):
        signal.disconnect(close_old_connections)
    yield
    for signal in (request_started, request_finished):
        signal.connect(close_old_connections)


@pytest.mark.usefixtures("_one_connection")
@pytest.mark.parametrize("asked", ["get", "post"])
def test_answers_are_as_described(asked: str, senders: list[dict[str, Any]], there: dict[str, dict[str, str]]) -> None:
    operations = schemathesis.openapi.from_dict(json.loads(json.dumps(DESCRIBED)))
    for path, method in OPERATIONS:
        if method == asked:
            known = [there[name] for name in there if name in path]
            statuses = answered(operations[path][method], senders, known, may_be_wrong(path, method))
            assert max(statuses) < 500
            # It got past the door: other answers came than those to people who are not known, or ask for nothing.
            assert set(statuses) - {401, 404, 406}, (path, statuses)


def may_be_wrong(path: str, method: str) -> set[str]:
    """Return where an operation has parameters whose values are not all right, as those of headers and of bytes are."""
    described = DESCRIBED["paths"][path][method]
    body = (
        {"body"} if described.get("requestBody", {}).get("content", {}).keys() - {"application/octet-stream"} else set()
    )
    return body | {each["in"] for each in described.get("parameters", ())} - {"header"}


def answered(
    operation: Any, senders: list[dict[str, Any]], known: Sequence[dict[str, str] | None], places: set[str]
) -> Counter[int]:
    """Check answers to requests that are right and wrong, of known paths and, where those are wrong, of others.

    `places` are where something can be wrong: elsewhere it takes hundreds of attempts to find out that nothing can.
    """
    statuses: Counter[int] = Counter()
    in_turn = itertools.cycle(senders)

    def try_out(case: Any) -> None:
        sender = next(in_turn)
        if "cookies" in sender:
            case.headers.pop("Authorization", None)  # a token, even a made-up one, wins over a session
        response = case.call(app=application, **sender)
        statuses[response.status_code] += 1
        case.validate_response(response, checks=CHECKS)

    right, wrong = GenerationMode.POSITIVE, GenerationMode.NEGATIVE
    tried: list[tuple[GenerationMode, dict[str, str] | None]] = [(right, values) for values in known or [None]]
    tried += [(wrong, None)] if places else []
    tried += [(wrong, values) for values in known] if places - {"path"} else []
    for mode, values in tried:
        cases: SearchStrategy[Any] = operation.as_strategy(mode, path_parameters=values)
        QUICK(given(cases)(try_out))()
    return statuses
