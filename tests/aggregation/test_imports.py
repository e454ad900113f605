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
from aggregation.mechanisms import mechanism_for
print(len(names), mechanism_for("CountMeanSketch", {"epsilon": 4, "k": 4, "m": 8, "seed": "00" * 16}).privatize("a"))
"""


def test_everything_is_imported_without_django() -> None:
    result = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    assert int(result.stdout.split()[0]) > 10
