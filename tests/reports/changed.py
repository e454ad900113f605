"""Two weeks of two locales: what changed from one to the other, small enough to be simulated in every test."""

from reports.models import Version
from tests.reports.comparing import send_shares
from tests.reports.small_fleet import aggregate, days_ago, define
from tests.worlds import once

# Apples rise in English, and dates come; in French nothing changes.
BEFORE = {"en_US": (0.4, 0.4, 0.2, 0.0, 0.0, 0.0), "fr_FR": (0.3, 0.3, 0.4, 0.0, 0.0, 0.0)}
NOW = {"en_US": (0.55, 0.15, 0.2, 0.1, 0.0, 0.0), "fr_FR": (0.3, 0.3, 0.4, 0.0, 0.0, 0.0)}


@once
def two_weeks() -> Version:
    version = define()
    seed = 30
    for day, shares in ((1, NOW), (5, NOW), (9, BEFORE), (13, BEFORE)):
        for locale, own in shares.items():
            seed += 1
            send_shares(version, 1500, locale=locale, day=days_ago(day), shares=own, seed=seed)
    aggregate(version)
    return version
