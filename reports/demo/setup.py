"""Filling an empty installation with the demo, through the same doors as everybody."""

import datetime
import secrets
from collections.abc import Iterator
from pathlib import Path

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


def has_reports(version: Version) -> bool:
    return version.shards.exists() or version.read_outs.exists()


def days() -> list[datetime.date]:
    """The last complete days, oldest first."""
    today = utc_today()
    return [today - datetime.timedelta(days=back) for back in range(DAYS, 0, -1)]


def send_reports(version: Version, total: int) -> Iterator[int]:
    """Simulate a fleet and upload what it sends, a batch a day. Yields how many reports have been taken in."""
    shares = read_shares(SHARES, version)
    taken = 0
    for position, day in enumerate(days()):
        reports = total // DAYS + (position < total % DAYS)
        if not reports:
            continue
        with spool_folder() as folder:
            documents = folder / "fleet.ndjson"
            simulate(version, shares, reports, position, documents, folder / "true-counts.tsv")
            with documents.open("rb") as stream:
                receipt = ingest(Upload(stream, "ndjson"), UseCase.objects.filter(slug=SLUG), day=day)
        taken += receipt.accepted
        yield taken


def login() -> tuple[str, str]:
    """The demo's administrator and the password, drawn at random once and kept in the data folder.

    Whoever can read that folder owns the data anyway.
    """
    path = Path(settings.DATA_DIR) / "demo-password"
    if not path.exists():
        path.touch(mode=0o600)
        path.write_text(secrets.token_urlsafe(9))
    password = path.read_text().strip()
    user, created = User.objects.get_or_create(
        username=LOGIN, defaults={"is_staff": True, "is_superuser": True, "email": ""}
    )
    if created or not user.check_password(password):
        user.set_password(password)
        user.save()
    user.groups.add(*Group.objects.filter(name__in=["keyboard", "keyboard-owners"]))
    return LOGIN, password
