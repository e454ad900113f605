"""Batches that no honest devices would send, for the use case of fruits and that of words."""

from typing import Any

import numpy as np

from aggregation.mechanisms import HadamardCountMeanSketch, Mechanism, SequenceFragmentPuzzle
from reports.collection.ingest import Receipt
from reports.models import Version
from tests.reports.factories import document, ndjson, segment, send
from tests.reports.small_fleet import FRUITS, days_ago


def of_version(version: Version, lines: list[str], locale: str = "en_US") -> dict[str, Any]:
    """A segment of these records."""
    return segment(
        lines,
        use_case=version.use_case.slug,
        locale=locale,
        algorithm=version.algorithm,
        parameters=version.mechanism.encoded_parameters(),
    )


def honest_lines(version: Version, reports: int, seed: int = 0) -> list[str]:
    mechanism, rng = version.mechanism, np.random.default_rng(seed)
    elements = ["able", "o___"] if isinstance(mechanism, SequenceFragmentPuzzle) else FRUITS
    drawn = rng.integers(0, len(elements), reports)
    return mechanism.format_records(mechanism.privatize_fleet(elements, drawn, rng))


def suspicious_lines(version: Version, honest: int = 200, replayed: int = 100) -> list[str]:
    """Honest reports, and one of them that is sent again and again."""
    lines = honest_lines(version, honest)
    return lines + lines[:1] * replayed


def unnoised_lines(mechanism: Mechanism, reports: int = 300, seed: int = 4) -> list[str]:
    """Reports of a client that flips nothing; of HCMS, which has no such thing to be seen, of one coordinate."""
    rng = np.random.default_rng(seed)
    if isinstance(mechanism, HadamardCountMeanSketch):
        return [f"{row},5,1" for row in rng.integers(0, mechanism.k, reports)]
    if isinstance(mechanism, SequenceFragmentPuzzle):
        fragments, words = unnoised_lines(mechanism.fragments, reports, 5), unnoised_lines(mechanism.words, reports, 6)
        positions = rng.choice(mechanism.positions, reports).tolist()
        return [",".join(map(str, parts)) for parts in zip(positions, fragments, words, strict=True)]
    m = int(mechanism.encoded_parameters()["m"])
    rows, bits = rng.integers(0, mechanism.divisions, reports), rng.integers(0, m, reports).tolist()
    return [f"{row},{1 << bit:0{m // 4}x}" for row, bit in zip(rows, bits, strict=True)]


def send_lines(version: Version, lines: list[str], day: int = 0, **options: Any) -> Receipt:
    """Upload records for that many days ago."""
    return send(ndjson(document(of_version(version, lines))), day=days_ago(day), **options)


def send_suspicious(version: Version, day: int = 0, **options: Any) -> Receipt:
    return send_lines(version, suspicious_lines(version), day, **options)
