"""Summaries of the words that were joined: estimates with errors, and which of them stand out."""

from ..arrays import Integers
from ..estimation import Summary, plug_in_f2, summarize
from ..registry import DiscoveryMechanism
from .fragment_cut import Cut


def summarize_words(
    mechanism: DiscoveryMechanism,
    read_out: Integers,
    n: int,
    false_positive_rate: float,
    cut: Cut,
    confidence: float = 0.95,
    prescribed_threshold: float | None = None,
) -> Summary:
    """Turn the read-outs of candidates into estimates with errors, and find those above the noise.

    Parameters
    ----------
    mechanism : DiscoveryMechanism
        The mechanism the reports were made with.
    read_out : ndarray of int64, shape (D,)
        One integer for each candidate, summed over days; there may be none.
    n : int
        Number of reports.
    false_positive_rate : float
        α: expected number of candidates without any report that pass the threshold, which is that of a dictionary of
        exactly these D; with no candidate, of one.
    cut : Cut
        What the candidates were joined from. For one of the days it was made of, too.
    confidence : float
        Of both kinds of interval.
    prescribed_threshold : float, optional
        As for `estimation.summarize`.

    Returns
    -------
    Summary
        As of `estimation.summarize`, but with F2 over all words.

    Raises
    ------
    ParameterError
        If ``false_positive_rate`` or ``confidence`` is not between 0 and 1, or n is negative.

    Notes
    -----
    The candidates were chosen by the fragments alone, which know nothing of the words' hash functions and noise, so the
    choice does not bias what is said here.
    """
    estimator = mechanism.word_estimator(n, mechanism.word_reports(n, cut.reports.tolist()))
    own = plug_in_f2(estimator, estimator.estimate(read_out, n), n)
    return summarize(
        estimator,
        read_out,
        n,
        false_positive_rate,
        confidence,
        max(own, most_f2(cut, n)),
        prescribed_threshold=prescribed_threshold,
    )


def most_f2(cut: Cut, n: int) -> float:
    """Return an estimate, if anything too large, of F2 over all words, found or not.

    Notes
    -----
    F2 - n counts the ordered pairs of reports about the same word, all of which are about the same fragment at every
    position; a few others are, too. Of the pairs among n reports, n_q(n_q - 1)/(n(n - 1)) are expected among those from
    position q. This is the mean over positions. The candidates alone would leave out all words that are none.
    """
    pairs: list[float] = [
        max(f2 - own, 0.0) * (n * (n - 1)) / (own * (own - 1))
        for own, f2 in zip(cut.reports.tolist(), cut.f2.tolist(), strict=True)
        if own > 1
    ]
    return n + sum(pairs) / max(len(pairs), 1)
