"""The inbox of the site: news for those who log in, whether or not mail is set up."""

import datetime
from typing import Final

from django.contrib.auth.models import User
from django.db.models import Q, QuerySet
from django.utils import timezone

from reports.access import operates, subscriptions, use_cases
from reports.models import InboxMessage, Subscription
from reports.notifications.composing import message_of
from reports.notifications.messages import Mail

INBOX_DAYS: Final = 90


def inbox_of(person: User) -> QuerySet[InboxMessage]:
    """Return a person's messages about use cases that they may see now, and to operators about the operation."""
    about = Q(use_case__in=use_cases(person, "view").values("pk"))
    theirs = subscriptions(person).filter(about | Q(use_case=None) if operates(person) else about)
    return InboxMessage.objects.filter(subscription__in=theirs.values("pk"))


def unread(person: User) -> int:
    """Count a person's messages that were not read, of those of `inbox_of`."""
    # Mostly there is none. Which of them a person may see now takes several times as long to ask.
    if not InboxMessage.objects.filter(subscription__owner=person, is_read=False).exists():
        return 0
    return inbox_of(person).filter(is_read=False).count()


def put_into_inbox(subscription: Subscription, up_to: datetime.date) -> None:
    """Put a message there once, however often it is delivered."""
    InboxMessage.objects.get_or_create(
        subscription=subscription,
        told=subscription.told,
        batch=subscription.batch,
        defaults={"up_to": up_to},
    )


def text_of(message: InboxMessage) -> Mail | None:
    """Write a message by what is published now; None if nothing of it is any more."""
    subscription = message.subscription
    subscription.told = message.told
    found = message_of(subscription, message.batch)
    return found.mail if found is not None else None


def forget_old_messages() -> None:
    """Delete messages whose time is over."""
    InboxMessage.objects.filter(made_at__lt=timezone.now() - datetime.timedelta(days=INBOX_DAYS)).delete()
