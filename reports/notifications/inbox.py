"""The inbox of the site: news for those who log in, whether or not mail is set up."""

import datetime
from collections.abc import Sequence
from typing import Final

from django.contrib.auth.models import User
from django.db.models import QuerySet
from django.utils import timezone

from reports.access import subscriptions, use_cases
from reports.models import InboxMessage, Subscription
from reports.notifications.messages import Mail, mail
from reports.notifications.news import Item, news_of

INBOX_DAYS: Final = 90


def inbox_of(person: User) -> QuerySet[InboxMessage]:
    """Return a person's messages about use cases that they may see now."""
    theirs = subscriptions(person).filter(use_case__in=use_cases(person, "view").values("pk"))
    return InboxMessage.objects.filter(subscription__in=theirs.values("pk"))


def put_into_inbox(subscription: Subscription, news: Sequence[Item]) -> None:
    """Put a message there once, however often it is delivered."""
    InboxMessage.objects.get_or_create(
        subscription=subscription,
        told=subscription.told,
        batch=subscription.batch,
        defaults={"up_to": max(item.last_day for item in news)},
    )


def text_of(message: InboxMessage) -> Mail | None:
    """Write a message by what is published now; None if nothing of it is any more."""
    subscription = message.subscription
    subscription.told = message.told
    news = news_of(subscription, message.batch)
    return mail(subscription, news) if news else None


def forget_old_messages() -> None:
    """Delete messages whose time is over."""
    InboxMessage.objects.filter(made_at__lt=timezone.now() - datetime.timedelta(days=INBOX_DAYS)).delete()
