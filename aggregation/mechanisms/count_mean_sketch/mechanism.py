"""Count Mean Sketch: one hash row a report, its m bits noised one by one; the server counts bits per cell."""

from .client import Client
from .server import Server


class CountMeanSketch(Client, Server):
    """Count Mean Sketch: a report is one row and m bits, each of them noised.

    Parameters
    ----------
    epsilon : int, float or Decimal
        ε, the privacy loss of one report, kept as an exact Decimal: a float stands for the shortest decimal that prints
        as it. Wire parameters are held to 16; a simulation may go above.
    k : int
        Rows of the sketch, that is, hash functions.
    m : int
        Buckets of a row, and bits of a report: a power of two from 8 on.
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
    Neighbouring inputs are two elements of one event; each changes two of the m bits, hence the flip probability
    1/(e^(ε/2) + 1). A report takes 4 + m/8 bytes.

    References
    ----------
    Apple, "Learning with Privacy at Scale" (2017), section "Private Count Mean Sketch".

    Examples
    --------
    >>> cms = CountMeanSketch(epsilon=4, k=1024, m=64, seed=7)
    >>> row, bits = cms.privatize("hello").split(",")
    >>> int(row) < 1024, len(bits)
    (True, 16)
    >>> cms.encoded_parameters()["epsilon"], cms.report_bytes
    (4, 12)
    """
