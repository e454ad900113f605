"""Tests of whether reports of words or fragments are honest, and bounds of what fakes can do to words."""

from collections.abc import Mapping

import numpy as np

from ...arrays import Array
from ...screening import Count, Effect, Finding, MissingNoise, Occupied, judge_evenness
from ..fragment_puzzle import WORDS
from ..local_hashing import screening as buckets
from .mechanism import SampledFragmentPuzzle


def outcomes(mechanism: SampledFragmentPuzzle, streams: Mapping[str, Array]) -> list[Finding]:
    found: list[Finding] = []
    for stream, records in streams.items():
        found += buckets.outcomes(mechanism.sketch_of(stream), {stream: records})
    sizes = [len(streams.get(mechanism.fragment_stream(position), ())) for position in mechanism.positions]
    used = np.flatnonzero(sizes)
    found.append(judge_evenness("uneven_positions", "", Occupied(used, np.array(sizes, np.int64)[used]), len(sizes)))
    found.append(_judge_share(len(streams.get(WORDS, ())), sum(sizes), mechanism.fragment_threshold / 2**64))
    return found


def likeliest_record(mechanism: SampledFragmentPuzzle) -> float:
    share = mechanism.fragment_threshold / 2**64
    fragment = share / len(mechanism.positions) * buckets.likeliest_record(mechanism.fragments)
    return max((1 - share) * buckets.likeliest_record(mechanism.words), fragment)


def cells(mechanism: SampledFragmentPuzzle) -> list[tuple[int, float]]:
    """Return the rows of words, and those of fragments at every position."""
    share, rows = mechanism.fragment_threshold / 2**64, len(mechanism.positions) * mechanism.fragments.k
    return [(mechanism.words.k, (1 - share) / mechanism.words.k), (rows, share / rows)]


def effect(mechanism: SampledFragmentPuzzle) -> Effect:
    """Return what one fake report about a word does: what it does among n_w reports, n/n_w times."""
    of_words, scale = buckets.effect(mechanism.words), float(1 / mechanism.debiased.share)
    return Effect(of_words.raised * scale, of_words.lowered * scale, of_words.at_once)


def missing_noise(mechanism: SampledFragmentPuzzle, alpha: float) -> MissingNoise | None:
    return buckets.missing_noise(mechanism.words, alpha)


def _judge_share(words: int, fragments: int, share: float) -> Finding:
    """Test how many reports are about fragments, whatever they are about: Binomial(n, share)."""
    n = words + fragments
    if not n:
        return Finding("uneven_kinds", "", 1.0, {})
    facts = {"seen": fragments, "expected": n * share, "records": n}
    chances = [Count(fragments, n, share, 2).chance(), Count(words, n, 1 - share, 2).chance()]
    return Finding("uneven_kinds", "", min(chances), facts)
