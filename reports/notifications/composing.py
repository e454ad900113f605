"""Messages of subscriptions, about a use case or about the site's operation."""

import datetime
from collections.abc import Mapping
from dataclasses import dataclass

from reports.models import Subscription
from reports.models.uploads import utc_today
from reports.notifications.cursor import undelivered_days
from reports.notifications.messages import Mail, document, mail
from reports.notifications.news import news_of
from reports.notifications.operation_news import document_of_troubles, mail_of_troubles, undelivered_troubles


@dataclass(frozen=True)
class Message:
    """A message for people and for programs, and the last day that it is about."""

    mail: Mail
    document: bytes
    up_to: datetime.date


def undelivered(subscription: Subscription) -> dict[str, str]:
    """Return what is new since the last message, as the cursor keeps it once it is told."""
    return undelivered_troubles(subscription) if subscription.use_case is None else undelivered_days(subscription)


def message_of(subscription: Subscription, batch: Mapping[str, str]) -> Message | None:
    """Write a message in the active language; None if nothing of it is news, or is shown any more."""
    if subscription.use_case is None:
        if not batch:
            return None
        return Message(mail_of_troubles(batch), document_of_troubles(subscription, batch), utc_today())
    news = news_of(subscription, batch)
    if not news:
        return None
    return Message(mail(subscription, news), document(subscription, news), max(item.last_day for item in news))
