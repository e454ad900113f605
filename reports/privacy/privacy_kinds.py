"""Facts on privacy of each kind of version, for privacy pages and the admin."""

from typing import Final, Protocol

from reports.kinds import ByKind
from reports.models import Version
from reports.privacy.central import Batch
from reports.privacy.counting_privacy import CountingPrivacy
from reports.privacy.discovery_privacy import DiscoveryPrivacy
from reports.privacy.impact import Impact


class PrivacyKind(Protocol):
    def impact(self, version: Version) -> Impact:
        """Compute what a version costs and what it can find."""

    def newest_published(self, version: Version) -> list[Batch]:
        """Return the newest window and the newest period by itself that people can see.

        Of the locales, the one with the fewest reports. A person may have reports in a window from many days, and more
        than the daily limit even in a single day, as some may have waited; of one day of sending there are never more.
        """

    def epsilon_parts(self, version: Version) -> dict[str, int | float] | None:
        """Return the parts of a report's ε, if it has several."""

    def not_covered(self) -> list[str]:
        """Say what the guarantee does not cover beside what it never does."""

    def smallest_share_in_words(self) -> str:
        """Say what a `share` is shown, or found, from a `minimum` of reports on."""

    def undetectable(self) -> list[str]:
        """Say what fakes do beside what they always do."""


PRIVACY: Final = ByKind[PrivacyKind](counting=CountingPrivacy(), discovery=DiscoveryPrivacy())


def impact_of(version: Version) -> Impact:
    return PRIVACY.of(version).impact(version)
