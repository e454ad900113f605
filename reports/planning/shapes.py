"""The parameters of a mechanism for a plan: those that were asked for, and suggestions for the others."""

from collections.abc import Mapping
from decimal import Decimal
from typing import Any, Final

from aggregation.errors import ParameterError
from aggregation.mechanisms import MECHANISMS, CountMeanSketch, SequenceFragmentPuzzle
from aggregation.mechanisms.sequence_fragment_puzzle import MAX_CELLS, MAX_ROWS
from aggregation.parameters import MAX_M, wire_epsilon
from aggregation.planning import suggest_num_buckets, suggest_num_hashes, zipf_frequencies
from reports.planning.question import Question

# What part of ε a word has beside its two letters: a quarter, which is a choice and not proved to be best. Letters are
# spread over all places of a word and all puzzle bytes, so they need the larger part.
WORDS_PART: Final = 4
LENGTH: Final = 10
_STEP: Final = Decimal("0.001")
# A larger ε suggests more buckets, but vectors should stay as short as reports of a few hundred bytes.
MOST_BUCKETS: Final = 1024
# Where a report is one bit, buckets cost a device nothing, and the server reads every element in every row.
ENOUGH_ROWS: Final = 1024


def parameters_of(algorithm: str, question: Question) -> dict[str, object]:
    """The wire parameters but for the seed; not checked, because the question may ask for what cannot be."""
    if MECHANISMS[algorithm] is not SequenceFragmentPuzzle:
        return _of_one_sketch(algorithm, question.epsilon, question)
    words = max((question.epsilon / WORDS_PART).quantize(_STEP), _STEP)
    return _of_words(words, max(question.epsilon - words, _STEP), question)


def suggest(algorithm: str, given: Mapping[str, Any], question: Question) -> dict[str, int]:
    """What a plan would have of the parameters that are missing, for the ε that are given; nothing without them."""
    try:
        epsilon = wire_epsilon("epsilon", given.get("epsilon"))
        if MECHANISMS[algorithm] is SequenceFragmentPuzzle:
            fragments = wire_epsilon("fragment_epsilon", given.get("fragment_epsilon"))
            planned = _of_words(epsilon, fragments, question)
        else:
            planned = _of_one_sketch(algorithm, epsilon, question)
    except ParameterError:
        return {}
    return {name: value for name, value in planned.items() if name not in given and isinstance(value, int)}


def _of_one_sketch(algorithm: str, epsilon: Decimal, question: Question) -> dict[str, object]:
    k, m = _shape(algorithm, epsilon, question.reports, question)
    return {"epsilon": epsilon, "k": k, "m": m}


def _of_words(words: Decimal, fragments: Decimal, question: Question) -> dict[str, object]:
    # Each position has a part of the reports.
    each = max(question.reports // (LENGTH // 2), 1)
    k, m = _shape(CountMeanSketch.algorithm, words, question.reports, question, MAX_CELLS, MAX_ROWS)
    fragment_k, fragment_m = _shape(CountMeanSketch.algorithm, fragments, each, question, MAX_CELLS, MAX_ROWS)
    return {
        "epsilon": words,
        "k": k,
        "m": m,
        "fragment_epsilon": fragments,
        "fragment_k": fragment_k,
        "fragment_m": fragment_m,
        "length": LENGTH,
    }


def _shape(
    algorithm: str, epsilon: Decimal, n: int, question: Question, most_cells: int = 2**28, most_rows: int = 2**16
) -> tuple[int, int]:
    """k and m. Where as many rows as there should be are too few, rows get more buckets, which do the same."""
    frequencies = zipf_frequencies(question.size, float(question.exponent))
    squares, m = frequencies.sum_of_squares, question.m
    if m is None:
        m = suggest_num_buckets(algorithm, float(epsilon))
        vectors = algorithm == CountMeanSketch.algorithm
        most, rows = (MOST_BUCKETS, most_rows - 1) if vectors else (MAX_M, ENOUGH_ROWS)
        m = min(m, most)
        while m < most and suggest_num_hashes(algorithm, float(epsilon), m, n, squares) > rows:
            m *= 2
    if question.k is not None:
        return question.k, m
    if m < 8 or m & (m - 1):
        return 1, m
    return min(suggest_num_hashes(algorithm, float(epsilon), m, n, squares), most_cells // m, most_rows), m
