"""Hadamard Count Mean Sketch: one hash row and one noised bit a report, a coordinate of the Hadamard transform."""

from .client import Client
from .server import Server


class HadamardCountMeanSketch(Client, Server):
    """Hadamard Count Mean Sketch; its m is also the number of coordinates of a row's transform.

    References
    ----------
    Apple, "Learning with Privacy at Scale" (2017), section "Private Hadamard Count Mean Sketch". Neighbouring inputs
    are two elements of one event; each sends one bit, so the bit has the whole ε: the flip probability is 1/(e^ε + 1).
    """
