"""Orders of exports. They are below what changes results: `reports.bulk`, which does them, stands on results."""

from django.conf import settings
from django.db import transaction

from reports.jobs import enqueue
from reports.models import Export, UseCase


def start_export(address: str, *, ring: bool = True) -> Export:
    """Order an export to an address; one that is under way is returned instead of a second one."""
    with transaction.atomic():
        # Locked, so that one that is ending has ended, or sees what this one is for.
        order, is_new = Export.objects.unfinished().select_for_update(no_key=True).get_or_create(address=address)
        if is_new and ring:
            transaction.on_commit(lambda: enqueue(order))
    return order


def export_anew(use_case: UseCase) -> None:
    """Order, once this transaction commits, that what it withdraws leaves the place of exports, if there is one."""
    address = settings.LDPSITE_EXPORT_TO
    if address and use_case.simulation_of_id is None:
        transaction.on_commit(lambda: start_export(address))
