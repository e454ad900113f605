"""Looking for what is new at an address, and ordering that it be read."""

import datetime
import hashlib
import hmac
import logging
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from reports.bulk.place_addresses import place_at
from reports.bulk.places import Found, MissingPackage, Place
from reports.bulk.reading import is_readable
from reports.bulk.tally import forget_parts
from reports.jobs import enqueue
from reports.models import Import, ReadObject, UseCase
from reports.storage import StorageUnavailable

logger = logging.getLogger(__name__)

# For how long it is known what an import read.
KEPT = datetime.timedelta(days=90)
# Digests looked up at once.
ASKED = 5000


@dataclass(frozen=True)
class Door:
    """An address of the settings, and the use cases that reports may come from it for: every one if none is named."""

    address: str
    use_cases: tuple[UseCase, ...]
    # Named, but not there.
    unknown: tuple[str, ...]

    @property
    def use_case_ids(self) -> list[int]:
        return sorted(use_case.pk for use_case in self.use_cases)


def doors() -> list[Door]:
    """Return the addresses that are looked at by themselves, in the order of the settings."""
    named: dict[str, list[str]] = settings.LDPSITE_REPORT_SOURCES
    slugs = {slug for slugs in named.values() for slug in slugs}
    there = {each.slug: each for each in UseCase.objects.filter(slug__in=slugs, simulation_of=None)}
    return [
        Door(
            address,
            tuple(there[slug] for slug in slugs if slug in there),
            tuple(slug for slug in slugs if slug not in there),
        )
        for address, slugs in named.items()
    ]


def mark(place: Place, found: Found) -> bytes:
    """Return the keyed digest by which an object is known: of its whole address, whichever beginning led to it."""
    key = hashlib.sha256(b"ldpsite read objects\0" + settings.SECRET_KEY.encode()).digest()
    return hmac.digest(key, f"{place.address}{found.name}\0{found.size}\0{found.tag}".encode(), "sha256")


def unread(place: Place) -> Iterator[tuple[Found, bytes]]:
    """Yield the objects at a place that were not read yet, with their digests. Raises `StorageUnavailable`."""
    objects = filter(is_readable, place.found())
    while some := {mark(place, found): found for found in islice(objects, ASKED)}:
        known = {bytes(each) for each in ReadObject.objects.filter(hmac__in=some).values_list("hmac", flat=True)}
        yield from ((found, each) for each, found in some.items() if each not in known)


def start_import(
    address: str, use_case_ids: Iterable[int] = (), *, day: datetime.date | None = None, ring: bool = True
) -> Import:
    """Order that what is new at an address be read; one that is under way is returned instead of a second one."""
    with transaction.atomic():
        # An object that another call has just made is waited for, and found.
        values = {"use_case_ids": sorted(use_case_ids), "day": day}
        order, is_new = Import.objects.unfinished().get_or_create(address=address, defaults=values)
        for old in Import.objects.filter(address=address, state=Import.State.FAILED, parts__isnull=False).distinct():
            forget_parts(old)
        if is_new and ring:
            transaction.on_commit(lambda: enqueue(order))
    return order


def look_everywhere() -> None:
    """Order an import for each address of the settings at which something is new; forget old ones."""
    Import.objects.filter(finished_at__lt=timezone.now() - KEPT).delete()
    for door in doors():
        if door.unknown:
            # Their reports would be left out for good, for an object is read once.
            logger.warning("A source of reports is for use cases that are not there: %s", ", ".join(door.unknown))
        elif not Import.objects.unfinished().filter(address=door.address).exists():
            _look(door)


def _look(door: Door) -> None:
    try:
        if next(unread(place_at(door.address)), None) is not None:
            start_import(door.address, door.use_case_ids)
    except (MissingPackage, StorageUnavailable) as error:
        logger.warning("A source of reports could not be looked at (%s)", error)
