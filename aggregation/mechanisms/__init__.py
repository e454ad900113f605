"""The mechanisms: a package each, registered here. What is outside registers itself alike, with `register`."""

from ..registry import MECHANISMS, Mechanism, ParsedRecords, mechanism_for, register
from .count_mean_sketch import CountMeanSketch
from .hadamard_count_mean_sketch import HadamardCountMeanSketch
from .local_hashing import LocalHashing
from .sampled_fragment_puzzle import SampledFragmentPuzzle
from .sequence_fragment_puzzle import SequenceFragmentPuzzle
from .subset_selection import SubsetSelection

register(CountMeanSketch)
register(HadamardCountMeanSketch)
register(LocalHashing)
register(SubsetSelection)
register(SequenceFragmentPuzzle)
register(SampledFragmentPuzzle)

__all__ = [
    "MECHANISMS",
    "CountMeanSketch",
    "HadamardCountMeanSketch",
    "LocalHashing",
    "Mechanism",
    "ParsedRecords",
    "SampledFragmentPuzzle",
    "SequenceFragmentPuzzle",
    "SubsetSelection",
    "mechanism_for",
    "register",
]
