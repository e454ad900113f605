"""Which versions have reports that are not counted yet."""

from collections.abc import Collection

from django.db.models import Exists, OuterRef, QuerySet, Subquery

from reports.collection.devices import has_enough
from reports.models import DeviceRecord, DictionaryRevision, ReadOut, Shard, UseCase, Version


def uncounted_versions(use_case: UseCase) -> list[Version]:
    """The versions with reports that were not counted with their newest dictionary, the newest version first."""
    newest = DictionaryRevision.objects.filter(version=OuterRef("pk")).order_by("-number").values("pk")[:1]
    versions = list(_versions(use_case).annotate(newest=Subquery(newest)))
    # A sealing is counted with revisions of its own version. What a version has sketched, which finds its words itself,
    # is counted for good.
    revisions = [version.newest for version in versions if version.newest is not None]
    return _having(versions, ReadOut.objects.filter(revision__in=revisions), ReadOut.objects.filter(revision=None))


def unseen_versions(use_case: UseCase) -> list[Version]:
    """Those of them with reports that were never counted, not even with an older dictionary."""
    return _having(list(_versions(use_case)), ReadOut.objects.all())


def _versions(use_case: UseCase) -> QuerySet[Version]:
    waiting = DeviceRecord.objects.filter(version=OuterRef("pk"))
    shown = use_case.versions.frozen()
    return shown.annotate(has_waiting=Exists(waiting)).order_by("-number")


def _having(versions: Collection[Version], *done: QuerySet[ReadOut]) -> list[Version]:
    """Those with shards that are counted in none of these ways, or with as many records of devices as a run takes.

    By their keys: joined, the database would rather read all shards there are.
    """
    shards = Shard.objects.filter(version__in=[version.pk for version in versions]).order_by()
    for counted in done:
        # One after the other: each has its index, and both at once none.
        shards = shards.unread(counted)
    found = set(shards.values_list("version", flat=True).distinct())
    return [
        version
        for version in versions
        if version.pk in found or (getattr(version, "has_waiting", False) and has_enough(version))
    ]
