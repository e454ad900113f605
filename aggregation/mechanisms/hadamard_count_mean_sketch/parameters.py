"""The parameters of a Hadamard Count Mean Sketch: ε, k rows, m buckets and coordinates, and the hash functions."""

from typing import ClassVar

from ..one_sketch import OneSketch


class Parameters(OneSketch):
    """A sketch whose reports are a row, a coordinate and a sign; m is the number of coordinates, too."""

    algorithm: ClassVar[str] = "HadamardCountMeanSketch"
