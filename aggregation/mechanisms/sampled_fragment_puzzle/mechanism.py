"""Sampled fragment puzzle: a word or two of its letters, in one report, so that unknown words can be found."""

from .client import Client
from .server import Server


class SampledFragmentPuzzle(Client, Server):
    """Sampled fragment puzzle: a report is the word, or a fragment of it, and spends all of ε on one of both.

    Parameters
    ----------
    words : LocalHashing
        The sketch of whole words, with ε, k and g.
    fragments : LocalHashing
        The sketch of fragments, with the same ε, and k' and g', over a family of its own. The server has one for each
        position.
    length : int
        L, the characters of a padded word; even, from 2 to 16.
    fragment_share : Decimal
        The probability of a report to be about a fragment, a multiple of 0.001 from 0.001 to 0.999.

    Raises
    ------
    ParameterError
        If the length is odd or out of range, a sketch has more than 2^16 rows or 2^24 cells, the two sketches have not
        one ε, the two families are one or differ in their seeds, or the share is not one of these.

    Notes
    -----
    Whether a report is about the word, or about which of its fragments, is drawn without looking at the word. Given
    that, it is one report by local hashing, so its loss is ε. Fragments that stand out at every position under one
    puzzle byte are joined to candidates. How often these were reported is estimated from the n_w reports about words,
    a random part of all n.

    References
    ----------
    Apple, "Learning with Privacy at Scale" (2017), section "Private Sequence Fragment Puzzle"; T. Wang, J. Blocki,
    N. Li, S. Jha, "Locally Differentially Private Protocols for Frequency Estimation" (USENIX Security 2017); the
    report format, section 4.

    Examples
    --------
    >>> words = LocalHashing(epsilon=8, k=256, g=2982, seed=7)
    >>> fragments = LocalHashing(epsilon=8, k=256, g=2982, family=QuadraticM31(7, "fragment"))
    >>> puzzle = SampledFragmentPuzzle(words, fragments, length=8)
    >>> puzzle.report_epsilon, puzzle.report_bytes
    (Decimal('8'), 4)
    >>> position, row, bucket = map(int, puzzle.privatize(normalize("word", "Selfie", length=8)).split(","))
    >>> position in (0, 1, 3, 5, 7), row < 256, bucket < 2982
    (True, True, True)
    """
