"""The library as a wheel: built, installed where nothing but NumPy is, and its README run."""

import ast
import json
import re
import zipfile
from pathlib import Path

import pytest

from ldpsite.env import BASE_DIR
from tests.environments import built, installed, run

pytestmark = pytest.mark.statistical  # for the example, whose reports are private

README = (BASE_DIR / "library" / "README.md").read_text(encoding="utf-8")
FIVE_MINUTES = """\
from ldpsketch import CountMeanSketch, Sketch, estimate
cms = CountMeanSketch(epsilon=4, k=1024, m=1024, seed=7)
sketch = Sketch(cms); sketch.update(cms.privatize(word) for word in typed)      # or sketch.merge(other)
result = estimate(sketch, words)        # .count .standard_error .lower .upper .significant
"""
LINE = re.compile(r"(\w+): (-?\d+), 95% interval -?\d+ to -?\d+ (|\(may be noise\))")
# Imports all there is, and tells what was missing and which packages were found.
INSIDE = """
import importlib, json, pkgutil, sys
import ldpsketch
names = [module.name for module in pkgutil.walk_packages(ldpsketch.__path__, "ldpsketch.")]
missing = []
for name in names:
    try:
        importlib.import_module(name)
    except ModuleNotFoundError as error:
        missing.append((name, error.name))
installed = [name for name, module in sys.modules.items() if "site-packages" in str(getattr(module, "__file__", ""))]
print(json.dumps([len(names), missing, sorted({name.partition(".")[0] for name in installed})]))
"""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return built("library", tmp_path_factory.mktemp("dist"))


@pytest.fixture(scope="module")
def python(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The Python of an environment with the wheel, and NumPy."""
    return installed(str(wheel), tmp_path_factory.mktemp("environment"), "numpy")


def test_the_wheel_has_types_and_no_tests(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    assert {"ldpsketch/__init__.py", "ldpsketch/py.typed", "ldpsketch/LICENSE"} <= set(names)
    assert not [name for name in names if "/test" in name or "__pycache__" in name]
    assert {name.partition("/")[0].partition("-")[0] for name in names} == {"ldpsketch"}


def test_the_readme_runs_in_an_empty_environment(python: Path) -> None:
    blocks = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
    assert FIVE_MINUTES in blocks
    *counts, reports, found = run(python, "-I", "-W", "error", "-c", "\n".join(blocks)).splitlines()
    said = [LINE.fullmatch(line) for line in counts]
    (_, hello, seen), (_, world, seen_too), (_, moon, _) = [line.groups() if line else ("", 0, "") for line in said]
    # Within seven standard errors; what is above the threshold is so by five.
    assert [abs(int(found) - true) < 95 for found, true in ((hello, 900), (world, 100), (moon, 0))] == [True] * 3
    assert (seen, seen_too) == ("", "")
    assert reports == "1001 reports"
    assert {"fomo", "yolo"} <= set(ast.literal_eval(found))


def test_everything_but_the_extras_is_there_with_numpy_alone(python: Path) -> None:
    number, missing, packages = json.loads(run(python, "-I", "-c", INSIDE))
    assert number > 100
    extras = {name: package for name, package in missing if not name.startswith("ldpsketch.training.roles")}
    assert extras == {"ldpsketch.domains": "idna"}
    assert {package for _, package in missing} == {"idna", "cryptography"}
    assert packages == ["ldpsketch", "numpy"]


def test_what_needs_the_extra_says_so(python: Path) -> None:
    program = """
from ldpsketch import normalize
print(normalize("domain", "www.example.org"))
try:
    normalize("domain", "WWW.Example.org")
except ModuleNotFoundError as error:
    print(error)
"""
    plain, error = run(python, "-I", "-c", program).splitlines()
    assert plain == "www.example.org"
    assert "idna" in error


def test_the_installed_client_is_audited(python: Path) -> None:
    program = """
from ldpsketch import CountMeanSketch
from ldpsketch.audit import audit, python_client
outcome = audit(CountMeanSketch(epsilon=2, k=16, m=64, seed=7), ["a", "b"], python_client(), 400, lambda *_: None)
print(outcome.runs, outcome.faults)
"""
    assert run(python, "-I", "-c", program).strip() == "400 ()"
