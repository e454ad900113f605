"""Finds the one file of the Plotly package that browsers need, so that no copy of it is kept here."""

from collections.abc import Iterable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from django.contrib.staticfiles.finders import BaseFinder
from django.core.checks import CheckMessage
from django.core.files.storage import FileSystemStorage

FILE = "plotly.min.js"
PREFIX = "plotly"


def _folder() -> Path:
    # The package is only located, not imported: collecting static files needs none of it.
    spec = find_spec("plotly")
    if spec is None or spec.origin is None:
        raise ModuleNotFoundError("plotly is not installed")
    return Path(spec.origin).parent / "package_data"


class PlotlyFinder(BaseFinder):
    def __init__(self, app_names: Any = None, *args: Any, **kwargs: Any) -> None:
        self.storage = FileSystemStorage(location=_folder())
        self.storage.prefix = PREFIX  # type: ignore[attr-defined]  # where `collectstatic` puts what we list

    def check(self, **kwargs: Any) -> list[CheckMessage]:
        return []

    def find(self, path: str, find_all: bool = False, **kwargs: Any) -> Any:
        if path != f"{PREFIX}/{FILE}":
            return []
        found = self.storage.path(FILE)
        return [found] if find_all else found

    def list(self, ignore_patterns: Iterable[str] | None) -> Iterator[tuple[str, FileSystemStorage]]:
        yield FILE, self.storage
