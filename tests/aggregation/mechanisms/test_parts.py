"""Duties of every mechanism in the registry."""

import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from aggregation.errors import ParameterError
from aggregation.mechanisms import MECHANISMS, CountMeanSketch, Mechanism
from aggregation.registry import (
    PARTS,
    AuditPart,
    CostPart,
    DistributionPart,
    DrawingPart,
    ScreeningPart,
    WordsPart,
    distribution_of,
    part_of,
    register,
)

pytestmark = pytest.mark.exact

# Names that a module has by itself, and that it gives the mechanism's class.
ASKED: dict[str, Any] = {"screening": ScreeningPart, "audit": AuditPart, "cost": CostPart, "words": WordsPart}


@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize("mechanism", MECHANISMS.values(), ids=list(MECHANISMS))
def test_every_mechanism_has_every_part(mechanism: Any, part: str) -> None:
    module = part_of(mechanism, part)
    if part in ASKED:
        assert isinstance(module, ASKED[part])
    else:
        assert any(base.__module__ == module.__name__ for base in mechanism.__mro__)


@pytest.mark.parametrize("mechanism", MECHANISMS.values(), ids=list(MECHANISMS))
def test_distributions_keep_their_contract(mechanism: Any) -> None:
    module = distribution_of(mechanism)
    wanted = DrawingPart if hasattr(module, "draw") else DistributionPart
    assert module is None or isinstance(module, wanted)


@pytest.mark.parametrize("mechanism", MECHANISMS.values(), ids=list(MECHANISMS))
def test_every_mechanism_has_all_that_is_asked_of_it(mechanism: type[Mechanism]) -> None:
    offered = {name for name in vars(Mechanism) if not name.startswith("_")} | set(Mechanism.__annotations__)
    assert {"privatize", "debiased", "reports_in", "algorithm"} <= offered
    # Has a value of its own for mechanisms that say nothing else.
    offered.remove("keys_per_division")
    written = {name for base in mechanism.__mro__ if base is not Mechanism for name in vars(base)}
    assert sorted(offered - written) == []


@pytest.fixture
def half_a_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    """A package outside of this one whose mechanism has neither an audit nor a cost model."""
    folder = tmp_path / "half_a_mechanism"
    folder.mkdir()
    for part in ("__init__", *PARTS):
        (folder / f"{part}.py").touch()
    for part in ("audit", "cost"):
        (folder / f"{part}.py").unlink()
    (folder / "mechanism.py").write_text(
        "from aggregation import mechanisms\nclass Half(mechanisms.CountMeanSketch):\n    algorithm = 'Half'\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    yield import_module("half_a_mechanism.mechanism")
    for name in [name for name in sys.modules if name.startswith("half_a_mechanism")]:
        del sys.modules[name]


def test_one_that_lacks_a_part_is_not_registered(half_a_package: ModuleType) -> None:
    with pytest.raises(ParameterError, match="Half lacks audit, cost"):
        register(half_a_package.Half)
    assert "Half" not in MECHANISMS


def test_two_of_one_name_are_not_registered() -> None:
    register(CountMeanSketch)
    other = type("Other", (CountMeanSketch,), {"__module__": CountMeanSketch.__module__})
    with pytest.raises(ParameterError, match="already"):
        register(other)
    assert MECHANISMS["CountMeanSketch"] is CountMeanSketch


def test_one_that_is_not_registered_has_no_parts() -> None:
    other: Any = type("Other", (), {"algorithm": "Telepathy"})
    with pytest.raises(ParameterError, match="Telepathy has no audit: it is not registered") as caught:
        part_of(other, "audit")
    assert caught.value.field == "algorithm"
