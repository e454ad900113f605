"""Device code draws from the operating system's generator alone, and all that is drawn comes from there."""

import ast
import hashlib
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from aggregation.mechanisms import Mechanism
from tests.aggregation.device.helpers import Bench
from tests.aggregation.helpers import count_mean, fragment_puzzle, hadamard_count_mean

pytestmark = pytest.mark.exact

ROOT = Path(__file__).resolve().parents[3]
GENERATORS = ("random", "numpy.random", "uuid", "tempfile", "scipy.stats")


def is_fleet(name: str) -> bool:
    """Simulations, which are handed a seeded generator and say so."""
    return name == "privatize_fleet" or name.startswith("fleet_")


def is_of_the_server(name: str) -> bool:
    """Tell whether no device calls it: simulations, and loaders of the parts of a mechanism that are a server's."""
    return is_fleet(name) or name in ("part_of", "distribution_of")


class Checker(ast.NodeVisitor):
    """Finds imports of other generators, and calls by which a device could come to one."""

    def __init__(self) -> None:
        self.problems: list[str] = []
        self.functions: list[str] = []

    def complain(self, node: ast.AST) -> None:
        if not any(map(is_of_the_server, self.functions)):
            self.problems.append(ast.unparse(node))

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        self.functions.append(node.name)
        self.generic_visit(node)
        self.functions.pop()

    def visit_Import(self, node: ast.Import) -> None:
        if any(alias.name in GENERATORS for alias in node.names):
            self.problems.append(ast.unparse(node))

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        names = {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
        if names & set(GENERATORS):
            self.problems.append(ast.unparse(node))

    def visit_Attribute(self, node: ast.Attribute) -> None:
        if node.attr in ("random", "default_rng", "RandomState"):
            self.complain(node)
        self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> None:
        called = ast.unparse(node.func).rpartition(".")[2]
        texts = [word.value for word in node.args if isinstance(word, ast.Constant)]
        if is_of_the_server(called) or (called in ("import_module", "__import__") and texts[:1] != ["os"]):
            self.complain(node)
        self.generic_visit(node)


def problems(source: str) -> list[str]:
    checker = Checker()
    checker.visit(ast.parse(source))
    return checker.problems


def imported(path: Path) -> Iterator[Path]:
    """The files of the project that a file imports."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        names: list[str] = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            above = path.relative_to(ROOT).parts[: -node.level] if node.level else ()
            module = ".".join([*above, node.module] if node.module else above)
            names = [module, *(f"{module}.{alias.name}" for alias in node.names)]
        for name in names:
            place = ROOT / name.replace(".", "/")
            yield from (file for file in (place.with_suffix(".py"), place / "__init__.py") if file.is_file())


def device_files() -> set[Path]:
    """The files that a device runs: its package, and all that this imports, and so on."""
    found, new = set[Path](), set((ROOT / "aggregation/device").glob("*.py"))
    while new:
        found |= new
        new = {file for path in new for file in imported(path)} - found
    return found


def test_device_code_has_no_other_generator() -> None:
    files = device_files()
    names = {path.relative_to(ROOT).as_posix() for path in files}
    assert {"aggregation/device/sampling.py", "aggregation/randomness.py", "aggregation/sketches/hashing.py"} <= names
    for name in ("count_mean_sketch", "sequence_fragment_puzzle"):
        assert {f"aggregation/mechanisms/{name}/{part}.py" for part in ("client", "encoding", "parameters")} <= names
    assert {str(path): found for path in files if (found := problems(path.read_text(encoding="utf-8")))} == {}


@pytest.mark.parametrize(
    "broken",
    [
        "import random",
        "import numpy.random",
        "from numpy import random",
        "from numpy.random import default_rng as draw",
        "from random import SystemRandom",
        "import uuid",
        "import numpy as np\nrng = np.random.default_rng(0)",
        "class A:\n    def privatize(self, element):\n        return np.random.default_rng(7).integers(9)",
        "def device_flips(count, t):\n    return fleet_flips(1, count, t, RNG)",
        "def privatize(self, element):\n    return self.privatize_fleet([element], [0], RNG)",
        "def privatize(self, element):\n    return __import__('random').random()",
        "def privatize(self, element):\n    return importlib.import_module(NAME)",
        "def privatize(self, element):\n    return numpy.random.RandomState(1)",
    ],
)
def test_broken_code_is_caught(broken: str) -> None:
    assert problems(broken)


def test_good_code_is_not() -> None:
    assert not problems("import os\ndef privatize(self, element):\n    return os.urandom(8)")
    assert not problems("import secrets\ndef privatize(self, element):\n    return secrets.randbelow(8)")
    assert not problems("def fleet_flips(rng: np.random.Generator):\n    return rng.integers(8)")


def stream(seed: bytes) -> Callable[[int], bytes]:
    """Return a stand-in for os.urandom, with bytes that the seed determines."""
    drawn = 0

    def urandom(size: int) -> bytes:
        nonlocal drawn
        drawn += 1
        return hashlib.shake_256(seed + drawn.to_bytes(8, "big")).digest(size)

    return urandom


@pytest.mark.parametrize(
    "own", [count_mean("4", 64, 64), hadamard_count_mean("4", 64, 64), fragment_puzzle("2", "6")], ids=type
)
def test_records_are_determined_by_the_systems_bytes(own: Mechanism, monkeypatch: pytest.MonkeyPatch) -> None:
    def records(seed: bytes) -> list[str]:
        monkeypatch.setattr(os, "urandom", stream(seed))
        return [own.privatize("abcd") for _ in range(20)]

    first = records(b"a")
    assert records(b"a") == first
    assert len(set(first)) > 10
    assert records(b"b") != first


def test_all_that_a_device_does_is_determined_by_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Delays, samples, shuffles, keys and jitter, too."""

    def life(name: str, seed: bytes) -> tuple[Any, ...]:
        monkeypatch.setattr(os, "urandom", stream(seed))
        bench = Bench(tmp_path / name, 503, 503).ready()
        bench.observe("energy", 5)
        bench.observe("emoji", 5, "😂", "fr_FR")
        due = [held["due"] for held in bench.device.stored()]
        bench.send_all_due()
        return bench.text, due, bench.server.requests, bench.slept

    first = life("first", b"a")
    assert life("second", b"a") == first
    for part, other in zip(first, life("third", b"b"), strict=True):
        assert part != other
