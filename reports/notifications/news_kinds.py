"""News of each kind of version: which histograms a message is about, and what is no news."""

import datetime
from typing import Final, Protocol

from django.db.models import QuerySet

from reports.kinds import ByKind
from reports.models import Histogram, Period, Version
from reports.notifications.counting_news import CountingNews
from reports.notifications.discovery_news import DiscoveryNews
from reports.notifications.lists import Lists


class NewsKind(Protocol):
    def shown(self, version: Version) -> QuerySet[Period] | QuerySet[Histogram]:
        """Select everything with a locale and a last day that has news."""

    def lists(self, version: Version, locale: str, after: datetime.date, up_to: datetime.date) -> Lists:
        """Return what was shown after one day and up to another."""

    def is_compared(self, histogram: Histogram) -> bool:
        """Tell whether changes since the one before are told of a histogram."""

    def rejected(self, version: Version, locale: str) -> set[str]:
        """Return the words that are no news."""


NEWS: Final = ByKind[NewsKind](counting=CountingNews(), discovery=DiscoveryNews())
