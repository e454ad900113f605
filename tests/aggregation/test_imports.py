"""The mathematics stands alone: a notebook or a device can import it."""

import subprocess
import sys

import pytest

pytestmark = pytest.mark.exact

PROGRAM = """
import sys
for blocked in ("django", "scipy", "ldpsite", "reports", "celery"):
    sys.modules[blocked] = None
import importlib, pkgutil
import aggregation
names = [module.name for module in pkgutil.walk_packages(aggregation.__path__, "aggregation.")]
for name in names:
    importlib.import_module(name)
from aggregation.device.configuration import UseCase
from aggregation.mechanisms import mechanism_for
sketch = {"epsilon": 4, "k": 4, "m": 8, "seed": "00" * 16}
mechanism = mechanism_for("CountMeanSketch", sketch)
puzzle = mechanism_for("SequenceFragmentPuzzle", sketch | {f"fragment_{name}": 8 for name in "km"}
    | {"fragment_epsilon": 6, "length": 10})
words = UseCase("words", "Words", 1, None, puzzle, "word", ("und",), alphabet="dwy")
print(len(names), mechanism.privatize("a"), puzzle.privatize(words.element("Wyd", "und")))
"""


def test_everything_is_imported_without_django() -> None:
    result = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    number, *reports = result.stdout.split()
    assert int(number) > 10
    assert [report.count(",") for report in reports] == [1, 4]
