"""Query strings without NUL, which is in no name and which the database refuses, and the keys that they name."""

import re
from collections.abc import Callable
from typing import Final

from django.http import HttpRequest, HttpResponse

_REPLACEMENT: Final = "%EF%BF%BD"
# No key of a row has more digits.
_KEY: Final = re.compile("[0-9]{1,18}")


def key_of(text: str) -> int | None:
    """Return the key of a row; None for what is none, however many digits it has."""
    return int(text) if _KEY.fullmatch(text) else None


def without_nul(query: str) -> str:
    """Return a query string with the replacement character in the place of NUL, written as it is or as %00."""
    return query.replace("%00", _REPLACEMENT).replace("\0", _REPLACEMENT)


def queries_without_nul(get_response: Callable[[HttpRequest], HttpResponse]) -> Callable[[HttpRequest], HttpResponse]:
    """Replace NUL in the query strings of all requests, before any view reads them."""

    def middleware(request: HttpRequest) -> HttpResponse:
        request.META["QUERY_STRING"] = without_nul(request.META.get("QUERY_STRING", ""))
        return get_response(request)

    return middleware
