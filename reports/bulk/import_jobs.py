"""Imports as jobs: a part takes one object in, block by block, and is killed at any time without harm.

A block is stored under an Idempotency-Key made of the object's digest, in one transaction; a part that is done again
begins with the first block that it had not noted, and what was stored but not noted is recognised by its key.
"""

import datetime
from collections.abc import Iterable

from django.db import transaction

from reports.bulk.looking import unread
from reports.bulk.place_addresses import place_at
from reports.bulk.places import Found, Gone
from reports.bulk.reading import day_in, uploads
from reports.bulk.tally import Tally, forget_parts
from reports.collection.ingest import Key, Receipt, Refusal, Upload, UploadRefused, ingest
from reports.jobs import JobType, end, hand_in, hold
from reports.models import Import, ImportPart, ReadObject, UseCase
from reports.storage import StorageUnavailable


class ImportJobs(JobType[Import, ImportPart]):
    model = Import
    # A large object takes hours, and a worker that is alive goes on with it.
    longest = datetime.timedelta(hours=12)

    def cut(self, job: Import) -> Iterable[ImportPart]:
        for found, digest in unread(place_at(job.address)):
            yield ImportPart(order=job, name=found.name, size=found.size, tag=found.tag, hmac=digest)

    def do(self, part: ImportPart) -> None:
        place, found = place_at(part.order.address), Found(part.name, part.size, part.tag)
        tally = Tally.of(part.facts)
        try:
            for upload in uploads(place, found, tally.blocks):
                tally.add(_outcome(part, upload, tally.blocks))
                part.update_unfinished(facts=tally.stored())
        except UploadRefused as refused:
            tally.add(refused)
        except Gone:
            # The next look finds the object in its place. Blocks that were stored remain, each with whole reports.
            if not tally.blocks:
                tally.gone += 1
                hand_in(part, facts=tally.stored())
                return
        _hand_in_read(part, tally)

    def give_up(self, part: ImportPart) -> bool:
        """Refuse an object that ended all its workers: unread, it would be found by every look."""
        tally = Tally.of(part.facts)
        tally.add(UploadRefused(Refusal.EXPANDS, "Workers ended while they read the object."))
        _hand_in_read(part, tally)
        return True

    def finish(self, job: Import) -> None:
        with transaction.atomic():
            if held := hold(job):
                forget_parts(held)
                end(held)


def _hand_in_read(part: ImportPart, tally: Tally) -> None:
    """Hand in the part of an object that is not to be read again, and forget all but its digest."""
    tally.objects += 1
    with transaction.atomic():
        if hand_in(part, facts=tally.stored()):
            ImportPart.objects.filter(pk=part.pk).update(name="", tag="", size=0)
            ReadObject.objects.bulk_create([ReadObject(hmac=part.hmac)], ignore_conflicts=True)


def _outcome(part: ImportPart, upload: Upload, block: int) -> Receipt | UploadRefused:
    """Take a block in. Raises `StorageUnavailable` if it shall be tried again."""
    order = part.order
    known = UseCase.objects.filter(pk__in=order.use_case_ids) if order.use_case_ids else UseCase.objects.all()
    key = Key("import", f"{bytes(part.hmac).hex()}-{block}")
    try:
        return ingest(upload, known, day=day_in(part.name) or order.day, key=key)
    except UploadRefused as refused:
        if refused.retry_after is not None:
            raise StorageUnavailable(refused.detail) from refused
        return refused
