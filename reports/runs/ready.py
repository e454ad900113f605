"""Which parts may be done now."""

from django.db.models import Exists, OuterRef, Q
from django.utils import timezone

from reports.models import Part, Run


def due(run: str = "") -> Q:
    """Unfinished runs that wait for no storage or database; `run` is the prefix of their fields, such as `run__`."""
    now = Q((f"{run}not_before", None)) | Q((f"{run}not_before__lte", timezone.now()))
    return now & Q((f"{run}state__in", Run.UNFINISHED))


def ready() -> Q:
    """Parts that are to be done now and wait for no other: none of an earlier step of their run is missing."""
    earlier = Part.objects.filter(run=OuterRef("run"), step__lt=OuterRef("step"), finished_at=None)
    return Q(~Exists(earlier), due("run__"), finished_at=None)
