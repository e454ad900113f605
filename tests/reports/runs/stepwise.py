"""Runs done by hand, part by part."""

import uuid

from reports.jobs import leases, working
from reports.models import Part, Run


def begin(run_id: uuid.UUID) -> list[int]:
    """Plan a run; returns the parts that are ready."""
    run = Run.objects.get(pk=run_id)
    working.begin(run)
    return list(run.parts.ready().order_by("pk").values_list("pk", flat=True))


def claim(part_id: int) -> Part | None:
    """Take the lease of a part, if it may be had."""
    part = Part.objects.filter(pk=part_id).first()
    found: Part | None = leases.claim(part.run, pk=part_id) if part is not None else None
    return found


def work_on(part_id: int) -> None:
    """Do a part, if its lease may be had."""
    part = claim(part_id)
    if part is not None:
        working.do(part)
