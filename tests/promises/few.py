"""Reports that are fewer than the minimum: how they come, what becomes of them, and where they could be seen."""

import re
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from django.apps import apps
from django.contrib import admin
from django.contrib.auth.models import User
from django.db import connection
from django.urls import reverse

from reports.collection.closing import seal_finished_days
from reports.embedding import make_token
from reports.models import Batch, Deletion, DeviceRecord, DroppedReports, UseCase, Version
from reports.models.uploads import utc_today
from reports.retention import delete_expired
from reports.web.admin.read_only import ReadOnlyAdmin
from reports.web.pages.embed.embedded_page import PAGES
from tests.conftest import logged_in
from tests.promises.addresses import Address
from tests.promises.conftest import World
from tests.reports.small_fleet import aggregate, days_ago, define, send
from tests.reports.suspicious import send_lines, suspicious_lines

# How many reports a batch has is told to those who may upload and withdraw it: here, and nowhere else.
OF_BATCHES = frozenset(
    {
        *("batch", "api_batch", "withdraw_batch", "release_batch"),
        *("admin:reports_batch_changelist", "admin:reports_batch_change"),
    }
)


# --- How fewer than the minimum come ---


def uploaded(few: Version, reports: int) -> None:
    send(few, reports, day=days_ago(1))
    aggregate(few)


def suspicious(few: Version, reports: int) -> None:
    """One of them is sent again and again."""
    send_lines(few, suspicious_lines(few, honest=reports - 300, replayed=300), day=1)
    assert few.quarantined_shards.exists()


def from_devices(few: Version, reports: int) -> None:
    (records,) = few.mechanism.split(
        few.mechanism.privatize_fleet(["apple"], np.zeros(reports, int), np.random.default_rng(1))
    ).values()
    DeviceRecord.objects.bulk_create(
        DeviceRecord(version=few, locale="en_US", stream="element", day=utc_today(), record=record.tobytes())
        for record in records
    )


# --- And what becomes of them ---


def left_alone(few: Version, alice: User) -> None:
    """Nothing happens to them."""


def deleted(few: Version, alice: User) -> None:
    """On demand, by a page that says what it did."""
    client = logged_in(alice)
    page = reverse("admin:reports_usecase_delete_reports", args=[few.use_case_id])
    told = few.shards.exists() or Deletion.objects.filter(version=few).exists()
    for answer in (client.get(page), client.post(page, follow=True)):
        assert answer.status_code == 200
        assert not shown(answer.content.decode())
    # That a few of single devices were deleted is not even a row.
    assert Deletion.objects.filter(version=few).exists() == told
    assert not few.shards.exists()
    assert not few.device_records.exists()


def expired(few: Version, alice: User) -> None:
    UseCase.objects.filter(pk=few.use_case_id).update(retention_days=1)
    few.device_records.update(day=days_ago(1))
    assert not delete_expired(UseCase.objects.get(pk=few.use_case_id))  # nothing that is told of
    assert not few.device_records.exists()
    UseCase.objects.filter(pk=few.use_case_id).update(retention_days=few.use_case.retention_days)


def dropped(few: Version, alice: User) -> None:
    """Let reports wait for a week without enough others: they are dropped."""
    few.device_records.update(day=days_ago(8))
    seal_finished_days()
    assert DroppedReports.objects.filter(version=few).exists()
    assert not few.device_records.exists()


def undecided(few: Version, alice: User) -> None:
    """Let a batch wait for a week without a decision."""
    few.quarantined_shards.update(held_since=days_ago(7))
    (deletion,) = delete_expired(few.use_case)
    assert (deletion.reason, few.quarantined_shards.exists()) == ("undecided", False)


class Case(NamedTuple):
    arrive: Callable[[Version, int], None]
    then: Callable[[Version, User], None]
    # Their number is shown here to those who upload and withdraw batches.
    told: frozenset[str] = frozenset()


# By numbers of reports that are in no other number of any page, so that one says whose it is. In this order: what is
# deleted on demand, or for its age, is all that there is by then.
CASES = {
    1_327: Case(uploaded, deleted, OF_BATCHES),
    1_279: Case(from_devices, deleted),
    1_759: Case(suspicious, undecided, OF_BATCHES),
    1_437: Case(from_devices, dropped),
    1_381: Case(from_devices, expired),
    1_219: Case(uploaded, left_alone, OF_BATCHES),
    1_637: Case(suspicious, left_alone, OF_BATCHES | {"quarantine"}),
    1_167: Case(from_devices, left_alone),
}
# All together are fewer than the minimum, and so are those that are gone and those that are there.
MINIMUM = 15_000
SUMS = [
    sum(number for number, case in CASES.items() if (case.then is left_alone) in kinds)
    for kinds in ({True}, {False}, {True, False})
]
NUMBERS = {*CASES, *SUMS}
_REST = "|".join(f"{number:,}"[1:].replace(",", r"[,. \u202f\u00a0]?") for number in NUMBERS)
# The digit first, which is quickly found.
SHOWN = re.compile(rf"[{''.join({str(number)[0] for number in NUMBERS})}](?<![\w.-].)(?:{_REST})(?![\w-])")


def shown(text: str) -> set[int]:
    """Return the numbers that are in it."""
    return {int(re.sub(r"\D", "", found)) for found in SHOWN.findall(text)} & NUMBERS


# --- Where they could be seen ---


def paths_of(few: Version, world: World, address: Address) -> set[str]:
    """Return an address with every example that is theirs."""
    if "slug" in address.arguments:
        return {address.path(world.examples.get(address.name, {}) | {"slug": few.use_case.slug})}
    if address.name in ("embed", "embed_preview"):
        made = (make_token(world.owner, few.use_case, page, "previewed=1", 1) for page in PAGES)
        return {address.path({"token": token}) for token in made}
    if address.arguments == ("pk",) and "run" in address.name and not address.name.startswith("admin:"):
        return {world.path(address), *(address.path({"pk": run.pk}) for run in few.runs.all())}
    if address.name in OF_BATCHES and not address.name.startswith("admin:"):
        batches = Batch.objects.filter(use_case_ids=[few.use_case_id])
        return {address.path(dict.fromkeys(address.arguments, batch.pk)) for batch in batches}
    if not address.name.startswith("admin:") or not address.arguments or address.name in world.examples:
        return {world.path(address)}
    _app, model, _view = address.name.removeprefix("admin:").split("_", 2)
    registered = admin.site.get_model_admin(apps.get_model("reports", model)) if _app == "reports" else None
    if not isinstance(registered, ReadOnlyAdmin):
        return {world.path(address)}
    if model == "batch":
        theirs: dict[str, object] = {"use_case_ids": [few.use_case_id]}
    else:
        theirs = {registered.use_case_path: few.use_case} if registered.use_case_path else {"pk": few.use_case_id}
    rest = {"state": "paused"} if "state" in address.arguments else {}
    found = registered.model._default_manager.filter(**theirs)
    return {address.path({**dict.fromkeys(address.arguments, each.pk), **rest}) for each in found}


def keys_above_what_is_looked_for() -> None:
    """Let no row's key be one of the numbers, as it may by then in a process that has made many."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT setval(format('%I', sequencename)::regclass, greatest(coalesce(last_value, 0), 1000000))"
            " FROM pg_sequences WHERE sequencename LIKE 'reports\\_%'"
        )


def define_few(alice: User) -> Version:
    """Let fewer than the minimum come to a use case, in every way."""
    keys_above_what_is_looked_for()
    few = define(slug="few", title="Few", minimum_reports=MINIMUM)
    for reports, case in CASES.items():
        case.arrive(few, reports)
        case.then(few, alice)
    return few
