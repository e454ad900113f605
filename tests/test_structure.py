"""Who may import whom: arrows between packages, and inside `reports`, run one way."""

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from ldpsite.env import BASE_DIR

pytestmark = pytest.mark.exact

PACKAGES = ("aggregation", "ldpsite", "reports")

# Module or package -> what none of its modules may import, wherever in the file the import stands.
FORBIDDEN = {
    "aggregation": ["benchmarks", "celery", "django", "ldpsite", "reports", "rest_framework", "tests"],
    "reports": ["benchmarks", "ldpsite", "tests"],
    "ldpsite": ["aggregation", "benchmarks", "tests"],
    # From what is stored, over what is done with it, to how people meet it.
    "reports.ingest": ["reports.admin", "reports.api", "reports.pages", "reports.results", "reports.runs"],
    "reports.results": [f"reports.{name}" for name in ("admin", "api", "ingest", "pages", "runs", "subscriptions")],
    "reports.runs": ["reports.admin", "reports.api", "reports.pages"],
    "reports.definitions": [
        f"reports.{name}" for name in ("admin", "api", "ingest", "pages", "results", "runs", "simulation")
    ],
    # Results ask it about words, and not the other way round.
    "reports.words": [
        f"reports.{name}" for name in ("admin", "api", "definitions", "ingest", "pages", "results", "runs")
    ],
    # Runs ring when something is published; what is news is asked of results.
    "reports.subscriptions": [
        f"reports.{name}" for name in ("admin", "api", "definitions", "ingest", "pages", "runs", "simulation")
    ],
    "reports.privacy": ["reports.admin", "reports.api", "reports.pages"],
    "reports.pages": ["reports.admin", "reports.api"],
    "reports.api": ["reports.admin", "reports.pages"],
    "reports.admin": ["reports.api", "reports.pages"],
    "reports.storage": ["reports.definitions", "reports.ingest", "reports.results", "reports.runs"],
}
# Module or package -> all that its modules may import of the project.
ALLOWED = {
    "reports.models": ["aggregation", "reports.models"],
    "aggregation": ["aggregation"],
    # Only where everything is put together: the list of addresses.
    "ldpsite": ["ldpsite", "reports.urls"],
}


def is_within(module: str, package: str) -> bool:
    return module == package or module.startswith(f"{package}.")


@cache
def paths() -> dict[str, Path]:
    """The file of every module of the project."""
    found = {}
    for package in PACKAGES:
        for path in (BASE_DIR / package).rglob("*.py"):
            parts = path.relative_to(BASE_DIR).with_suffix("").parts
            found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def imported(source: str, module: str, is_package: bool) -> Iterator[str]:
    """What a file imports: module names, and names in modules, which may be modules too."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                parents = module.split(".")
                kept = parents[: len(parents) - node.level + is_package]
                base = ".".join([*kept, base] if base else kept)
            yield from (f"{base}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Call) and ast.unparse(node.func).split(".")[-1] in {"include", "import_module"}:
            # Modules that are named in texts.
            yield from (
                word.value for word in node.args if isinstance(word, ast.Constant) and isinstance(word.value, str)
            )


@cache
def imports(module: str) -> frozenset[str]:
    path = paths()[module]
    return frozenset(imported(path.read_text(encoding="utf-8"), module, path.name == "__init__.py"))


def modules_within(package: str) -> list[str]:
    found = [module for module in paths() if is_within(module, package)]
    assert found, f"there is no {package}: correct the lists above"
    return found


@pytest.mark.parametrize("package", FORBIDDEN)
def test_does_not_import(package: str) -> None:
    wrong = [
        f"{module} imports {name}"
        for module in modules_within(package)
        for name in imports(module)
        if any(is_within(name, forbidden) for forbidden in FORBIDDEN[package])
    ]
    assert not wrong


@pytest.mark.parametrize("package", ALLOWED)
def test_imports_of_the_project_only(package: str) -> None:
    wrong = [
        f"{module} imports {name}"
        for module in modules_within(package)
        for name in imports(module)
        if any(is_within(name, own) for own in PACKAGES)
        and not any(is_within(name, allowed) for allowed in ALLOWED[package])
    ]
    assert not wrong


def test_no_circles_within_the_mathematics() -> None:
    arrows = {
        module: {target for name in imports(module) if (target := module_of(name)) and target != module}
        for module in paths()
        if is_within(module, "aggregation")
    }
    done: set[str] = set()
    while ready := {module for module, targets in arrows.items() if module not in done and targets <= done}:
        done |= ready
    assert sorted(set(arrows) - done) == []


def module_of(name: str) -> str:
    """The module that a name is, or is in; empty if it is none of the project's."""
    while name and name not in paths():
        name = name.rpartition(".")[0]
    return name


EXAMPLE = """
import a.b, c
from d import e
from . import f
from ..g import h
if TYPE_CHECKING:
    import i
def later():
    from j.k import l
    importlib.import_module("m.n")
path("", include("o.urls"))
"""


def test_every_form_of_import_is_seen() -> None:
    expected = {"a.b", "c", "d.e", "i", "j.k.l", "m.n", "o.urls"}
    assert set(imported(EXAMPLE, "x.y.z", False)) == expected | {"x.y.f", "x.g.h"}
    assert set(imported(EXAMPLE, "x.y", True)) == expected | {"x.y.f", "x.g.h"}
    assert {"reports.ingest.seal_days", "reports.runs.tasks"} <= imports("reports.runs.planning")
    assert "reports.urls" in imports("ldpsite.urls")
