"""A use case that moved to another mechanism: days of the older version, one day of both, and days of the newer."""

from typing import Any, Final

from reports.models import Version
from tests.reports.small_fleet import define
from tests.reports.trends import publish_day
from tests.worlds import once

LOCAL_HASHING: Final[dict[str, Any]] = {
    "algorithm": "LocalHashing",
    "parameters": {"epsilon": 4, "k": 1024, "g": 56, "seed": "1e" * 16},
}


@once
def changed() -> Version:
    """Version 1 counted the days from 6 to 3 days ago, version 2 those from 3 days ago to yesterday."""
    before = define()
    for back in (6, 5, 4, 3):
        publish_day(before, back, {"apple": 5000 + back, "cherry": 300}, n=10_000)
    after = define(**LOCAL_HASHING)
    for back in (3, 2, 1):
        publish_day(after, back, {"apple": 9000 + back}, n=20_000)
    return after
