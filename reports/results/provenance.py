"""Provenance of numbers, in the same fields of every document, and where they are seen."""

from collections.abc import Iterable
from typing import Any, Final, Protocol

from django.urls import reverse

from reports.models import UseCase, Version

# By what a version counts.
OF_VERSION: Final = ("version", "algorithm", "parameters")
# Confidence of all intervals that are shown, and of the bounds below a threshold.
CONFIDENCE: Final = 0.95


class Request(Protocol):
    """Request as Django and the API know it."""

    def build_absolute_uri(self, location: str) -> str: ...


class Query(Protocol):
    """Requested parameters, as the URL has them."""

    def encoded(self) -> str: ...


def provenance(version: Version) -> dict[str, Any]:
    """Return what all numbers of a version have in common."""
    return {
        "use_case": version.use_case.slug,
        "version": version.number,
        "algorithm": version.algorithm,
        "parameters": version.mechanism.encoded_parameters(),
        "confidence": CONFIDENCE,
    }


def other_versions(version: Version, found: Iterable[Version]) -> list[dict[str, Any]]:
    """The versions found beside the one looked at, the oldest first, with their mechanisms."""
    # By their keys: there may be thousands.
    known = {other.id: other for other in found if other.id != version.id}
    others = sorted(known.values(), key=lambda other: other.number)
    return [{name: provenance(other)[name] for name in OF_VERSION} for other in others]


def page_address(request: Request, page: str, use_case: UseCase, exactly: Query) -> str:
    """The whole address of the page that shows this, whichever address was asked for; `exactly` says all in full."""
    return request.build_absolute_uri(f"{reverse(page, args=[use_case.slug])}?{exactly.encoded()}")
