"""Finding words at the size at which it is deployed: each step on one core, and whole runs."""

import hashlib
import json
from collections.abc import Generator, Iterator
from decimal import Decimal
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aggregation.discovery import (
    Cut,
    FragmentKeys,
    Sketches,
    cut_fragments,
    fragment_keys,
    join_fragments,
    read_fragments,
    read_words,
)
from aggregation.encoding import join_records, sort_records
from aggregation.mechanisms import CountMeanSketch, SequenceFragmentPuzzle
from aggregation.sketches import QuadraticM31, puzzle_byte
from benchmarks.aggregation import look_ups
from benchmarks.measuring import (
    TAKES,
    Row,
    Site,
    best_time,
    days_ago,
    measured,
    peak_megabytes,
    row,
    take_seconds,
    worker_rows,
)

SLUG = "new-words"
ALPHABET = "abcdefghijklmnopqrstuvwxyz'"
# About as many letters as French has.
LARGE_ALPHABET = ALPHABET + "àâæçéèêëîïôœùûü"
PARAMETERS = {"epsilon": 2, "fragment_epsilon": 6, "k": 2048, "fragment_k": 2048, "m": 1024, "fragment_m": 1024}
LENGTH = 10
REPORTS = 1_000_000
BLOCK = 100_000
WORDS = 500


def some_words(number: int = WORDS) -> list[str]:
    """Made-up words of all lengths, padded."""
    rng = np.random.default_rng(1)
    drawn = {"".join(rng.choice(list(ALPHABET), size=rng.integers(3, LENGTH + 1))) for _ in range(2 * number)}
    return [word.ljust(LENGTH, "_") for word in sorted(drawn)[:number]]


def shares(words: list[str]) -> NDArray[np.float64]:
    """Falling so slowly that dozens stand out."""
    weights = 1 / np.arange(1, len(words) + 1) ** 0.7
    return np.asarray(weights / weights.sum(), np.float64)


def mechanism() -> SequenceFragmentPuzzle:
    seed, shape = bytes(range(16)), (PARAMETERS["k"], PARAMETERS["m"])
    return SequenceFragmentPuzzle(
        CountMeanSketch(Decimal(PARAMETERS["epsilon"]), *shape, QuadraticM31(seed)),
        CountMeanSketch(Decimal(PARAMETERS["fragment_epsilon"]), *shape, QuadraticM31(seed, "fragment")),
        LENGTH,
    )


def steps() -> Iterator[Row]:
    """Yield one row for each step of finding words, on one core."""
    own, words = mechanism(), some_words()
    streams = _reports(own, words)
    reports = [len(streams[own.fragment_stream(position)]) for position in own.positions]

    def copies() -> None:
        for records in streams.values():
            records.copy()

    sketch = partial(Sketches.count, own, streams)
    yield measured("sketch 1 M reports, six sketches", sketch, "copy of the records", copies, reports=REPORTS)
    days = [sketch()]
    keys, read_outs = yield from _reading_steps(own, days)
    cut = cut_fragments(own, read_outs, reports)
    found = partial(cut_fragments, own, read_outs, reports)
    yield measured(f"cut of 5 × {len(keys):,} keys", found, "sort of them", lambda: np.sort(read_outs, axis=1))
    yield from _joining_steps(own, keys, cut, words)
    candidates = words[:WORDS]
    points = own.words.family.points(candidates)
    read = partial(read_words, own, days, candidates)
    step = f"read out {len(candidates)} × {own.words.k:,} words"
    yield measured(step, read, TAKES, look_ups(points, own.words.k, own.words.m))


def _reports(own: SequenceFragmentPuzzle, words: list[str]) -> dict[str, NDArray[Any]]:
    """The sorted records of each stream."""
    rng = np.random.default_rng(2)
    blocks: dict[str, list[NDArray[Any]]] = {stream: [] for stream in own.streams}
    for _ in range(REPORTS // BLOCK):
        index = rng.choice(len(words), BLOCK, p=shares(words))
        for stream, records in own.split(own.privatize_fleet(words, index, rng)).items():
            blocks[stream].append(records)
    return {stream: sort_records(join_records(records)) for stream, records in blocks.items()}


def _reading_steps(
    own: SequenceFragmentPuzzle, days: list[Sketches]
) -> Generator[Row, None, tuple[FragmentKeys, NDArray[np.int64]]]:
    """Returns the keys of the smaller alphabet and what was read out for them."""
    family, k, m = own.fragments.family, own.fragments.k, own.fragments.m

    def digests() -> None:
        for number in range(len(keys)):
            hashlib.sha256(b"element%d" % number).digest()

    keys = fragment_keys(ALPHABET, family)
    # By another order of letters, so that nothing is remembered.
    orders = iter(ALPHABET[place:] + ALPHABET[:place] for place in range(1, len(ALPHABET)))
    step = f"keys of {len(ALPHABET)} letters, {len(keys):,}"
    yield measured(step, lambda: fragment_keys(next(orders), family), "SHA-256 of each", digests)

    read = partial(read_fragments, own, days, keys, 0, k)
    floor = look_ups(keys.points, k, m)
    step = f"read out 5 × {len(keys):,} × {k:,} fragments"
    small = measured(step, read, TAKES, floor, target="≤ 5 s")
    yield small
    many = fragment_keys(LARGE_ALPHABET, family)
    proportion = len(many) / len(keys)
    large = partial(read_fragments, own, days, many, 0, k)
    seconds, peak = best_time(large), peak_megabytes(large)
    step = f"the same of {len(LARGE_ALPHABET)} letters, {len(many):,} keys"
    scaled = small["seconds"] * proportion
    yield row(step, seconds, peak, "ratio ≤ 1.1", f"× {proportion:.2f} keys", scaled)
    return keys, read()


def _joining_steps(own: SequenceFragmentPuzzle, keys: FragmentKeys, cut: Cut, words: list[str]) -> Iterator[Row]:
    """500 fragments at every position; and more than may be put together."""
    places = {fragment: place for place, fragment in enumerate(keys.fragments)}
    true = [
        [puzzle_byte(own.seed, word) * len(places) + places[word[start : start + 2]] for word in words]
        for start in range(0, LENGTH, 2)
    ]
    rng = np.random.default_rng(3)
    for size in (500, 4096):
        kept = [np.array(_filled(first, size, len(keys), rng)) for first in true]
        estimates = [threshold * np.linspace(3, 1, size) for threshold in cut.thresholds.tolist()]
        full = Cut(kept, estimates, cut.reports, cut.thresholds, cut.f2, cut.capped)
        join = partial(join_fragments, own, keys, full)
        joined = join()
        digests = partial(_digests, joined.tried)
        step = f"join {size:,} fragments a position, {joined.tried:,} words"
        yield measured(step, join, "SHA-256 of each word", digests, target="≤ 1 s" if size == 500 else "")


def _filled(first: list[int], size: int, keys: int, rng: np.random.Generator) -> list[int]:
    """So many different keys, with the given ones in front."""
    found = dict.fromkeys(first)
    while len(found) < size:
        found[int(rng.integers(keys))] = None
    return list(found)[:size]


def _digests(number: int) -> None:
    word = b"abcdefghij" * 3
    for _ in range(number):
        hashlib.sha256(word).digest()


def site_steps(site: Site) -> Iterator[Row]:
    """A day of a million reports, from documents to the list of words."""
    site.manage("apply_use_cases", str(_definition(site.folder)))
    observed = site.folder / "shares.tsv"
    words = some_words()
    lines = [f"en\t{word.rstrip('_')}\t{share}\n" for word, share in zip(words, shares(words).tolist(), strict=True)]
    observed.write_text("locale\telement\tshare\n" + "".join(lines), encoding="utf-8")
    arguments = ("--shares", str(observed), "--reports", str(REPORTS), "--output", str(site.folder))
    site.manage("simulate_devices", SLUG, *arguments)
    documents = site.folder / f"{SLUG}.ndjson"
    site.manage("ingest", "--day", days_ago(1), str(documents))
    documents.unlink()
    floor = take_seconds(256 * (len(ALPHABET) * (len(ALPHABET) + 1) + 1) * PARAMETERS["fragment_k"])
    inline, peak = site.manage("aggregate", SLUG, "--from", days_ago(1), "--to", days_ago(1), "--inline")
    yield row("find words in 1 M reports, inline", inline, peak, "≤ 12 s, ≤ 1.5 GB", TAKES, floor, reports=REPORTS)
    yield from worker_rows(site, SLUG, "the same", inline, REPORTS, targets=("≤ 12 s", "≤ 7.5 s"))


def _definition(folder: Path) -> Path:
    definition = {
        "slug": SLUG,
        "title": SLUG,
        "algorithm": "SequenceFragmentPuzzle",
        "normalization": "word",
        "locales": ["en"],
        "alphabet": {"en": ALPHABET},
        "parameters": {**PARAMETERS, "length": LENGTH},
    }
    path = folder / f"{SLUG}.json"
    path.write_text(json.dumps([definition]), encoding="utf-8")
    return path
