"""Randomised response with exact probabilities: a bit flips when 64 random bits are below an integer threshold."""

import os
from collections.abc import Iterator, MutableSequence
from decimal import ROUND_CEILING, Decimal, localcontext
from functools import lru_cache
from typing import Final, TypeVar

import numpy as np
from numpy.typing import NDArray

from .arrays import Flags, Floats
from .errors import ParameterError

Item = TypeVar("Item")

# Random bytes drawn at once for a fleet: small enough to stay in a core's cache.
_CHUNK_BYTES: Final = 2**18


def flip_threshold(x: Decimal) -> int:
    """Return the threshold below which a uniform 64-bit integer means "flip".

    Parameters
    ----------
    x : Decimal
        The exponent, ε/2 or ε by mechanism; at least 0.

    Returns
    -------
    int
        t = ⌈2⁶⁴ / (eˣ + 1)⌉, exact: the probability of a flip is t/2⁶⁴.

    Raises
    ------
    ParameterError
        If x is negative or not a number.

    References
    ----------
    The report format, section 3.
    """
    return lie_threshold(x, 1, 1)


@lru_cache(maxsize=256)
def lie_threshold(x: Decimal, true: int, false: int) -> int:
    """Return the threshold below which a uniform 64-bit integer means to answer falsely.

    Parameters
    ----------
    x : Decimal
        The exponent, ε; at least 0.
    true, false : int
        How many answers are true and how many are false, or numbers in their ratio: each true one is eˣ times as likely
        as each false one.

    Returns
    -------
    int
        t = ⌈2⁶⁴·false / (true·eˣ + false)⌉, exact.

    Raises
    ------
    ParameterError
        If x is negative or not a number.
    """
    if not x.is_finite() or x < 0:
        raise ParameterError("epsilon", f"The exponent of a flip must be a number of at least 0, not {x}.")
    with localcontext() as context:
        context.prec = 60
        return int((2**64 * false / (true * x.exp() + false)).to_integral_value(ROUND_CEILING))


def device_below(n: int) -> int:
    """Return a number from 0 to n - 1, all equally likely, from the operating system's generator; n at most 2⁶⁴."""
    if not 1 <= n <= 2**64:
        raise ValueError(f"n must be from 1 to 2^64, not {n}.")
    usable = 2**64 - 2**64 % n
    # Beyond the last whole multiple of n, some numbers would come up more often than others.
    while (drawn := int.from_bytes(os.urandom(8), "little")) >= usable:
        pass
    return drawn % n


def device_shuffle(items: MutableSequence[Item]) -> None:
    """Put items into an order drawn from the operating system's generator, all orders equally likely."""
    for last in range(len(items) - 1, 0, -1):
        chosen = device_below(last + 1)
        items[last], items[chosen] = items[chosen], items[last]


def device_flip(t: int) -> bool:
    """Return one flip with probability t/2⁶⁴ from the operating system's generator."""
    return int.from_bytes(os.urandom(8), "little") < t


def device_flips(count: int, t: int) -> Flags:
    """Return independent flips with probability t/2⁶⁴ from the operating system's generator.

    Notes
    -----
    As in `fleet_flips`, one byte a bit decides, and 56 bits more where it equals the top byte of t: exact, and an
    eighth of the bytes.
    """
    drawn = np.frombuffer(os.urandom(count), np.uint8)
    top, rest = t >> 56, t & (2**56 - 1)
    flips = drawn < top
    ties = (drawn == top).nonzero()[0]
    flips[ties] = np.frombuffer(os.urandom(8 * len(ties)), "<u8") >> 8 < rest
    return flips


def fleet_flips(rows: int, m: int, t: int, rng: np.random.Generator) -> Iterator[tuple[slice, NDArray[np.uint8]]]:
    """Yield the flips of many simulated reports, a chunk at a time.

    Parameters
    ----------
    rows : int
        The number of reports.
    m : int
        Bits per report, a multiple of 8.
    t : int
        The flip threshold out of 2⁶⁴.
    rng : numpy.random.Generator
        The seeded source; a simulation's randomness is no device's.

    Yields
    ------
    part : slice
        The reports this chunk is for.
    flips : ndarray of uint8, shape (part.stop - part.start, m // 8)
        Packed flips, most significant bit first; 1 means flip.

    Notes
    -----
    Comparing 64 bits with t is decided by the first byte in 255 of 256 cases. One byte a bit is drawn, and only where
    it equals the top byte of t are the other 56 bits drawn and compared, so the probability is t/2⁶⁴ exactly.
    """
    top, rest = np.uint8(t >> 56), t & (2**56 - 1)
    step = max(1, _CHUNK_BYTES // m)
    for start in range(0, rows, step):
        part = slice(start, min(start + step, rows))
        size = (part.stop - part.start) * m
        drawn = rng.integers(0, 2**64, size=size // 8, dtype=np.uint64).view(np.uint8)
        flips = drawn < top
        ties = np.flatnonzero(drawn == top)
        flips[ties] = rng.integers(0, 2**56, size=len(ties), dtype=np.uint64) < np.uint64(rest)
        yield part, np.packbits(flips).reshape(-1, m // 8)


def fleet_single_flips(count: int, t: int, rng: np.random.Generator) -> Flags:
    """Return one flip with probability t/2⁶⁴ for each simulated report, from the seeded source."""
    return rng.integers(0, 2**64, size=count, dtype=np.uint64) < np.uint64(t)


def system_normals(count: int) -> Floats:
    """Return independent standard normal numbers from the operating system's generator, by Box and Muller's method.

    Notes
    -----
    Radii come from 53 random bits, so that none is beyond 8.6, which happens once in 10¹⁷.
    """
    pairs = (count + 1) // 2
    drawn = np.frombuffer(os.urandom(16 * pairs), "<u8").reshape(2, pairs) >> 11
    radius = np.sqrt(-2 * np.log((drawn[0] + 1) * 2.0**-53))
    angle = drawn[1] * (2 * np.pi * 2.0**-53)
    return np.concatenate([radius * np.cos(angle), radius * np.sin(angle)])[:count]
