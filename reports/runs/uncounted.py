"""Which versions have reports that are not counted yet."""

from django.db.models import Exists, OuterRef, Q, QuerySet, Subquery

from reports.ingest.devices import has_enough
from reports.models import DeviceRecord, DictionaryRevision, ReadOut, Shard, UseCase, Version


def uncounted_versions(use_case: UseCase) -> list[Version]:
    """The versions with reports that were not counted with their newest dictionary, the newest version first."""
    return _having(use_case, _not_counted(use_case, newest_dictionary=True))


def unseen_versions(use_case: UseCase) -> list[Version]:
    """Those of them with reports that were never counted, not even with an older dictionary."""
    return _having(use_case, _not_counted(use_case, newest_dictionary=False))


def _having(use_case: UseCase, shards: QuerySet[Shard]) -> list[Version]:
    """Those with such shards, or with so many records of single devices that a run would find them."""
    waiting = DeviceRecord.objects.filter(version__use_case=use_case)
    found = use_case.versions.exclude(state=Version.State.DRAFT).annotate(
        has_shards=Exists(shards.filter(version=OuterRef("pk"))),
        has_waiting=Exists(waiting.filter(version=OuterRef("pk"))),
    )
    found = found.filter(Q(has_shards=True) | Q(has_waiting=True)).order_by("-number")
    return [version for version in found if version.has_shards or has_enough(version)]


def _not_counted(use_case: UseCase, *, newest_dictionary: bool) -> QuerySet[Shard]:
    of_version = OuterRef("version")
    newest = DictionaryRevision.objects.filter(version=of_version).order_by("-number").values("pk")[:1]
    shards = Shard.objects.filter(version__use_case=use_case).annotate(newest=Subquery(newest))
    done = ReadOut.objects.filter(sealing=OuterRef("sealing"), locale=OuterRef("locale"))
    if newest_dictionary:
        # What a version has sketched, which finds its words itself, is counted for good.
        done = done.filter(Q(revision=OuterRef("newest")) | Q(revision=None))
    return shards.filter(~Exists(done))
