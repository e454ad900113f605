"""Calling workers to tell the news of a use case. The sweep finds what nobody is called to."""

import logging

from kombu.exceptions import OperationalError

from reports.notifications import delivery

logger = logging.getLogger(__name__)


def ring(use_case_id: int) -> None:
    """Enqueue the messages of a use case's subscriptions. Call it after the commit that published something."""
    from reports.notifications.tasks import tell

    try:
        for subscription_id in delivery.due().filter(use_case=use_case_id).values_list("pk", flat=True):
            tell.apply_async((str(subscription_id),), retry=False)
    except (OperationalError, OSError) as error:
        logger.warning("No broker to announce news to (%s); the next sweep will find them.", type(error).__name__)
