"""Delivery of news: each subscription by itself, once for all that is new, again later if that failed."""

import datetime
import logging
import uuid
from collections.abc import Mapping
from typing import Final

from django.conf import settings
from django.db import transaction
from django.db.models import F, Q, QuerySet
from django.utils import timezone, translation

from reports.formatting import numbers_written_as
from reports.locks import Lock, advisory_lock
from reports.models import Preferences, Subscription
from reports.models.uploads import utc_today
from reports.notifications.composing import message_of, undelivered
from reports.notifications.delivery_problems import FINAL, NotSent
from reports.notifications.sending import check_recipient, send
from reports.viewings import record_viewing

logger = logging.getLogger(__name__)

# After so many failures in a row, which take most of a day, a subscription is paused until its owner resumes it.
MOST_FAILURES: Final = 8
FIRST_WAIT: Final = datetime.timedelta(minutes=5)
LONGEST_WAIT: Final = datetime.timedelta(hours=6)


def due() -> QuerySet[Subscription]:
    """Select subscriptions whose use case has results not examined for them yet, or days that may be over.

    Those about the site's operation are always due.
    A message that was not delivered waits for its next attempt, and a paused subscription for its owner.
    """
    seen = Q(seen_generation=F("use_case__generation"), seen_on=utc_today())
    waits = Q(next_try_at__gt=timezone.now())
    return Subscription.objects.filter(~waits, ~seen | Q(seen_on=None) | Q(use_case=None), paused=False)


def deliver(subscription_id: uuid.UUID) -> None:
    """Send the news of a subscription that is due. Does nothing while another process is at it."""
    with advisory_lock(Lock.DELIVERY, subscription_id, wait=False) as acquired:
        found = due().select_related("owner", "use_case").filter(pk=subscription_id).first() if acquired else None
        if found is not None:
            _deliver(found)


def _deliver(subscription: Subscription) -> None:
    chosen = Preferences.objects.filter(user=subscription.owner_id).first() or Preferences()
    language = chosen.language or subscription.language or settings.LANGUAGE_CODE
    with translation.override(language), numbers_written_as(chosen.numbers):
        again = bool(subscription.batch)
        # Before looking: what is published meanwhile is looked at the next time.
        use_case = subscription.use_case
        seen = {"seen_generation": None if use_case is None else use_case.generation, "seen_on": utc_today()}
        if not again:
            subscription.batch = undelivered(subscription)
        message = message_of(subscription, subscription.batch)
        try:
            if message:
                check_recipient(subscription)
                # Kept before it is sent: if this worker dies, the same message is sent again.
                kept = {"told": subscription.told, "batch": subscription.batch}
                Subscription.objects.filter(pk=subscription.pk).update(**kept)
                send(subscription, message)
        except NotSent as problem:
            _note_failure(subscription, problem)
            return
    _note_success(subscription, sent=message is not None, seen={} if again else seen)


def _note_success(subscription: Subscription, *, sent: bool, seen: Mapping[str, object]) -> None:
    cursor = {"told": {**subscription.told, **subscription.batch}, "batch": {}}
    success = {"failures": 0, "last_failure": "", "next_try_at": None}
    with transaction.atomic():
        Subscription.objects.filter(pk=subscription.pk).update(**cursor, **success, **seen)
        if sent:
            Subscription.objects.filter(pk=subscription.pk).update(last_sent_at=timezone.now())
            _record(subscription)


def _note_failure(subscription: Subscription, problem: NotSent) -> None:
    failures = subscription.failures + 1
    wait = min(FIRST_WAIT * 2 ** min(failures - 1, 20), LONGEST_WAIT)
    with transaction.atomic():
        Subscription.objects.filter(pk=subscription.pk).update(
            failures=failures,
            last_failure=problem.problem,
            next_try_at=timezone.now() + wait,
            paused=failures >= MOST_FAILURES or problem.problem in FINAL,
        )
        if problem.left:
            _record(subscription)
    # Without the address, which may be a secret.
    logger.warning("News of subscription %s were not sent: %s.", subscription.pk, problem.problem)


def _record(subscription: Subscription) -> None:
    """Record that results left the site, as if their recipient had looked at them. Who opens an inbox does look.

    Troubles of the operation tell no result.
    """
    if subscription.use_case is None or subscription.channel == Subscription.Channel.INBOX:
        return
    mailed = subscription.channel == Subscription.Channel.EMAIL
    record_viewing(subscription.owner, subscription.use_case, "mail" if mailed else "webhook")
