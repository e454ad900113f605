"""Hosts of workers, in words, for superusers."""

from dataclasses import dataclass

from django.contrib.auth.models import User
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import gettext as _

from reports.access import may_define
from reports.formatting import whole
from reports.jobs import is_nearly_full, is_silent, worker_hosts


@dataclass(frozen=True)
class HostLine:
    name: str
    words: str
    needs_attention: bool


def hosts(operator: User) -> list[HostLine]:
    """Return the hosts, those that need attention first; none to owners, who cannot look after machines."""
    lines = []
    for host in worker_hosts() if may_define(operator) else ():
        if silent := is_silent(host):
            last = date_format(timezone.localtime(host.seen_at), "SHORT_DATETIME_FORMAT")
            words = _("no heartbeat since %(time)s UTC") % {"time": last}
        else:
            words = _("alive, %(percent)s %% of its disk is free") % {"percent": whole(int(100 * host.free_disk_share))}
        lines.append(HostLine(host.name, words, silent or is_nearly_full(host)))
    return sorted(lines, key=lambda line: not line.needs_attention)
