"""Facts on privacy of each kind of version, for privacy pages and the admin."""

from typing import Final

from reports.kinds import ByKind
from reports.models import Version
from reports.privacy.counting_privacy import CountingPrivacy
from reports.privacy.discovery_privacy import DiscoveryPrivacy
from reports.privacy.impact import Impact

PRIVACY: Final = ByKind[CountingPrivacy | DiscoveryPrivacy](counting=CountingPrivacy(), discovery=DiscoveryPrivacy())


def impact_of(version: Version) -> Impact:
    return PRIVACY.of(version).impact(version)
