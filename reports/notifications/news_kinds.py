"""News of each kind of version: which histograms a message is about, and what is no news."""

from typing import Final

from reports.kinds import ByKind
from reports.notifications.counting_news import CountingNews
from reports.notifications.discovery_news import DiscoveryNews

NEWS: Final = ByKind[CountingNews | DiscoveryNews](counting=CountingNews(), discovery=DiscoveryNews())
