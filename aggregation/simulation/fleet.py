"""A fleet of devices over a mechanism and the probabilities of what they observe."""

from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np
from numpy.typing import ArrayLike

from ..arrays import Array, Integers
from ..errors import ParameterError
from ..registry import Mechanism

# Reports made at once, so that a large fleet fits into memory.
_BLOCK: Final = 100_000
# By which sums may miss 1 after rounding: what NumPy allows.
_SLACK: Final = 1e-8


class Fleet:
    """Devices that each observe one element, drawn independently, and report it.

    Randomness comes from a seeded generator, so that a simulation can be repeated. Real devices never do this: theirs
    comes from the operating system.

    Parameters
    ----------
    mechanism : Mechanism
        What the devices privatise with.
    elements : sequence of str
        What may be observed, normalised, D texts.
    probabilities : array_like of float, shape (D,)
        The share of devices that observe each element; they sum to 1.
    rng : numpy.random.Generator
        Draws both what is observed and the noise of the reports.

    Attributes
    ----------
    true_counts : ndarray of int64, shape (D,)
        How many devices have observed each element so far.

    Raises
    ------
    ParameterError
        If there is not one probability for each element, or if they are no distribution.

    Examples
    --------
    >>> import numpy as np
    >>> cms = CountMeanSketch(epsilon=4, k=64, m=64, seed=7)
    >>> fleet = Fleet(cms, ["tea", "coffee"], [0.25, 0.75], np.random.default_rng(1))
    >>> sketch = Sketch(cms)
    >>> for streams in fleet.report(10_000):
    ...     sketch.add(streams)
    >>> int(fleet.true_counts.sum()) == sketch.n
    True
    >>> result = estimate(sketch, fleet.elements)
    >>> bool((abs(result.count - fleet.true_counts) < 5 * result.standard_error).all())
    True
    """

    def __init__(
        self, mechanism: Mechanism, elements: Sequence[str], probabilities: ArrayLike, rng: np.random.Generator
    ) -> None:
        shares = np.asarray(probabilities, np.float64)
        if shares.shape != (len(elements),):
            raise ParameterError("probabilities", f"There must be {len(elements)} probabilities, one for each element.")
        if not (shares >= 0).all() or abs(shares.sum() - 1) > _SLACK:
            raise ParameterError("probabilities", "Probabilities must not be below 0, and must sum to 1.")
        self.mechanism = mechanism
        self.elements = tuple(elements)
        self.probabilities = shares
        self.rng = rng
        self.true_counts: Integers = np.zeros(len(self.elements), np.int64)

    def report(self, reports: int) -> Iterator[dict[str, Array]]:
        """Simulate `reports` more devices; yield stored records by stream, as `Sketch.add` takes them, in blocks.

        Examples
        --------
        >>> import numpy as np
        >>> cms = CountMeanSketch(epsilon=4, k=64, m=64, seed=7)
        >>> fleet = Fleet(cms, ["tea"], [1], np.random.default_rng(1))
        >>> [len(streams["element"]) for streams in fleet.report(150_000)]
        [100000, 50000]
        """
        for parts in self._privatize(reports):
            yield self.mechanism.split(parts)

    def lines(self, reports: int) -> Iterator[list[str]]:
        """Simulate `reports` more devices; yield their record lines, in blocks.

        Examples
        --------
        >>> import numpy as np
        >>> hcms = HadamardCountMeanSketch(epsilon=4, k=64, m=64, seed=7)
        >>> fleet = Fleet(hcms, ["tea"], [1], np.random.default_rng(1))
        >>> [len(lines) for lines in fleet.lines(3)]
        [3]
        """
        for parts in self._privatize(reports):
            yield self.mechanism.format_records(parts)

    def _privatize(self, reports: int) -> Iterator[dict[str, Array]]:
        """Yield the parts of reports, in blocks, and count what their devices observed."""
        for start in range(0, reports, _BLOCK):
            size = min(_BLOCK, reports - start)
            observed = self.rng.choice(len(self.elements), size=size, p=self.probabilities)
            self.true_counts += np.bincount(observed, minlength=len(self.true_counts))
            # A block observes a few thousand of a quarter of a million elements, and each has to be hashed.
            places, index = np.unique(observed, return_inverse=True)
            elements = [self.elements[place] for place in places.tolist()]
            yield self.mechanism.privatize_fleet(elements, index, self.rng)
