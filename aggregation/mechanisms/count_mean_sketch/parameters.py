"""The parameters of a Count Mean Sketch: ε, k rows, m buckets, and the hash functions."""

from typing import ClassVar

from ..one_sketch import OneSketch


class Parameters(OneSketch):
    """A sketch whose reports are a row and m bits."""

    algorithm: ClassVar[str] = "CountMeanSketch"
