"""Cursors of subscriptions: by version and locale, the last day of which news was delivered, or is due."""

import datetime
from collections.abc import Iterable, Mapping
from typing import Final, TypeAlias

from django.db.models import Max

from reports.models import Subscription, UseCase, Version
from reports.models.uploads import utc_today
from reports.notifications.news_kinds import NEWS
from reports.results import default_version

# By version and locale, such as "1:en_US", a day in ISO format: as the database keeps it.
Days: TypeAlias = Mapping[str, str]
# In place of a version, for locales that fell silent: the day is the last one that they have.
_SILENT: Final = "silent"


def days_of(days: Days, version: Version) -> dict[str, datetime.date]:
    """Return the days of a version, by locale."""
    split = ((*key.partition(":"), day) for key, day in days.items())
    return {
        locale: datetime.date.fromisoformat(day) for number, _, locale, day in split if number == str(version.number)
    }


def newest_days(use_case: UseCase) -> dict[str, str]:
    """Return the newest days shown so far, which are no news to a new subscriber."""
    found: dict[str, str] = {}
    for version in use_case.versions.order_by("number"):
        found |= _days(version, _newest(version))
    return found


def undelivered_days(subscription: Subscription) -> dict[str, str]:
    """Return the newest days that are over and not delivered yet, of the version that pages show."""
    version = default_version(subscription.about)
    if version is None:
        return {}
    delivered = days_of(subscription.told, version)
    newest = [
        (locale, day)
        for locale, day in _newest(version)
        if subscription.locale in ("", locale) and day > delivered.get(locale, datetime.date.min)
    ]
    return _days(version, newest) | _silent(subscription, version)


def silent_days(days: Days) -> dict[str, datetime.date]:
    """Return the locales that fell silent, each with the last day that it has."""
    split = ((*key.partition(":"), day) for key, day in days.items())
    return {locale: datetime.date.fromisoformat(day) for kind, _, locale, day in split if kind == _SILENT}


def _silent(subscription: Subscription, version: Version) -> dict[str, str]:
    """Return the locales of which nothing has been shown for so long that their silence is news, once."""
    if subscription.silent_days is None:
        return {}
    latest = utc_today() - datetime.timedelta(days=subscription.silent_days)
    told = silent_days(subscription.told)
    return {
        f"{_SILENT}:{locale}": day.isoformat()
        for locale, day in _newest(version)
        if subscription.locale in ("", locale) and day < latest and told.get(locale) != day
    }


def _newest(version: Version) -> Iterable[tuple[str, datetime.date]]:
    """Return by locale the last day that is over of which results are shown. What ends today is news tomorrow."""
    shown = NEWS.of(version).shown(version)
    over = shown.filter(last_day__lt=utc_today(), locale__in=version.locales)
    return over.order_by().values_list("locale").annotate(newest=Max("last_day"))


def _days(version: Version, days: Iterable[tuple[str, datetime.date]]) -> dict[str, str]:
    return {f"{version.number}:{locale}": day.isoformat() for locale, day in days}
