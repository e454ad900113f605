"""Measure how many unknown words each mechanism finds at ε = 8, over random words of a flattened law of Zipf.

Run ``python -m benchmarks.found_words [fleets [reports]]``. Of 400 words of ten random letters, shares fall with
rank^-0.9. Counts are the same in every fleet; words, noise and hash functions are drawn anew, from the seeds 1, 2, ….
It prints how many words are found, how many of these were never reported, how many true candidates have their count in
the 95 % interval, and how many words are as frequent as the smallest share that is stated to be found 9 times of 10.
"""

import sys
from decimal import Decimal

import numpy as np

from aggregation.discovery import Sketches, candidates, read_words, smallest_share, summarize_words
from aggregation.encoding import sort_records
from aggregation.mechanisms import CountMeanSketch, LocalHashing, SampledFragmentPuzzle, SequenceFragmentPuzzle
from aggregation.registry import DiscoveryMechanism
from aggregation.sketches import LABELS, QuadraticM31
from benchmarks.measuring import zipf_counts

LETTERS = "abcdefghijklmnopqrstuvwxyz"
WORDS, LENGTH, EXPONENT, ALPHA = 400, 10, 0.9, 0.05


def deployed(seed: int) -> DiscoveryMechanism:
    words, fragments = (
        CountMeanSketch(epsilon, 2048, 1024, QuadraticM31(seed, label))
        for epsilon, label in zip((2, 6), LABELS, strict=True)
    )
    return SequenceFragmentPuzzle(words, fragments, LENGTH)


def sampled(seed: int) -> DiscoveryMechanism:
    words, fragments = (LocalHashing(8, 4096, 2982, QuadraticM31(seed, label)) for label in LABELS)
    return SampledFragmentPuzzle(words, fragments, LENGTH, Decimal("0.8"))


def measure(mechanism: DiscoveryMechanism, reports: int, seed: int) -> tuple[int, ...]:
    """Return how many words are found, false, candidates, covered, and at least as frequent as the smallest share."""
    rng, counts = np.random.default_rng(seed), zipf_counts(reports, WORDS, EXPONENT)
    letters = np.array(list(LETTERS))
    words = ["".join(letters[drawn]) for drawn in rng.integers(0, len(LETTERS), (WORDS, LENGTH))]
    parts = mechanism.privatize_fleet(words, np.repeat(np.arange(WORDS), counts), rng)
    streams = {name: sort_records(records) for name, records in mechanism.split(parts).items()}
    sums = Sketches.count(mechanism, streams)
    own = [len(streams[mechanism.fragment_stream(position)]) for position in mechanism.positions]
    found, cut = candidates(mechanism, sums, own, LETTERS)
    summary = summarize_words(mechanism, read_words(mechanism, [sums], found)[0], reports, ALPHA, cut)
    truth = dict(zip(words, counts.tolist(), strict=True))
    shown = {word for word, above in zip(found, summary.above.tolist(), strict=True) if above}
    true = [(place, truth[word]) for place, word in enumerate(found) if word in truth]
    covered = sum(bool(summary.lower[place] <= count <= summary.upper[place]) for place, count in true)
    likely = smallest_share(mechanism, reports, summary.f2, summary.threshold, cut)
    frequent = int((counts >= likely * reports).sum())
    return len(shown & truth.keys()), len(shown - truth.keys()), len(true), covered, frequent


def main(fleets: int = 3, reports: int = 300_000) -> None:
    print(f"{'mechanism':<24}{'seed':>5}{'found':>7}{'false':>7}{'candidates':>12}{'covered':>9}{'likely':>8}")
    for make in (deployed, sampled):
        rows = []
        for seed in range(1, fleets + 1):
            mechanism = make(seed)
            rows.append(measure(mechanism, reports, seed))
            found, false, true, covered, frequent = rows[-1]
            print(
                f"{mechanism.algorithm:<24}{seed:>5}{found:>7}{false:>7}{true:>12}{covered:>9}{frequent:>8}", flush=True
            )
        _found, _false, true, covered, _frequent = np.sum(rows, axis=0)
        print(f"{'':<24}{'all':>5}  covered {covered / max(true, 1):.2%} of {true}")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
