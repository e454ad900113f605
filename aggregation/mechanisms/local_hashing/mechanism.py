"""Local hashing: one hash row and one bucket a report, the element's own or by chance another."""

from .client import Client
from .server import Server


class LocalHashing(Client, Server):
    """Local hashing: a report is one row and one of its g buckets, noised by generalised randomised response.

    Parameters
    ----------
    epsilon : int, float or Decimal
        ε, the privacy loss of one report, kept as an exact Decimal: a float stands for the shortest decimal that prints
        as it. Wire parameters are held to 16; a simulation may go above.
    k : int
        Rows of the sketch, that is, hash functions: 2 to 65,536.
    g : int
        Buckets of a row: 2 to 65,536, best the integer nearest e^ε + 1.
    family : HashFamily, optional
        The hash functions.
    seed : int or bytes, optional
        Of the family ``quadratic-m31-v1``, in the place of a family: 16 bytes, or an integer below 2^128. It is public,
        and one for all devices that are counted together.

    Raises
    ------
    ParameterError
        If epsilon is no number above 0, k or g is out of range, or there is not one of a family and a seed.

    Notes
    -----
    Neighbouring inputs are two elements of one event. The own bucket is sent with probability p = e^ε/(e^ε + g - 1),
    every other with (1 - p)/(g - 1), which is e^-ε as much. A report takes 4 bytes.

    References
    ----------
    T. Wang, J. Blocki, N. Li, S. Jha, "Locally Differentially Private Protocols for Frequency Estimation" (USENIX
    Security 2017), section 4.3.

    Examples
    --------
    >>> olh = LocalHashing(epsilon=4, k=1024, g=56, seed=7)
    >>> row, bucket = map(int, olh.privatize("hello").split(","))
    >>> row < 1024, bucket < 56
    (True, True)
    >>> olh.encoded_parameters()["g"], olh.report_bytes
    (56, 4)
    """
