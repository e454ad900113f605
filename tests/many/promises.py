"""Promises of the site, tried on what a drill has left: by the lists and searches of `tests.promises`."""

import datetime
from collections.abc import Iterator

from django.contrib.auth.models import User
from django.test import Client
from django.urls import NoReverseMatch

from ldpsite import urls
from reports.models import Batch, Run, UseCase, Viewing
from tests.many.collector import SLUG
from tests.promises.test_nothing_about_senders import TIMES_OF_RUNS, TIMES_OF_STAFF, times_since
from tests.promises.test_who_may_see_what import OF_EVERYBODY, answers, closed, not_found

# Heartbeats of workers.
TIMES_OF_WORKERS = {
    ("reports_workerheartbeat", "seen_at"),
    ("reports_workerhost", "seen_at"),
}


def broken_promises() -> Iterator[str]:
    """Yield in words what is broken: thresholds, the door to strangers, times, and the record of who looked."""
    urls.handler404 = not_found  # type: ignore[attr-defined]
    yield from _few()
    yield from _times()
    yield from _open_doors()
    yield from _unnoted()


def _few() -> Iterator[str]:
    for use_case in UseCase.objects.all():
        for version in use_case.versions.all():
            few = version.periods.exclude(pk__in=version.periods.shown(use_case.minimum_reports).values("pk"))
            yield from (f"{period} holds fewer than the minimum" for period in few)


def _times() -> Iterator[str]:
    """Look for columns with a time of this year, but those of staff and of what the site does by itself."""
    year = datetime.datetime(datetime.datetime.now(datetime.UTC).year, 1, 1, tzinfo=datetime.UTC)
    found = times_since(year) - TIMES_OF_STAFF - TIMES_OF_RUNS - TIMES_OF_WORKERS
    yield from (f"{table}.{column} holds a time" for table, column in sorted(found))


def _open_doors() -> Iterator[str]:
    """Ask every address, as a stranger and as a person of no group."""
    title = UseCase.objects.get(slug=SLUG).title.encode()
    person = Client(SERVER_NAME="127.0.0.1")
    person.force_login(User.objects.create_user("charlie"))
    run, batch = Run.objects.latest("created_at").pk, Batch.objects.values_list("pk", flat=True)[0]
    for address in closed():
        pk = batch if "batch" in address.name else run
        values = {"slug": SLUG, "pk": pk, "batch_id": batch, "locale": "en_US", "name": "fruits"}
        try:
            path = address.path({name: values.get(name, 1) for name in address.arguments})
        except NoReverseMatch:  # of objects that a drill does not make
            continue
        stranger = Client(SERVER_NAME="127.0.0.1")
        if not {*answers(stranger, path).values()} <= {302, 401, 404}:
            yield f"{address.name} is open to strangers"
        if address.name not in OF_EVERYBODY and not {*answers(person, path).values()} <= {302, 404}:
            yield f"{address.name} is open to a person of no group"
        elif address.name in OF_EVERYBODY and title in person.get(path).getvalue():
            yield f"{address.name} names a use case to a person of no group"


def _unnoted() -> Iterator[str]:
    client, reader = Client(SERVER_NAME="127.0.0.1"), User.objects.create_superuser("reader")
    client.force_login(reader)
    if client.get(f"/use-cases/{SLUG}/").status_code != 200 or not Viewing.objects.filter(user=reader).exists():
        yield "a page of results leaves no viewing"
