"""Every address of the site, found by walking the URL configuration: a new view cannot be forgotten."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from django.urls import URLPattern, URLResolver, get_resolver, reverse

# Stand-in for a part of a route in the admin, where one converter serves all models.
ADMIN_OBJECT = "object_id"
# Files of views that show nothing before they are asked for something.
_FILES = [f"{name}_{form}" for name in ("element", "element_places") for form in ("csv", "json", "parquet")]
QUERIES = {
    **dict.fromkeys(("element", *_FILES), "?element=apple"),
    **dict.fromkeys(("search", "search_json"), "?q=apple"),
    **dict.fromkeys(("api_changes", *(f"changes_{form}" for form in ("csv", "json", "parquet"))), "?days=1"),
}


@dataclass(frozen=True)
class Address:
    """A named view, or one of the admin, and how it is called."""

    name: str
    # Names of what stands in the route, in its order.
    arguments: tuple[str, ...]
    defaults: Mapping[str, Any]

    def path(self, values: Mapping[str, object]) -> str:
        """The path with an example for each argument. Raises KeyError for what has none."""
        return reverse(self.name, kwargs={name: values[name] for name in self.arguments}) + QUERIES.get(self.name, "")


def addresses() -> list[Address]:
    """All of them, but for catch-alls, which have no name."""
    return list(_walk(get_resolver(), "", ()))


def _walk(resolver: URLResolver, namespace: str, outer: tuple[str, ...]) -> Iterator[Address]:
    for pattern in resolver.url_patterns:
        own = tuple(pattern.pattern.converters) or tuple(re.findall(r"\?P<(\w+)>", str(pattern.pattern)))
        if isinstance(pattern, URLResolver):
            inner = f"{namespace}{pattern.namespace}:" if pattern.namespace else namespace
            yield from _walk(pattern, inner, outer + own)
        elif pattern.name:
            yield Address(namespace + pattern.name, outer + own, pattern.default_args)


def named(part: str) -> list[Address]:
    """Addresses whose names begin so, the one that logs out last."""
    found = [address for address in addresses() if re.match(part, address.name)]
    return sorted(found, key=lambda address: "logout" in address.name)


def without_name() -> list[str]:
    """Routes of views that have no name."""
    return [
        str(pattern.pattern)
        for resolver in _resolvers(get_resolver())
        for pattern in resolver.url_patterns
        if isinstance(pattern, URLPattern) and not pattern.name
    ]


def _resolvers(resolver: URLResolver) -> Iterator[URLResolver]:
    yield resolver
    for pattern in resolver.url_patterns:
        if isinstance(pattern, URLResolver):
            yield from _resolvers(pattern)
