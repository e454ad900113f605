"""Who may import whom: arrows between packages, and inside `reports`, run one way; and how docstrings begin."""

import ast
import re
from collections.abc import Iterator
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

from aggregation.mechanisms import MECHANISMS
from ldpsite.env import BASE_DIR

pytestmark = pytest.mark.exact

PACKAGES = ("aggregation", "ldpsite", "reports")

# Module or package -> what none of its modules may import, wherever in the file the import stands.
FORBIDDEN = {
    "aggregation": ["benchmarks", "celery", "django", "ldpsite", "reports", "rest_framework", "tests"],
    "reports": ["benchmarks", "ldpsite", "tests"],
    "ldpsite": ["aggregation", "benchmarks", "tests"],
    # How raw reports live does not know who counts them, what is shown of them, or when they are deleted: runs stand on
    # it, and retention, which aborts runs, on both.
    "reports.collection": [
        f"reports.{name}" for name in ("definitions", "notifications", "results", "retention", "runs")
    ],
    "reports.collection.devices": ["reports.collection.closing"],
    "reports.collection.ingest": [f"reports.collection.{name}" for name in ("closing", "devices", "quarantine")],
    "reports.runs": ["reports.retention"],
    # The rule that protects small numbers, below all that shows anything.
    "reports.publication": [
        f"reports.{name}" for name in ("collection", "definitions", "notifications", "results", "runs")
    ],
    "reports.results": [f"reports.{name}" for name in ("collection", "notifications", "runs")],
    "reports.definitions": [f"reports.{name}" for name in ("collection", "results", "runs", "simulation")],
    # Results ask it about words, and not the other way round.
    "reports.words": [f"reports.{name}" for name in ("collection", "definitions", "results", "runs")],
    # Runs call it when something is published; what is news is asked of results.
    "reports.notifications": [f"reports.{name}" for name in ("definitions", "runs", "simulation")],
    # Three faces, which do not know each other.
    "reports.web.pages": ["reports.web.admin", "reports.web.api"],
    "reports.web.api": ["reports.web.admin", "reports.web.pages"],
    "reports.web.admin": ["reports.web.api", "reports.web.pages"],
    "reports.storage": ["reports.collection", "reports.definitions", "reports.results", "reports.runs"],
    "reports.pending_files": ["reports.collection", "reports.definitions", "reports.results", "reports.runs"],
}
# Module or package -> all that its modules may import of the project.
ALLOWED = {
    "reports.kinds": ["aggregation", "reports.kinds"],
    # Jobs of any kind: which kinds there are is said by those who register them.
    "reports.jobs": [
        "reports.clock",
        "reports.jobs",
        "reports.locks",
        "reports.models.failures",
        "reports.models.jobs",
        "reports.pending_files",
        "reports.storage",
    ],
    "reports.models": ["aggregation", "reports.kinds", "reports.models"],
    "aggregation": ["aggregation"],
    # Only where everything is put together: the list of addresses.
    "ldpsite": ["ldpsite", "reports.web.web_urls"],
}
# Layers of the mathematics: modules and packages, the lowest first, each of which may import those above it in this
# list. `audit.device_runner` is a program, a client that is audited.
LAYERS = [
    {"arrays", "errors", "private_files"},
    {"randomness", "encoding", "domains"},
    {"sketches"},
    {"parameters", "estimation"},
    {"normalization", "accounting", "registry"},
    {"planning", "screening", "audit", "simulation", "evaluation", "training"},
    {"mechanisms"},
    {"discovery", "device", "sketch_bytes"},
    {"collected"},
    {"audit.device_runner", "estimates"},
    {"discovering"},
]


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


@cache
def tree_of(module: str) -> ast.Module:
    return ast.parse(paths()[module].read_text(encoding="utf-8"))


def name_of(node: ast.expr) -> str:
    """The name of a function that is called, without what it is in."""
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def walk(tree: ast.Module) -> Iterator[ast.AST]:
    """Yield every node, but for those that are read for types alone."""
    pending: list[ast.AST] = [tree]
    while pending:
        node = pending.pop()
        yield node
        is_for_types = isinstance(node, ast.If) and name_of(node.test) == "TYPE_CHECKING"
        pending += node.orelse if is_for_types else ast.iter_child_nodes(node)  # type: ignore[attr-defined]


def imported(tree: ast.Module, module: str, is_package: bool, *, for_types: bool = True) -> Iterator[str]:
    """Yield imports of a file: module names, and names in modules, which may be modules too; some for types alone."""
    for node in ast.walk(tree) if for_types else walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                parents = module.split(".")
                kept = parents[: len(parents) - node.level + is_package]
                base = ".".join([*kept, base] if base else kept)
            yield from (f"{base}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Call) and name_of(node.func) in {"include", "import_module"}:
            # Modules that are named in texts.
            yield from (
                word.value for word in node.args if isinstance(word, ast.Constant) and isinstance(word.value, str)
            )


@cache
def imports(module: str, *, for_types: bool = True) -> frozenset[str]:
    is_package = paths()[module].name == "__init__.py"
    return frozenset(imported(tree_of(module), module, is_package, for_types=for_types))


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


def test_pages_api_and_admin_are_imported_by_nothing_else() -> None:
    wrong = [
        f"{module} imports {name}"
        for module in modules_within("reports")
        # Django looks for tags of templates beside the models only.
        if not is_within(module, "reports.web") and not is_within(module, "reports.templatetags")
        for name in imports(module)
        if is_within(name, "reports.web")
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


def package_of(module: str) -> str:
    """The entry of the layers that a module of the mathematics is in."""
    inside = module.removeprefix("aggregation.")
    return max((own for layer in LAYERS for own in layer if is_within(inside, own)), key=len, default="")


def test_the_mathematics_stands_on_what_is_below() -> None:
    level = {own: number for number, layer in enumerate(LAYERS) for own in layer}
    wrong = [
        f"{module} imports {name}"
        for module in modules_within("aggregation")
        if module != "aggregation"
        for name in imports(module)
        if (target := module_of(name)).startswith("aggregation")
        and package_of(target) != package_of(module)
        and level[package_of(target)] >= level[package_of(module)]
    ]
    assert not wrong


@cache
def face(package: str) -> set[str]:
    """Return the names that a package lists in its ``__all__``; without one, those that it imports for others."""
    body = tree_of(package).body
    for node in body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
            return set(ast.literal_eval(node.value))
    own = {each.id for node in body for each in ast.walk(node) if isinstance(each, ast.Name)}
    return {alias.name for node in body if isinstance(node, ast.ImportFrom) for alias in node.names} - own


# Packages of `reports` that the others use by what their faces name.
WITH_FACES = (
    "reports.collection",
    "reports.collection.devices",
    "reports.collection.ingest",
    "reports.definitions",
    "reports.jobs",
    "reports.kinds",
    "reports.notifications",
    "reports.operations",
    "reports.operations.backup",
    "reports.operations.metrics",
    "reports.operations.monitoring",
    "reports.planning",
    "reports.privacy",
    "reports.publication",
    "reports.results",
    "reports.results.comparison",
    "reports.results.element",
    "reports.results.trend",
    "reports.retention",
    "reports.runs",
    "reports.words",
)
# Packages of packages, each of which may be made of another's parts.
FAMILIES = ("aggregation.mechanisms", "aggregation.training", "reports.collection")


def is_hidden(name: str, importer: str) -> bool:
    """Tell whether a name is behind the face of a package, or a family of packages, that the importer is not in."""
    target = module_of(name)
    package = target.rpartition(".")[0]
    has_face = package.startswith("aggregation.") or package in WITH_FACES
    if not has_face or paths()[target].name == "__init__.py":
        return False
    inside = any(is_within(importer, family) and is_within(target, family) for family in FAMILIES)
    inside = inside or is_within(importer, package) or importer == "aggregation.audit.device_runner"
    return not inside and name not in {f"{package}.{public}" for public in face(package)}


def test_packages_are_used_by_their_faces() -> None:
    wrong = [
        f"{module} imports {name}"
        for package in PACKAGES
        for module in modules_within(package)
        for name in imports(module)
        if is_hidden(name, module)
    ]
    assert not wrong
    assert is_hidden("aggregation.discovery.keys.fragment_keys", "reports.runs.counting_runs")
    assert not is_hidden("aggregation.discovery.fragment_keys", "reports.runs.counting_runs")
    assert is_hidden("reports.results.trend.points.Series", "reports.web.pages.trend.axis")


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
    assert set(imported(ast.parse(EXAMPLE), "x.y.z", False)) == expected | {"x.y.f", "x.g.h"}
    assert set(imported(ast.parse(EXAMPLE), "x.y", True)) == expected | {"x.y.f", "x.g.h"}
    assert set(imported(ast.parse(EXAMPLE), "x.y", True, for_types=False)) == expected - {"i"} | {"x.y.f", "x.g.h"}
    assert "reports.collection.seal_days" in imports("reports.runs.run_jobs")
    assert "reports.web.web_urls" in imports("ldpsite.urls")


# Modules beside a mechanism's package that name one: the library's face, and the device's example, which is of one
# record that was made once.
NAMES_OF_MECHANISMS = set(MECHANISMS)
NAMING = {
    "aggregation",
    "reports.web.pages.what_leaves.recorded_example",
}


def words_in_code(module: str) -> Iterator[str]:
    """Names and whole texts of a module; its docstrings are none."""
    for node in ast.walk(tree_of(module)):
        if isinstance(node, ast.Name):
            yield node.id
        elif isinstance(node, ast.alias):
            yield node.name
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value


def test_no_mechanism_is_named_outside_its_package() -> None:
    naming = {
        module
        for package in ("aggregation", "reports")
        for module in modules_within(package)
        if not is_within(module, "aggregation.mechanisms") and NAMES_OF_MECHANISMS & set(words_in_code(module))
    }
    assert sorted(naming - NAMING) == []


def is_fork(node: ast.AST) -> bool:
    """Tell whether a node tells kinds apart by itself: it compares one, or asks whether a mechanism discovers."""
    if isinstance(node, ast.Compare):
        sides = (node.left, *node.comparators)
        return any(isinstance(side, ast.Name) and side.id in {"COUNTING", "DISCOVERY"} for side in sides)
    asks = isinstance(node, ast.Call) and name_of(node.func) == "isinstance"
    return asks and "FragmentPuzzle" in ast.unparse(node)


def test_kinds_are_told_apart_by_their_package_alone() -> None:
    forks = [
        f"{module}:{node.lineno}"
        for module in modules_within("reports")
        if not is_within(module, "reports.kinds")
        for node in ast.walk(tree_of(module))
        if isinstance(node, ast.expr) and is_fork(node)
    ]
    assert not forks, "what differs is a `ByKind`"
    assert is_fork(ast.parse("kind_of(version) is DISCOVERY", mode="eval").body)
    assert is_fork(ast.parse("isinstance(found, SequenceFragmentPuzzle)", mode="eval").body)


def needs(module: str) -> set[str]:
    """The modules that have to be imported before a module: what it imports, and the packages that these lie in."""
    found = set()
    for name in imports(module, for_types=False):
        target = module_of(name)
        while target in paths():
            if target != module and not is_within(module, target):
                found.add(target)
            target = target.rpartition(".")[0]
    return found


def test_no_imports_go_round_in_a_circle() -> None:
    graph = {module: needs(module) for module in paths()}
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        pytest.fail(" → ".join(error.args[1]))


WRITTEN = (*PACKAGES, "benchmarks", "clients", "tests", "tools")
DOCSTRING = re.compile(r'^ *"""(.*?)"""', re.MULTILINE | re.DOTALL)
# A block of lines that are comments alone, or what stands behind code.
COMMENT = re.compile(r"^ *# (.*(?:\n *# .*)*)|  # (.*)", re.MULTILINE)
# Beginnings that leave their subject to the line below, and pronouns for people that leave out whose part is meant.
UNNAMED = re.compile(
    r"(?:The same|Of|Those|These|What|Which|Whoever|As for)\b|.*\b(?i:somebody|nobody|whoever)\b(?!`)", re.DOTALL
)
# Beginnings of docstrings that leave out the verb, or the noun, that they are about.
WITHOUT_SUBJECT = re.compile(r"(?:None|Without|For|How|Whether)\b")


def unnamed(text: str) -> list[str]:
    """Return the docstrings and comments that do not name their subject."""
    docstrings = DOCSTRING.findall(text)
    found = docstrings + ["".join(each) for each in COMMENT.findall(text)]
    return [each for each in found if UNNAMED.match(each)] + [
        each for each in docstrings if WITHOUT_SUBJECT.match(each)
    ]


def test_docstrings_and_comments_name_their_subject() -> None:
    files = [path for folder in WRITTEN for path in (BASE_DIR / folder).rglob("*.py") if "migrations" not in path.parts]
    wrong = {path.relative_to(BASE_DIR).as_posix(): unnamed(path.read_text(encoding="utf-8")) for path in files}
    assert {name: found for name, found in wrong.items() if found} == {}
    assert all(
        map(unnamed, ('"""The same, for several."""', '"""None without any."""', "# Those.", "# So that nobody waits."))
    )
    assert not unnamed("# Names:\n# Of one side, for the user `nobody`.")
