"""Tests of a batch's records of one mechanism, with one stated chance of a false alarm."""

from collections.abc import Mapping
from typing import Final

from ..arrays import Array
from ..errors import ParameterError
from ..registry import Finding, Mechanism, part_of
from .tails import bounded

# Chance for a batch: one in a million honest batches waits for a person for nothing.
FALSE_ALARM_RATE: Final = 1e-6


def screen(mechanism: Mechanism, streams: Mapping[str, Array], alpha: float = FALSE_ALARM_RATE) -> list[Finding]:
    """Find what honest devices would not have sent.

    Parameters
    ----------
    mechanism : Mechanism
        What the records were made with, or say they were.
    streams : mapping of str to structured ndarray
        Sorted records by stream, as they lie in shards; memory maps are read a block at a time.
    alpha : float
        The most that the chance of any finding may be, if all records are honest.

    Returns
    -------
    list of Finding
        The tests that fail. Their p-values are adjusted for the number of tests (Bonferroni): each bounds the chance
        that any test of honest records is as surprising.

    Raises
    ------
    ParameterError
        If alpha is not between 0 and 1, or the mechanism is not registered.

    Notes
    -----
    *Honest* means: every report was made by the mechanism, from any element whatever, independently of the others. No
    test looks for elements, and so none depends on what they are, nor tells anything about them.
    """
    if not 0 < alpha < 1:
        raise ParameterError("alpha", f"alpha must be above 0 and below 1, not {alpha!r}.")
    part = part_of(mechanism, "screening")
    outcomes = part.outcomes(mechanism, {name: records for name, records in streams.items() if len(records)})
    adjusted = [Finding(one.test, one.stream, bounded(len(outcomes) * one.p_value), one.facts) for one in outcomes]
    return [one for one in adjusted if one.p_value <= alpha]
