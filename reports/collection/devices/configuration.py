"""The device configuration: what devices are asked, in one document that is the same for all of them."""

import hashlib
import json
from dataclasses import dataclass
from typing import Any

from reports.models import UseCase, Version


@dataclass(frozen=True)
class Published:
    """Device configuration as it is given out, and the hash by which people see that all devices get the same."""

    body: bytes
    sha256: str


def configuration() -> dict[str, Any]:
    """Return the device configuration: every running use case under its active version."""
    running = Version.objects.active().filter(use_case__state=UseCase.State.RUNNING, use_case__simulation_of=None)
    groups: dict[str, int] = {}
    use_cases = []
    for version in running.select_related("use_case__budget_group").order_by():
        use_case, group = version.use_case, version.use_case.budget_group
        if group is not None:
            groups[group.name] = group.daily_limit
        use_cases.append(
            {
                "slug": use_case.slug,
                "title": use_case.title,
                "daily_limit": use_case.reports_per_day,
                "budget_group": None if group is None else group.name,
                "algorithm": version.algorithm,
                "parameters": version.parameters,
                "normalization": version.normalization,
                "keep_case": version.keep_case,
                "alphabet": version.alphabet,
                "locales": version.locales,
                **_dictionary(version),
            }
        )
    return {
        "version": 1,
        "budget_groups": [{"name": name, "daily_limit": limit} for name, limit in sorted(groups.items())],
        # Not by the database, which sorts by the rules of its language.
        "use_cases": sorted(use_cases, key=lambda item: item["slug"]),
    }


def _dictionary(version: Version) -> dict[str, Any]:
    """Return the elements, where devices need them: which elements are counted is public then."""
    elements = version.device_mechanism.elements
    return {} if elements is None else {"dictionary": elements}


def published() -> Published:
    """Return the configuration in bytes that depend on nothing but what is in it."""
    text = json.dumps(configuration(), ensure_ascii=False, separators=(",", ":"), sort_keys=True)
    body = text.encode()
    return Published(body, hashlib.sha256(body).hexdigest())
