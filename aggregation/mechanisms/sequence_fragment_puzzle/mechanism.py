"""Sequence Fragment Puzzle: a word and two of its letters, in two sketches, so that unknown words can be found."""

from .client import Client
from .server import Server


class SequenceFragmentPuzzle(Client, Server):
    """Sequence Fragment Puzzle.

    Parameters
    ----------
    words : CountMeanSketch
        The sketch of whole words, with ε, k and m.
    fragments : CountMeanSketch
        The sketch of fragments, with ε', k' and m', over a family of its own. The server has one for each position.
    length : int
        L, the characters of a padded word; even, from 2 to 16.

    Raises
    ------
    ParameterError
        If the length is odd or out of range, a sketch has more than 2^16 rows or 2^24 cells, or the two families are
        one or differ in their seeds.

    Notes
    -----
    A report is two Count Mean Sketch reports about the same word, one of the whole word and one of two of its letters
    under the word's puzzle byte, so its loss is ε + ε'. The position does not depend on the word and costs nothing.
    Fragments that stand out at every position under one puzzle byte are joined to candidates; how often these were
    reported is estimated from the sketch of words, as Count Mean Sketch does it.

    References
    ----------
    Apple, "Learning with Privacy at Scale" (2017), section "Private Sequence Fragment Puzzle"; the report format,
    section 4.

    Examples
    --------
    >>> words = CountMeanSketch(epsilon=2, k=256, m=64, seed=7)
    >>> fragments = CountMeanSketch(epsilon=6, k=256, m=64, family=QuadraticM31(7, "fragment"))
    >>> puzzle = SequenceFragmentPuzzle(words, fragments, length=8)
    >>> puzzle.report_epsilon
    Decimal('8')
    >>> position, *rest = puzzle.privatize(normalize("word", "Selfie", length=8)).split(",")
    >>> int(position) in (1, 3, 5, 7), len(rest)
    (True, 4)
    """
