"""Programs that ask for what a page shows: a command of the shell, and lines of Python."""

import json
import shlex
from collections.abc import Sequence
from typing import Final, NamedTuple
from urllib.parse import parse_qsl, urlencode, urlsplit

from django.http import HttpRequest
from django.urls import reverse

from reports.results.comparison import OTHER


class _Asked(NamedTuple):
    """The address of the API, and the method of the client, that answer what a page shows."""

    address: str
    method: str


class Programs(NamedTuple):
    curl: str
    python: str


# By the name of the page.
_ASKED: Final = {
    "use_case": _Asked("api_histogram", "histogram"),
    "compare": _Asked("api_comparison", "compare"),
    "trend": _Asked("api_trend", "trend"),
    "changes": _Asked("api_changes", "changes"),
    "locales": _Asked("api_all_locales", "all_locales"),
}
# They change the chart of the page alone.
_OF_CHARTS: Final = {"unit", "scale"}
# Parameters that the client names otherwise than the API, and those of its arguments that are numbers.
_NAMES: Final = {"from": "first", "to": "last", "q": "search"}
_NUMBERS: Final = {"version", "top", "days", "step", f"{OTHER}days"}
# Arguments longer than this stand on lines of their own.
_LINE: Final = 60


def programs_for(request: HttpRequest, exactly: str) -> Programs | None:
    """Return programs that ask for what the page shows at its exact address; None if the API does not have it.

    They read the token from the environment: neither holds one.
    """
    match = request.resolver_match
    asked = _ASKED.get(match.url_name or "") if match is not None else None
    if match is None or asked is None:
        return None
    query = [(name, value) for name, value in parse_qsl(urlsplit(exactly).query) if name not in _OF_CHARTS]
    slug = match.kwargs["slug"]
    address = request.build_absolute_uri(f"{reverse(asked.address, args=[slug])}?{urlencode(query)}")
    site = request.build_absolute_uri(reverse("home"))
    method, arguments = "words" if "words" in dict(query) else asked.method, _arguments(query)
    given = ", ".join(arguments)
    if len(given) > _LINE:
        given = "".join(f"\n    {argument}," for argument in arguments) + "\n"
    return Programs(
        f'curl --fail-with-body --header "Authorization: Bearer $LDPSITE_TOKEN" \\\n  {shlex.quote(address)}',
        "from ldpsite_client import Site\n"
        f"use_case = Site({_text(site)}).use_case({_text(slug)})\n"
        f"frame = use_case.{method}({given}).to_frame()",
    )


def _arguments(query: Sequence[tuple[str, str]]) -> list[str]:
    elements = [_text(value) for name, value in query if name == "element"]
    return [*elements, *(f"{_called(name)}={_value(name, value)}" for name, value in query if name != "element")]


def _called(name: str) -> str:
    own = name.removeprefix(OTHER)
    called = {"words": "which"}.get(own) or _NAMES.get(own, own)
    return f"other_{called}" if name.startswith(OTHER) else called


def _value(name: str, value: str) -> str:
    return value if name in _NUMBERS else _text(value)


def _text(value: str) -> str:
    """Write a text as Python does: JSON's escapes are among Python's."""
    return json.dumps(value, ensure_ascii=False)
