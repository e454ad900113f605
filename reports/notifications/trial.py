"""A trial of a subscription: on which days it would have told of news."""

import datetime
from dataclasses import dataclass
from typing import Final

from reports.models import Subscription
from reports.models.uploads import utc_today
from reports.notifications.cursor import newest_days
from reports.notifications.messages import Mail, mail
from reports.notifications.news import news_of
from reports.notifications.news_kinds import NEWS
from reports.results import default_version

TRIAL_DAYS: Final = 90


@dataclass(frozen=True)
class Trial:
    """What a subscription would have done in the last days: when it would have told of news, and what it said last."""

    days: tuple[datetime.date, ...]
    last: Mail | None


def try_out(subscription: Subscription) -> Trial:
    """Go through the last days as if each had been published by itself, the oldest first."""
    version = default_version(subscription.use_case)
    if version is None:
        return Trial((), None)
    locales = [
        key
        for key in newest_days(subscription.use_case)
        if key.startswith(f"{version.number}:") and subscription.locale in ("", key.partition(":")[2])
    ]
    first = utc_today() - datetime.timedelta(days=TRIAL_DAYS)
    ends = NEWS.of(version).shown(version).filter(last_day__gte=first, last_day__lt=utc_today())
    fired: list[datetime.date] = []
    last: Mail | None = None
    before = first - datetime.timedelta(days=1)
    for day in sorted(set(ends.order_by().values_list("last_day", flat=True))):
        subscription.told = {key: before.isoformat() for key in locales}
        news = news_of(subscription, {key: day.isoformat() for key in locales})
        if news:
            fired.append(day)
            last = mail(subscription, news)
        before = day
    return Trial(tuple(fired), last)
