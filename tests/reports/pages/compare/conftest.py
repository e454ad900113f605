"""Two locales that are compared."""

import pytest

from reports.models import Version
from tests.reports.comparing import send_shares
from tests.reports.small_fleet import aggregate, days_ago, define


@pytest.fixture
def both(db: None) -> Version:
    version = define()
    for seed, locale in ((0, "en_US"), (2, "fr_FR")):  # with almost as many bananas
        send_shares(version, 3000, locale=locale, day=days_ago(1), seed=seed)
    aggregate(version)
    return version
