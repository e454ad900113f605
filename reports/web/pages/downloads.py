"""Files of what a page shows, and the address of exactly that."""

from dataclasses import dataclass

from django.http import HttpRequest
from django.urls import reverse


@dataclass(frozen=True)
class Download:
    """A file of the numbers."""

    label: str
    address: str


def downloads(slug: str, parameters: str, **views: str) -> list[Download]:
    """A download for each label, given the name of its view, all with the same query string."""
    return [Download(label, f"{reverse(name, args=[slug])}?{parameters}") for label, name in views.items()]


def exact_address(request: HttpRequest, parameters: str) -> str:
    """The whole address of a page with other parameters, to be sent to somebody."""
    return request.build_absolute_uri(f"{request.path}?{parameters}")
