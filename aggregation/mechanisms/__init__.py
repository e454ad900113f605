"""The mechanisms: one module each, named once, here."""

from collections.abc import Mapping
from typing import Final

from ..errors import ParameterError, shown
from ..registry import Mechanism, ParsedRecords
from .count_mean_sketch import CountMeanSketch
from .hadamard_count_mean_sketch import HadamardCountMeanSketch
from .sequence_fragment_puzzle import SequenceFragmentPuzzle

MECHANISMS: Final[dict[str, type[Mechanism]]] = {
    CountMeanSketch.algorithm: CountMeanSketch,
    HadamardCountMeanSketch.algorithm: HadamardCountMeanSketch,
    SequenceFragmentPuzzle.algorithm: SequenceFragmentPuzzle,
}


def mechanism_for(algorithm: str, parameters: Mapping[str, object]) -> Mechanism:
    """Return the mechanism of that name with these wire parameters, or raise a ParameterError."""
    if algorithm not in MECHANISMS:
        known = ", ".join(MECHANISMS)
        raise ParameterError("algorithm", f"There is no algorithm {shown(algorithm)}; use one of {known}.")
    return MECHANISMS[algorithm].from_parameters(parameters)


__all__ = ["MECHANISMS", "Mechanism", "ParsedRecords", "SequenceFragmentPuzzle", "mechanism_for"]
