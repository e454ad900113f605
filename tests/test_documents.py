"""Documents name files that exist: who reads where something is finds it there."""

import re
from collections.abc import Iterator

import pytest

from ldpsite.env import BASE_DIR

pytestmark = pytest.mark.exact

FOLDERS = ("aggregation", "benchmarks", "docs", "ldpsite", "reports", "templates", "tests")
DOCUMENTS = [BASE_DIR / "README.md", *sorted((BASE_DIR / "docs").glob("*.md"))]
NAMED = re.compile(r"`((?:[\w-]+/)*[\w-]+\.(?:py|html|js|css|md))`")


def endings() -> Iterator[str]:
    """Every file by its path, and by each end of it: documents leave out the folder that they are about."""
    for folder in FOLDERS:
        for path in (BASE_DIR / folder).rglob("*.*"):
            parts = path.relative_to(BASE_DIR).parts
            yield from ("/".join(parts[first:]) for first in range(len(parts)))


def test_files_that_documents_name_exist() -> None:
    there = {*endings(), *(path.name for path in BASE_DIR.glob("*.*"))}
    named = [(document.name, name) for document in DOCUMENTS for name in NAMED.findall(document.read_text("utf-8"))]
    assert [each for each in named if each[1] not in there] == []
    assert ("architecture.md", "publication/cutting.py") in named
