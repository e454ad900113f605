"""Estimates from a sketch: how often each element was reported, and how far that may be off."""

from collections.abc import Iterable
from dataclasses import dataclass

from .arrays import Flags, Floats
from .collected import Sketch
from .errors import ParameterError
from .estimation import Corrected, Estimator, Summary, summarize
from .registry import Mechanism, estimator_of


@dataclass(frozen=True, eq=False)
class Estimate:
    """Estimated counts of D elements.

    Attributes
    ----------
    elements : tuple of str
        The D elements, in the order they were asked for.
    n : int
        Number of reports.
    count : ndarray of float64, shape (D,)
        Reports of each element: unbiased, so that it is below zero at times. ``count / n`` are shares.
    standard_error : ndarray of float64, shape (D,)
        In reports: over the devices' noise and the choice of the hash functions.
    lower, upper : ndarray of float64, shape (D,)
        Ends of an interval for each count, which holds the true one with the confidence that was asked for.
    significant : ndarray of bool, shape (D,)
        Whether the count reaches the threshold: what does not may be noise.
    threshold : float
        In reports.

    Examples
    --------
    >>> nothing = estimate(Sketch(CountMeanSketch(epsilon=4, k=64, m=64, seed=7)), ["hello", "world"])
    >>> nothing.elements, nothing.n, nothing.count.tolist(), nothing.significant.tolist()
    (('hello', 'world'), 0, [0.0, 0.0], [False, False])
    """

    elements: tuple[str, ...]
    n: int
    count: Floats
    standard_error: Floats
    lower: Floats
    upper: Floats
    significant: Flags
    threshold: float


def estimate_of(elements: Iterable[str], summary: Summary) -> Estimate:
    """Return what is said of the elements of a summary, in their order."""
    names = ("n", "estimate", "standard_error", "lower", "upper", "above", "threshold")
    return Estimate(tuple(elements), *(getattr(summary, name) for name in names))


def estimate(
    sketch: Sketch,
    elements: Iterable[str],
    *,
    false_positives: float = 0.05,
    confidence: float = 0.95,
    complete: bool = False,
    estimator: Estimator | None = None,
) -> Estimate:
    """Estimate how often elements were reported.

    Parameters
    ----------
    sketch : Sketch
        The reports.
    elements : iterable of str
        A dictionary of D different elements, normalised as for `privatize`: all that may have been reported often. Of
        words for a Sequence Fragment Puzzle, padded to its length. Of a sketch of given elements these, or some.
    false_positives : float
        How many of them without reports are expected to be significant, all D together; above 0 and below 1.
    confidence : float
        Of the interval of each element; above 0 and below 1.
    complete : bool
        Whether nothing but these can be reported. Their collisions with each other are known then, and are corrected
        if the hash functions are neither too few for so many elements nor too many to be gone through.
    estimator : Estimator, optional
        In the place of the mechanism's own.

    Returns
    -------
    Estimate
        Arrays of length D, in reports.

    Raises
    ------
    ParameterError
        If an element is named twice, or a rate is not between 0 and 1.

    Notes
    -----
    Errors know of the collisions of these elements with each other. What is frequent and not among them makes errors
    larger than is stated, so ask for a whole dictionary even if few of it are of interest.

    References
    ----------
    Apple, "Learning with Privacy at Scale" (2017), for the counts; the thresholds are exact binomial quantiles, moved
    out for collisions.

    Examples
    --------
    >>> cms = CountMeanSketch(epsilon=4, k=256, m=256, seed=7)
    >>> sketch = Sketch(cms)
    >>> sketch.update(cms.privatize(word) for word in ["hello"] * 600 + ["world"] * 400)
    >>> result = estimate(sketch, ["hello", "world", "moon"], false_positives=1e-9)
    >>> bool(abs(result.count[0] - 600) < 7 * result.standard_error[0])
    True
    >>> result.significant.tolist()
    [True, True, False]
    """
    asked = tuple(elements)
    if len(set(asked)) < len(asked):
        raise ParameterError("elements", "The elements must differ from each other: one is there twice.")
    mechanism = sketch.mechanism
    points = mechanism.points(asked)
    read_out = sketch.counts(asked)
    if estimator is None:
        estimator = estimator_of(mechanism, len(asked), complete=complete)
    if isinstance(estimator, Corrected):
        read_out = estimator.without_collisions(points, read_out, sketch.n)
    summary = summarize(estimator, read_out, sketch.n, false_positives, confidence)
    return estimate_of(asked, summary)


def threshold(
    mechanism: Mechanism, n: int, size: int, *, false_positives: float = 0.05, f2: float | None = None
) -> float:
    """Return how many reports an estimate has to reach to be significant, before there are any.

    Parameters
    ----------
    mechanism : Mechanism
        With the parameters that are planned; its hash functions do not matter.
    n : int
        Number of reports, at least 0.
    size : int
        Elements of the dictionary, at least 1.
    false_positives : float
        As for `estimate`.
    f2 : float, optional
        F2, the sum of the squares of all true counts; n² if it is not given, which it is when all reports are about one
        element.

    Returns
    -------
    float
        T, in reports.

    Raises
    ------
    ParameterError
        If a number is out of range.

    Examples
    --------
    >>> cms = CountMeanSketch(epsilon=4, k=1024, m=1024, seed=7)
    >>> round(threshold(cms, 1_000_000, 2600, f2=1e10))
    1821
    """
    if n < 0 or size < 1 or not 0 < false_positives < 1:
        raise ParameterError("n", f"There is no threshold for n={n}, size={size}, false_positives={false_positives}.")
    return mechanism.debiased.threshold(n, false_positives / size, float(n) ** 2 if f2 is None else f2)
