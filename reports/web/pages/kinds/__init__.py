"""Differences on pages between use cases that count a dictionary and those that discover words: once per kind."""

from typing import Final

from reports.kinds import ByKind
from reports.models import Version
from reports.web.pages.kinds.counting import Counting
from reports.web.pages.kinds.discovery import Discovery
from reports.web.pages.kinds.page_kind import PageKind

PAGE_KINDS: Final = ByKind[PageKind](Counting(), Discovery())

__all__ = ["PAGE_KINDS", "PageKind", "page_kind"]


def page_kind(version: Version | None) -> PageKind:
    return PAGE_KINDS.of(version)
