"""Alerts of operators by mail: what needs one of them, told once, until it is over.

For sites without a server of metrics. Workers send them: of a host that is missed another one tells, and nothing here
can tell that no worker is left.
"""

import logging
import smtplib

from django.conf import settings
from django.core.mail import EmailMessage

from reports.models import OperatorAlert
from reports.notifications import mail_is_set_up, troubles_of

logger = logging.getLogger(__name__)


def alert_operators() -> None:
    """Send what is new in one mail, and forget what is over. What cannot be sent is tried again by the next call."""
    if not (settings.LDPSITE_OPERATOR_EMAIL and mail_is_set_up()):
        return
    found = dict(troubles_of())
    OperatorAlert.objects.exclude(trouble__in=found).delete()
    told = set(OperatorAlert.objects.values_list("trouble", flat=True))
    new = {trouble: words for trouble, words in found.items() if trouble not in told}
    if not new:
        return
    message = EmailMessage(
        f"{settings.LDPSITE_ADDRESS} needs an operator",
        "\n\n".join([*dict.fromkeys(new.values()), f"{settings.LDPSITE_ADDRESS}/operations/"]),
        to=settings.LDPSITE_OPERATOR_EMAIL,
        headers={"Auto-Submitted": "auto-generated"},
    )
    try:
        message.send()
    except (smtplib.SMTPException, OSError) as error:
        logger.warning("Operators could not be told (%s)", type(error).__name__)
        return
    OperatorAlert.objects.bulk_create(map(OperatorAlert, new), ignore_conflicts=True)
