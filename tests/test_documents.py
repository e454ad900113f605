"""Documents name files, headings and variables that exist: who reads where something is finds it there."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from ldpsite.env import BASE_DIR

pytestmark = pytest.mark.exact

FOLDERS = ("aggregation", "benchmarks", "docs", "ldpsite", "reports", "templates", "tests")
DOCUMENTS = [BASE_DIR / "README.md", *sorted((BASE_DIR / "docs").glob("*.md"))]
NAMED = re.compile(r"`((?:[\w-]+/)*[\w-]+\.(?:py|html|js|css|md))`")
LINK = re.compile(r"\]\(([\w./-]*)(?:#([\w-]+))?\)")
VARIABLE = re.compile(r"\b(?:LDPSITE_[A-Z_]+[A-Z]|DATABASE_URL|CELERY_BROKER_URL|DEMO_REPORTS)\b")
READ = re.compile(rf'(?:env\w*|environ\.get)\("({VARIABLE.pattern})"')


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


def anchors(document: Path) -> set[str]:
    """Return what links to headings of a document are called."""
    headings = re.findall(r"^#+ (.+)$", document.read_text("utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda document: document.name)
def test_links_lead_to_files_and_headings(document: Path) -> None:
    for name, anchor in LINK.findall(document.read_text("utf-8")):
        target = document.parent / name if name else document
        assert target.exists(), name
        assert not anchor or anchor in anchors(target), f"{name}#{anchor}"


def test_variables_of_the_environment_are_those_that_are_read() -> None:
    modules = [path for folder in ("ldpsite", "reports") for path in (BASE_DIR / folder).rglob("*.py")]
    read = {name for path in modules for name in READ.findall(path.read_text("utf-8"))}
    documents = [BASE_DIR / "docs" / name for name in ("operations.md", "single-sign-on.md")]
    named = [name for document in documents for name in VARIABLE.findall(document.read_text("utf-8"))]
    assert read == {name.removesuffix("_FILE") for name in named}
