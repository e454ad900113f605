"""Hadamard Count Mean Sketch: one hash row and one noised bit a report, a coordinate of the Hadamard transform."""

from .client import Client
from .server import Server


class HadamardCountMeanSketch(Client, Server):
    """Hadamard Count Mean Sketch: a report is one row, one coordinate and one noised sign.

    Parameters
    ----------
    epsilon : int, float or Decimal
        ε, the privacy loss of one report, kept as an exact Decimal: a float stands for the shortest decimal that prints
        as it. Wire parameters are held to 16; a simulation may go above.
    k : int
        Rows of the sketch, that is, hash functions.
    m : int
        Buckets of a row, and coordinates of its Hadamard transform: a power of two from 8 on.
    family : HashFamily, optional
        The hash functions.
    seed : int or bytes, optional
        Of the family ``quadratic-m31-v1``, in the place of a family: 16 bytes, or an integer below 2^128. It is public,
        and one for all devices that are counted together.

    Raises
    ------
    ParameterError
        If epsilon is no number above 0, k and m make no sketch (at most 2^28 cells), or there is not one of a family
        and a seed.

    Notes
    -----
    Neighbouring inputs are two elements of one event; each sends one bit, so the bit has the whole ε: the flip
    probability is 1/(e^ε + 1). A report takes 4 bytes.

    References
    ----------
    Apple, "Learning with Privacy at Scale" (2017), section "Private Hadamard Count Mean Sketch".

    Examples
    --------
    >>> hcms = HadamardCountMeanSketch(epsilon=4, k=1024, m=32768, seed=7)
    >>> row, coordinate, sign = hcms.privatize("www.example.org").split(",")
    >>> int(row) < 1024, int(coordinate) < 32768, sign in ("1", "-1")
    (True, True, True)
    >>> hcms.report_bytes
    4
    """
