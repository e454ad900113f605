"""Which parts may be done now."""

from django.db.models import Exists, OuterRef, Q

from reports.models import Part, Run


def ready() -> Q:
    """Parts that are to be done and wait for no other: none of an earlier step of their run is missing."""
    earlier = Part.objects.filter(run=OuterRef("run"), step__lt=OuterRef("step"), finished_at=None)
    return Q(~Exists(earlier), finished_at=None, run__state__in=Run.UNFINISHED)
