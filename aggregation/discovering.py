"""Words that no dictionary has, found in a sketch of a mechanism that discovers them."""

import numpy as np

from .collected import Sketch
from .discovery import Sketches, candidates, read_words, summarize_words
from .errors import ParameterError
from .estimates import Estimate, estimate_of
from .normalization import PAD
from .registry import discovers


def discover(sketch: Sketch, alphabet: str, *, false_positives: float = 0.05, confidence: float = 0.95) -> Estimate:
    """Find words that were reported often, without a dictionary.

    Parameters
    ----------
    sketch : Sketch
        The reports, of a mechanism that finds words, such as a Sequence Fragment Puzzle.
    alphabet : str
        The letters that words are made of. Time grows with the square of their number: with 27 letters, k' = 4096 and
        m' = 512 it is a minute.
    false_positives : float
        How many candidates without reports are expected to be significant, all together; above 0 and below 1.
    confidence : float
        Of the interval of each word; above 0 and below 1.

    Returns
    -------
    Estimate
        The candidates, without the characters they were padded with, sorted; those that are ``significant`` were found.

    Raises
    ------
    ParameterError
        If the sketch is of another mechanism or of given elements, or a rate is not between 0 and 1.

    References
    ----------
    Apple, "Learning with Privacy at Scale" (2017), section "Private Sequence Fragment Puzzle".

    Examples
    --------
    >>> words = CountMeanSketch(epsilon=4, k=64, m=64, seed=7)
    >>> fragments = CountMeanSketch(epsilon=6, k=64, m=64, family=QuadraticM31(7, "fragment"))
    >>> puzzle = SequenceFragmentPuzzle(words, fragments, length=4)
    >>> typed = [normalize("word", text, length=4) for text in ["yolo"] * 1500 + ["fomo"] * 1000]
    >>> sketch = Sketch(puzzle)
    >>> sketch.update(map(puzzle.privatize, typed))
    >>> found = discover(sketch, "flmoy", false_positives=1e-6)
    >>> [word for word, is_found in zip(found.elements, found.significant) if is_found]
    ['fomo', 'yolo']
    """
    mechanism, state = sketch.mechanism, sketch.state
    if not discovers(mechanism):
        raise ParameterError("algorithm", f"Words cannot be found in a sketch of {mechanism.algorithm}.")
    if sketch.elements is not None:
        raise ParameterError("elements", "Words cannot be found in a sketch of given elements.")
    streams = [mechanism.fragment_stream(position) for position in mechanism.positions]
    sums = Sketches(state[mechanism.word_stream], np.stack([state[stream] for stream in streams]))
    found, cut = candidates(mechanism, sums, [sketch.sizes[stream] for stream in streams], alphabet)
    read_out = read_words(mechanism, [sums], found)[0]
    summary = summarize_words(mechanism, read_out, sketch.n, false_positives, cut, confidence)
    return estimate_of((word.rstrip(PAD) for word in found), summary)
