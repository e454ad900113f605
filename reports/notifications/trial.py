"""A trial of a subscription: on which days it would have told of news."""

import datetime
import time
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
_DAY: Final = datetime.timedelta(days=1)
# Older days are not tried where comparisons take longer.
_MOST_SECONDS: Final = 5.0


@dataclass(frozen=True)
class Trial:
    """Trial of a subscription on the last days: when it would have told of news, and what it said last."""

    looked_back: int
    days: tuple[datetime.date, ...] = ()
    last: Mail | None = None


def try_out(subscription: Subscription) -> Trial:
    """Go through the last days as if each had been published by itself, the newest first."""
    version = default_version(subscription.about)
    if version is None:
        return Trial(TRIAL_DAYS)
    locales = [
        key
        for key in newest_days(subscription.about)
        if key.startswith(f"{version.number}:") and subscription.locale in ("", key.partition(":")[2])
    ]
    today, started = utc_today(), time.monotonic()
    first = today - datetime.timedelta(days=TRIAL_DAYS)
    ends = NEWS.of(version).shown(version).filter(last_day__gte=first, last_day__lt=today)
    ends_of_days = sorted(set(ends.order_by().values_list("last_day", flat=True)))
    fired: list[datetime.date] = []
    last: Mail | None = None
    for day, before in reversed([*zip(ends_of_days, [first - _DAY, *ends_of_days], strict=False)]):
        if time.monotonic() - started > _MOST_SECONDS:
            return Trial((today - day).days - 1, tuple(fired[::-1]), last)
        subscription.told = {key: before.isoformat() for key in locales}
        news = news_of(subscription, {key: day.isoformat() for key in locales})
        if news:
            fired.append(day)
            last = last or mail(subscription, news)
    return Trial(TRIAL_DAYS, tuple(fired[::-1]), last)
