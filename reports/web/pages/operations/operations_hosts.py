"""Hosts of workers, in words, for superusers."""

from django.contrib.auth.models import User
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import gettext as _

from reports.access import may_define
from reports.formatting import whole
from reports.jobs import is_nearly_full, is_silent, worker_hosts


def hosts(operator: User) -> list[tuple[str, str, bool]]:
    """Return the names of hosts and what is known of them, those that need attention first.

    None to owners, who cannot look after machines.
    """
    found = []
    for host in worker_hosts() if may_define(operator) else ():
        if silent := is_silent(host):
            last = date_format(timezone.localtime(host.seen_at), "SHORT_DATETIME_FORMAT")
            words = _("no heartbeat since %(time)s UTC") % {"time": last}
        else:
            words = _("alive, %(percent)s %% of its disk is free") % {"percent": whole(int(100 * host.free_disk_share))}
        found.append((host.name, words, silent or is_nearly_full(host)))
    return sorted(found, key=lambda each: not each[2])
