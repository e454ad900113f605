"""Filling an empty installation with the demo, through the same doors as everybody."""

import datetime
import secrets
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from django.conf import settings
from django.contrib.auth.models import Group, User

from reports.definitions import apply_definitions, read_definitions
from reports.ingest import Upload, ingest
from reports.models import UseCase, Version
from reports.models.uploads import utc_today
from reports.simulation import read_shares, simulate
from reports.storage import spool_folder

DATA = Path(__file__).parent
SHARES = DATA / "emoji_share_by_locale.tsv"
SLUG = "keyboard-emoji"
LOGIN = "demo"
# A week, so that there is something to choose from.
DAYS = 7


def define() -> Version:
    """Apply the demo's definitions; changes nothing the second time."""
    apply_definitions(read_definitions(DATA / "use_cases.json"))
    version = UseCase.objects.get(slug=SLUG).active_version()
    if version is None:  # the definitions have just made one
        raise RuntimeError(SLUG)
    return version


def days() -> list[datetime.date]:
    """The last complete days, oldest first."""
    today = utc_today()
    return [today - datetime.timedelta(days=back) for back in range(DAYS, 0, -1)]


class Load(NamedTuple):
    """What the fleet sends on a day."""

    day: datetime.date
    reports: int
    seed: int


def missing_loads(version: Version, total: int) -> list[Load]:
    """Those that are not stored: all at first, none once a week is complete, some after an interrupted start.

    A day is stored whole or not at all.
    """
    there = {*version.shards.values_list("day", flat=True), *version.read_outs.values_list("day", flat=True)}
    if len(there) >= min(DAYS, total):  # perhaps of an earlier week
        return []
    loads = [Load(day, total // DAYS + (seed < total % DAYS), seed) for seed, day in enumerate(days())]
    return [load for load in loads if load.reports and load.day not in there]


def send_reports(version: Version, loads: list[Load]) -> Iterator[int]:
    """Simulate a fleet and upload what it sends, a batch a day. Yields how many reports have been taken in."""
    shares = read_shares(SHARES, version)
    taken = 0
    for load in loads:
        with spool_folder() as folder:
            documents = folder / "fleet.ndjson"
            simulate(version, shares, load.reports, load.seed, documents, folder / "true-counts.tsv")
            with documents.open("rb") as stream:
                receipt = ingest(Upload(stream, "ndjson"), UseCase.objects.filter(slug=SLUG), day=load.day)
        taken += receipt.accepted
        yield taken


def login() -> str:
    """How the demo's administrator signs in, in words.

    The password is drawn at random once and kept in the data folder: whoever can read that owns the data anyway.
    A user of that name who has another password was given it by somebody, and keeps it.
    """
    password = _password()
    user = User.objects.filter(username=LOGIN).first()
    if user is None:
        user = User.objects.create_superuser(LOGIN, password=password)
    user.groups.add(*Group.objects.filter(name__in=["keyboard", "keyboard-owners"]))
    if not user.check_password(password):
        return f"user {LOGIN}, with the password you chose"
    return f"user {LOGIN}, password {password}"


def _password() -> str:
    path = Path(settings.DATA_DIR) / "demo-password"
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        # Complete before it has its name. Its mode is 0600.
        with tempfile.NamedTemporaryFile("w", dir=path.parent, delete=False) as new:
            new.write(secrets.token_urlsafe(9))
        Path(new.name).replace(path)
    return path.read_text().strip()
