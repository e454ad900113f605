"""Local differential privacy in aggregate: devices privatise what they report, and a server counts it all the same.

Mechanisms draw reports, sketches add them up, and estimates say how often each element was reported, with errors. More
is in the packages: `estimation` (two distributions compared, groups, bounds), `screening` (is this what honest devices
send?), `audit` (what a client gives away), `planning`, `accounting`, `discovery` and `device`. Nothing here knows of
the web.
"""

from .accounting import amplified
from .collected import Sketch
from .discovering import discover
from .errors import ParameterError
from .estimates import Estimate, estimate, threshold
from .estimation import Estimator
from .mechanisms import (
    CountMeanSketch,
    HadamardCountMeanSketch,
    LocalHashing,
    Mechanism,
    SampledFragmentPuzzle,
    SequenceFragmentPuzzle,
    SubsetSelection,
    mechanism_for,
    register,
)
from .normalization import normalize
from .simulation import Fleet
from .sketches import HashFamily, QuadraticM31

__all__ = [
    "CountMeanSketch",
    "Estimate",
    "Estimator",
    "Fleet",
    "HadamardCountMeanSketch",
    "HashFamily",
    "LocalHashing",
    "Mechanism",
    "ParameterError",
    "QuadraticM31",
    "SampledFragmentPuzzle",
    "SequenceFragmentPuzzle",
    "Sketch",
    "SubsetSelection",
    "amplified",
    "discover",
    "estimate",
    "mechanism_for",
    "normalize",
    "register",
    "threshold",
]
