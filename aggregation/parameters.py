"""Checks of the parameters a mechanism is given on the wire."""

import math
import re
from collections.abc import Collection, Mapping
from decimal import Decimal
from typing import Final

from .errors import ParameterError, shown
from .sketches import HASH_FAMILIES, HashFamily

MAX_EPSILON: Final = 16
MAX_M: Final = 2**20
MAX_CELLS: Final = 2**28
_STEP: Final = Decimal("0.001")
_SEED: Final = re.compile("[0-9a-f]{32}")
DEFAULT_HASH: Final = "quadratic-m31-v1"


def check_names(parameters: Mapping[str, object], required: Collection[str], optional: Collection[str] = ()) -> None:
    """Raise a ParameterError for the first parameter that is missing or unknown."""
    for name in required:
        if name not in parameters:
            raise ParameterError(name, f"The parameter {name} is missing; give one.")
    for name in parameters:
        if name not in required and name not in optional:
            known = ", ".join([*required, *optional])
            raise ParameterError(str(name), f"There is no parameter {shown(name)}; leave it out. Known are {known}.")


def parse_epsilon(field: str, value: object) -> Decimal:
    """Return a privacy parameter as an exact decimal.

    Parameters
    ----------
    field : str
        The parameter's name.
    value : object
        A number; a float stands for the shortest decimal that prints as it.

    Returns
    -------
    Decimal
        A multiple of 0.001 above 0 and at most 16.

    Raises
    ------
    ParameterError
        For anything else, booleans and text included.
    """
    epsilon = _decimal(field, value)
    if not epsilon.is_finite() or not 0 < epsilon <= MAX_EPSILON:
        raise ParameterError(field, f"{field} must be above 0 and at most {MAX_EPSILON}, not {shown(value)}.")
    if epsilon != epsilon.quantize(_STEP):
        raise ParameterError(field, f"{field} must be a multiple of {_STEP}, not {shown(value)}; round it.")
    return epsilon.quantize(_STEP).normalize()


def json_epsilon(epsilon: Decimal) -> int | float:
    """Return epsilon as JSON writes it: an integer if it is one."""
    return int(epsilon) if epsilon == int(epsilon) else float(epsilon)


def parse_share(field: str, value: object) -> Decimal:
    """Return a share of reports as an exact decimal: a multiple of 0.001 from 0.001 to 0.999, given as `parse_epsilon`.

    Raises a ParameterError for anything else, booleans and text included.
    """
    share = _decimal(field, value)
    if not share.is_finite() or not 0 < share < 1 or share != share.quantize(_STEP):
        raise ParameterError(field, f"{field} must be a multiple of {_STEP} from 0.001 to 0.999, not {shown(value)}.")
    return share.quantize(_STEP).normalize()


def parse_integer(field: str, value: object) -> int:
    """Return an integer parameter; a boolean or a float is refused."""
    if isinstance(value, bool) or not isinstance(value, int):
        raise ParameterError(field, f"{field} must be an integer, not {shown(value)}.")
    return value


def parse_family(parameters: Mapping[str, object], label: str) -> HashFamily:
    """Return the hash family that ``hash`` and ``seed`` name."""
    name, seed = parameters.get("hash", DEFAULT_HASH), parameters["seed"]
    if not isinstance(name, str) or name not in HASH_FAMILIES:
        raise ParameterError("hash", f"hash must be one of {', '.join(HASH_FAMILIES)}, not {shown(name)}.")
    if not isinstance(seed, str) or not _SEED.fullmatch(seed):
        raise ParameterError("seed", f"seed must be 32 lower-case hex digits, not {shown(seed)}.")
    return HASH_FAMILIES[name](bytes.fromhex(seed), label)


def family_parameters(family: HashFamily) -> dict[str, str]:
    """Return what names a family on the wire; one without a seed, such as a table in a test, has only its name."""
    seed = getattr(family, "seed", None)
    return {"hash": family.name, "seed": seed.hex()} if isinstance(seed, bytes) else {"hash": family.name}


def exact_epsilon(field: str, epsilon: object) -> Decimal:
    """Return a privacy parameter as an exact decimal, however large: larger ones than the wire's 16 serve simulations.

    A float stands for the shortest decimal that prints as it. Raises a ParameterError for what is no number above 0.
    """
    exact = _decimal(field, epsilon)
    if not exact.is_finite() or exact <= 0 or not math.isfinite(float(exact)):
        raise ParameterError(field, f"{field} must be a number above 0, not {shown(epsilon)}.")
    return exact


def _decimal(field: str, value: object) -> Decimal:
    if isinstance(value, bool) or not isinstance(value, int | float | Decimal):
        raise ParameterError(field, f"{field} must be a number, not {shown(value)}.")
    # float.__repr__, because a NumPy float prints its type as well.
    return Decimal(float.__repr__(value)) if isinstance(value, float) else Decimal(value)


def check_shape(k: int, m: int, k_field: str = "k", m_field: str = "m") -> None:
    """Raise a ParameterError unless k rows of m buckets make a sketch that every part of the package can hold."""
    if parse_integer(m_field, m) < 8 or m > MAX_M or m & (m - 1):
        raise ParameterError(m_field, f"{m_field} must be a power of two from 8 to {MAX_M}, not {shown(m)}.")
    if parse_integer(k_field, k) < 1:
        raise ParameterError(k_field, f"{k_field} must be at least 1, not {shown(k)}.")
    if k * m > MAX_CELLS:
        most = MAX_CELLS // m
        raise ParameterError(k_field, f"{k_field} may be at most {most} with {m_field}={m}, not {shown(k)}.")
