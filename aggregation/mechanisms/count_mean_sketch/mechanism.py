"""Count Mean Sketch: one hash row a report, its m bits noised one by one; the server counts bits per cell."""

from .client import Client
from .server import Server


class CountMeanSketch(Client, Server):
    """Count Mean Sketch.

    References
    ----------
    Apple, "Learning with Privacy at Scale" (2017), section "Private Count Mean Sketch". Neighbouring inputs are two
    elements of one event; each changes two of the m bits, hence the flip probability 1/(e^(ε/2) + 1).
    """
