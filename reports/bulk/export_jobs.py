"""Exports as jobs: a part writes the files of a use case that changed, and then its manifest."""

import datetime
import hashlib
import json
import re
from collections.abc import Collection, Iterable
from typing import Any, Final

from django.conf import settings
from django.db import transaction
from django.db.models import IntegerField, QuerySet, Sum
from django.db.models.fields.json import KT
from django.db.models.functions import Cast
from django.utils import timezone

from reports.bulk.place_addresses import place_at
from reports.bulk.places import Place
from reports.bulk.result_files import parquet_of, result_files
from reports.export_orders import start_export
from reports.jobs import JobType, end, hand_in, hold
from reports.models import Export, ExportPart, UseCase
from reports.viewings import record_export

# In UTC.
BEGINS: Final = datetime.time(3)
KEPT: Final = datetime.timedelta(days=90)
# Layout of names and columns: files of another are written anew.
LAYOUT: Final = 1
MANIFEST: Final = "_manifest.json"
_NAME: Final = re.compile(r"locale=[\w-]+/day=[\d-]+/version-[\w-]+\.parquet")
COUNTED: Final = ("written", "unchanged", "removed")


def exported() -> QuerySet[UseCase]:
    """Return the use cases whose results are written: all of devices' reports."""
    return UseCase.objects.filter(simulation_of=None).order_by("slug")


def export_daily() -> None:
    """Order the export of the day, once runs had the time to count the day before; until one has finished."""
    now = timezone.now().astimezone(datetime.UTC)
    due = datetime.datetime.combine(now.date(), BEGINS, datetime.UTC)
    address = settings.LDPSITE_EXPORT_TO
    done = Export.objects.filter(address=address, state=Export.State.FINISHED, created_at__gte=due)
    if address and now >= due and not done.exists():
        start_export(address)
    Export.objects.filter(finished_at__lt=now - KEPT).delete()


class ExportJobs(JobType[Export, ExportPart]):
    model = Export

    def cut(self, job: Export) -> Iterable[ExportPart]:
        return [ExportPart(order=job, slug=slug) for slug in exported().values_list("slug", flat=True)]

    def do(self, part: ExportPart) -> None:
        use_case = exported().filter(slug=part.slug).first()
        counts = dict.fromkeys(COUNTED, 0) if use_case is None else _write(place_at(part.order.address), use_case)
        if counts["written"] and use_case is not None:
            record_export(use_case)
        hand_in(part, facts=counts | {"generation": use_case and use_case.generation})

    def finish(self, job: Export) -> None:
        place = place_at(job.address)
        gone = {name.partition("/")[0] for name, _size, _tag in place.found() if name.startswith("use_case=")}
        gone -= {f"use_case={slug}" for slug in exported().values_list("slug", flat=True)}
        removed = sum(_remove(place, folder) for folder in sorted(gone))
        with transaction.atomic():
            if held := hold(job):
                sums = {name: Sum(Cast(KT(f"facts__{name}"), IntegerField()), default=0) for name in COUNTED}
                counts = held.parts.aggregate(**sums)
                counts["removed"] += removed
                Export.objects.filter(pk=held.pk).update(**counts)
                exported_then = set(held.parts.values_list("slug", KT("facts__generation")))
                end(held)
                held.parts.all().delete()
                if held.address == settings.LDPSITE_EXPORT_TO and _is_overtaken(exported_then):
                    start_export(held.address)


def _is_overtaken(exported_then: Collection[tuple[str, str | None]]) -> bool:
    """Tell whether results of use cases, with their generations, have changed since they were written."""
    now = {slug: str(generation) for slug, generation in exported().values_list("slug", "generation")}
    return any(slug in now and now[slug] != generation for slug, generation in exported_then)


def _write(place: Place, use_case: UseCase) -> dict[str, int]:
    """Write the files of a use case that differ from those in its manifest; returns how many did, and did not.

    Those that are not published any more are deleted last: a reader who has the old manifest finds what it names.
    """
    folder = f"use_case={use_case.slug}"
    before = _manifest(place, folder)
    old = {each["name"]: each for each in before.get("files", ())}
    if before.get("generation") == use_case.generation:
        removed = _delete(place, folder, _written(place, folder) - old.keys())
        return {"written": 0, "unchanged": len(old), "removed": removed}
    files, written = [], 0
    for name, document in result_files(use_case):
        content = parquet_of(document)
        digest = hashlib.sha256(content).hexdigest()
        if old.get(name, {}).get("sha256") != digest:
            place.write(f"{folder}/{name}", content)
            written += 1
        facts = {key: document[key] for key in ("version", "locale", "first_day", "last_day", "n")}
        lines = len(document["entries"])
        files.append({"name": name, "sha256": digest, "bytes": len(content), "lines": lines, **facts})
    manifest = {"layout": LAYOUT, "use_case": use_case.slug, "generation": use_case.generation, "files": files}
    place.write(f"{folder}/{MANIFEST}", json.dumps(manifest, indent=1).encode())
    gone = _written(place, folder) - {each["name"] for each in files}
    return {"written": written, "unchanged": len(files) - written, "removed": _delete(place, folder, gone)}


def _manifest(place: Place, folder: str) -> dict[str, Any]:
    """Return the manifest of a use case; an empty one if there is none that can be read."""
    try:
        found = json.loads(place.read_whole(f"{folder}/{MANIFEST}") or b"{}")
    except ValueError:
        found = {}
    return found if isinstance(found, dict) and found.get("layout") == LAYOUT else {}


def _written(place: Place, folder: str) -> set[str]:
    """Return the names of files of results that lie there, whatever a manifest says: it may be newer than they are.

    Others may have files there: nothing but what may be the site's is ever deleted.
    """
    return {found.name for found in place_at(f"{place.address}{folder}/").found() if _NAME.fullmatch(found.name)}


def _delete(place: Place, folder: str, names: Collection[str]) -> int:
    for name in sorted(names):
        place.delete(f"{folder}/{name}")
    return len(names)


def _remove(place: Place, folder: str) -> int:
    """Delete the files of a use case that is gone; its manifest first, for it is no file by which a folder is found."""
    names = _written(place, folder)
    if names:
        place.delete(f"{folder}/{MANIFEST}")
    return _delete(place, folder, names)
