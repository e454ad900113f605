"""Wire parameters: what is taken, what is refused, and by which name."""

import copy
import json
import math
import re
from decimal import Decimal
from typing import Any

import numpy as np
import pytest

from aggregation.errors import ParameterError, shown
from aggregation.mechanisms import MECHANISMS, CountMeanSketch, mechanism_for
from aggregation.sketches import QuadraticM31
from tests.aggregation.helpers import TableFamily

pytestmark = pytest.mark.exact

SEED = "000102030405060708090a0b0c0d0e0f"
GOOD: dict[str, Any] = {"epsilon": 4, "k": 65536, "m": 1024, "seed": SEED}
PUZZLE: dict[str, Any] = {
    "epsilon": 2,
    "k": 2048,
    "m": 1024,
    "fragment_epsilon": 6,
    "fragment_k": 4096,
    "fragment_m": 512,
    "length": 10,
    "seed": SEED,
}


@pytest.mark.parametrize("epsilon", [4, 4.0, Decimal(4), Decimal("4.000"), np.float64(4)])
def test_one_number_in_any_spelling_is_one_mechanism(epsilon: Any) -> None:
    mechanism = mechanism_for("CountMeanSketch", {**GOOD, "epsilon": epsilon})
    assert mechanism == mechanism_for("CountMeanSketch", GOOD)
    assert hash(mechanism) == hash(mechanism_for("CountMeanSketch", {**GOOD, "hash": "quadratic-m31-v1"}))
    expected = '{"epsilon": 4, "k": 65536, "m": 1024, "hash": "quadratic-m31-v1", "seed": "' + SEED + '"}'
    assert json.dumps(mechanism.encoded_parameters()) == expected


@pytest.mark.parametrize("epsilon", [0.001, 0.1, 2.345, 16, Decimal("1e1")])
def test_encoded_parameters_make_the_same_mechanism_again(epsilon: Any) -> None:
    mechanism = mechanism_for("CountMeanSketch", {**GOOD, "epsilon": epsilon})
    assert mechanism_for("CountMeanSketch", json.loads(json.dumps(mechanism.encoded_parameters()))) == mechanism
    assert mechanism.encoded_parameters()["epsilon"] == epsilon or isinstance(epsilon, Decimal)


def test_two_epsilons_in_any_spelling_are_one_mechanism() -> None:
    mechanism = mechanism_for("SequenceFragmentPuzzle", PUZZLE)
    again = mechanism_for("SequenceFragmentPuzzle", {**PUZZLE, "epsilon": 2.0, "fragment_epsilon": Decimal("6.000")})
    assert again == mechanism
    assert hash(again) == hash(mechanism)
    assert mechanism.encoded_parameters() == {**PUZZLE, "hash": "quadratic-m31-v1"}
    assert mechanism_for("SequenceFragmentPuzzle", json.loads(json.dumps(mechanism.encoded_parameters()))) == mechanism
    assert mechanism.report_epsilon == 8


REFUSED: dict[str, tuple[Any, ...]] = {
    "epsilon": (
        *(0, -1, 16.001, 17, 0.0005, 4.0001, 1e300, 10**5000, float("nan"), float("inf"), True, "4", None, [4]),
        *(Decimal("sNaN"), Decimal("4.0000000000000000000000000000000001"), Decimal("1e-999999")),
    ),
    "m": (0, 4, 7, 1000, -8, 2**21, 1024.0, True, "1024", None),
    "k": (0, -1, 2**18 + 1, 10**5000, 65536.0, True, "65536", None),
    "seed": ("", SEED[:-1], SEED.upper(), SEED + "0", SEED + "\n", 5, None, "\u0660" * 32),
    "hash": ("sha256", "", None, 1, ["quadratic-m31-v1"]),
    "fragment_k": (1,),
    "Epsilon": (1,),
}


def test_what_is_refused_is_named() -> None:
    for field, value in ((field, value) for field, values in REFUSED.items() for value in values):
        with pytest.raises(ParameterError) as caught:
            mechanism_for("CountMeanSketch", {**GOOD, field: value})
        assert caught.value.field == field, shown(value)
        assert len(str(caught.value)) < 200
        if isinstance(value, int) and abs(value) > 1 and not isinstance(value, bool) and value < 10**100:
            assert str(value) in str(caught.value)


REFUSED_OF_EACH = {
    "epsilon": (0, -1, 16.001, 0.0005, float("nan"), True, "6", None, [6]),
    "m": (0, 4, 1000, -8, 2**21, 1024.0, True, "1024", None),
    "k": (0, -1, 2**15 + 1, 10**5000, 2048.0, True, "2048", None),
}
REFUSED_OF_TWO: dict[str, tuple[Any, ...]] = {
    **{f"{prefix}{name}": values for prefix in ("", "fragment_") for name, values in REFUSED_OF_EACH.items()},
    "length": (0, 1, 3, 9, 18, -2, 10**5000, 10.0, True, "10", None, [10]),
    "seed": ("", SEED.upper(), 5, None),
    "hash": ("sha256", None),
    "fragment_seed": (SEED,),
    "fragment_hash": ("quadratic-m31-v1",),
    "puzzle": (256,),
}


def test_what_is_refused_of_two_sketches_is_named() -> None:
    """In words, too: ``k`` is not ``fragment_k``."""
    for field, value in ((field, value) for field, values in REFUSED_OF_TWO.items() for value in values):
        with pytest.raises(ParameterError) as caught:
            mechanism_for("SequenceFragmentPuzzle", {**PUZZLE, field: value})
        assert caught.value.field == field, shown(value)
        assert re.search(rf"\b{field}\b", str(caught.value))
        assert len(str(caught.value)) < 250


def test_sketches_that_are_kept_whole_have_a_limit_of_their_own() -> None:
    for prefix, m, most in (("", 1024, 2**14), ("fragment_", 512, 2**15), ("", 128, 2**16), ("fragment_", 8, 2**16)):
        parameters = {**PUZZLE, f"{prefix}m": m}
        mechanism = mechanism_for("SequenceFragmentPuzzle", {**parameters, f"{prefix}k": most})
        assert mechanism.encoded_parameters()[f"{prefix}k"] == most
        with pytest.raises(ParameterError, match=f"^{prefix}k may be at most {most} with {prefix}m={m}, not") as caught:
            mechanism_for("SequenceFragmentPuzzle", {**parameters, f"{prefix}k": most + 1})
        assert caught.value.field == f"{prefix}k"


def test_every_even_length() -> None:
    for length in range(2, 17, 2):
        mechanism = mechanism_for("SequenceFragmentPuzzle", {**PUZZLE, "length": length})
        assert len(mechanism.streams) == 1 + length // 2
        assert mechanism.encoded_parameters()["length"] == length


def test_what_is_missing_is_named() -> None:
    for algorithm, good in (("CountMeanSketch", GOOD), ("SequenceFragmentPuzzle", PUZZLE)):
        for field in good:
            with pytest.raises(ParameterError, match="missing") as caught:
                mechanism_for(algorithm, {name: value for name, value in good.items() if name != field})
            assert caught.value.field == field


def test_an_unknown_algorithm_is_named() -> None:
    with pytest.raises(ParameterError, match="'CMS'") as caught:
        mechanism_for("CMS", GOOD)
    assert caught.value.field == "algorithm"


def test_every_mechanism_is_registered_by_its_own_name() -> None:
    assert all(name == mechanism.algorithm for name, mechanism in MECHANISMS.items())


def test_the_mechanism_itself_takes_a_larger_epsilon_but_nothing_else_out_of_range() -> None:
    family = QuadraticM31(bytes(16))
    assert CountMeanSketch(Decimal(60), 4, 8, family).epsilon == 60
    assert CountMeanSketch(0.1, 4, 8, family).epsilon == Decimal("0.1")
    wrong: list[tuple[str, tuple[Any, int, int]]] = [
        ("epsilon", (Decimal(0), 4, 8)),
        ("epsilon", (Decimal("NaN"), 4, 8)),
        *[("epsilon", (value, 4, 8)) for value in ("4", True, 0.0, -1, math.inf)],
        ("k", (Decimal(4), 0, 8)),
        ("m", (Decimal(4), 4, 12)),
        ("k", (Decimal(4), 2**26, 8)),
    ]
    for field, (epsilon, k, m) in wrong:
        with pytest.raises(ParameterError) as caught:
            CountMeanSketch(epsilon, k, m, family)
        assert caught.value.field == field
    assert CountMeanSketch(Decimal(4), 2**25, 8, family).k == 2**25


def test_a_family_without_a_seed_has_only_its_name() -> None:
    family = TableFamily(["a"], np.zeros((4, 1), np.uint32))
    expected = {"epsilon": 4, "k": 4, "m": 8, "hash": "table"}
    assert CountMeanSketch(Decimal(4), 4, 8, family).encoded_parameters() == expected


def test_the_error_can_be_copied_as_pickling_does() -> None:
    error = copy.copy(ParameterError("m", "m is wrong."))
    assert (error.field, str(error)) == ("m", "m is wrong.")


def test_streams() -> None:
    mechanism = mechanism_for("CountMeanSketch", GOOD)
    assert (mechanism.streams, mechanism.divisions) == (("element",), 65536)
    assert mechanism.record_dtype("element").itemsize == 132
    with pytest.raises(ParameterError):
        mechanism.record_dtype("fragment")
