"""Telling who wants to know: each subscription by itself, once for all that is new, again later if that failed."""

import datetime
import logging
import uuid
from typing import Final

from django.db import transaction
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.db.models.functions import Coalesce
from django.utils import timezone

from reports.locks import Lock, alone
from reports.models import Histogram, Subscription
from reports.models.uploads import utc_today
from reports.subscriptions.news import newest_day, news_of
from reports.subscriptions.problems import FINAL, NotSent
from reports.subscriptions.sending import check_recipient, send
from reports.viewings import record_viewing

logger = logging.getLogger(__name__)

# After so many failures in a row, which takes most of a day, it is left to its owner.
MOST_FAILURES: Final = 8
FIRST_WAIT: Final = datetime.timedelta(minutes=5)
LONGEST_WAIT: Final = datetime.timedelta(hours=6)


def due() -> QuerySet[Subscription]:
    """Those of whose use case something is published that nobody has looked at for them, if they are not to wait."""
    unseen = Histogram.objects.filter(
        version__use_case=OuterRef("use_case"),
        grouping="",
        replaced=False,
        last_day__lt=utc_today(),
        last_day__gt=Coalesce(OuterRef("told_up_to"), datetime.date.min),
    )
    waits = Q(next_try_at__gt=timezone.now())
    return Subscription.objects.filter(~waits, Exists(unseen), paused=False)


def tell(subscription_id: uuid.UUID) -> None:
    """Send what is news, if there is any. Whoever comes second, or while somebody is at it, does nothing."""
    with alone(Lock.TELLING, subscription_id, wait=False) as nobody_else:
        found = due().select_related("owner", "use_case").filter(pk=subscription_id).first() if nobody_else else None
        if found is not None:
            _tell(found)


def _tell(subscription: Subscription) -> None:
    newest = newest_day(subscription.use_case)
    if newest is None:
        return
    news = news_of(subscription, newest)
    try:
        if news:
            check_recipient(subscription)
            send(subscription, news, newest)
    except NotSent as problem:
        _note_failure(subscription, problem)
        return
    with transaction.atomic():
        told = {"last_sent_at": timezone.now()} if news else {}
        Subscription.objects.filter(pk=subscription.pk).update(
            told_up_to=newest, failures=0, last_failure="", next_try_at=None, **told
        )
        if news:
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
    """Results left the site, as if their recipient had looked at them."""
    mailed = subscription.channel == Subscription.Channel.EMAIL
    record_viewing(subscription.owner, subscription.use_case, "mail" if mailed else "webhook")
