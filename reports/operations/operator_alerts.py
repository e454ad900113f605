"""Alerts of operators by mail: what needs one of them, told once, until it is over.

For sites without a server of metrics. Workers send them: of a host that is missed another one tells, and nothing here
can tell that no worker is left.
"""

import logging
import smtplib
from collections.abc import Iterator

from django.conf import settings
from django.core.mail import EmailMessage
from django.db.models import OuterRef, Subquery

from reports.clock import clock_doubt
from reports.jobs import is_nearly_full, is_silent, worker_hosts
from reports.models import OperatorAlert, Run, Version
from reports.models.failures import CANCELLED
from reports.notifications import mail_is_set_up

logger = logging.getLogger(__name__)


def troubles() -> Iterator[tuple[str, str]]:
    """Yield what needs an operator now: a key by which it is known again, and a sentence."""
    newest = Run.objects.filter(version=OuterRef("pk")).order_by("-created_at").values("pk")[:1]
    latest = Version.objects.annotate(newest=Subquery(newest)).exclude(newest=None).values("newest")
    failed = Run.objects.filter(state=Run.State.FAILED, pk__in=latest).exclude(failure=CANCELLED)
    for pk, reason in failed.order_by("created_at").values_list("pk", "failure"):
        yield f"run {pk}", f"A run failed: {reason} {settings.LDPSITE_ADDRESS}/runs/{pk}/"
    for host in worker_hosts():
        if is_silent(host):
            yield f"host {host.name}", f"No worker on {host.name} since {host.seen_at:%Y-%m-%d %H:%M} UTC."
        elif is_nearly_full(host):
            yield f"disk {host.name}", f"Less than 10% of the disk of {host.name} is free."
    if (doubt := clock_doubt()) is not None:
        yield "clock", str(doubt)


def alert_operators() -> None:
    """Send what is new in one mail, and forget what is over. What cannot be sent is tried again by the next call."""
    if not (settings.LDPSITE_OPERATOR_EMAIL and mail_is_set_up()):
        return
    found = dict(troubles())
    OperatorAlert.objects.exclude(trouble__in=found).delete()
    told = set(OperatorAlert.objects.values_list("trouble", flat=True))
    new = {trouble: words for trouble, words in found.items() if trouble not in told}
    if not new:
        return
    message = EmailMessage(
        f"{settings.LDPSITE_ADDRESS} needs an operator",
        "\n\n".join([*new.values(), f"{settings.LDPSITE_ADDRESS}/operations/"]),
        to=settings.LDPSITE_OPERATOR_EMAIL,
        headers={"Auto-Submitted": "auto-generated"},
    )
    try:
        message.send()
    except (smtplib.SMTPException, OSError) as error:
        logger.warning("Operators could not be told (%s)", type(error).__name__)
        return
    OperatorAlert.objects.bulk_create(map(OperatorAlert, new), ignore_conflicts=True)
