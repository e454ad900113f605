"""Impact of a version's settings: on the people who report, the network, the server, the chart."""

from dataclasses import dataclass, replace
from decimal import Decimal

import numpy as np

from aggregation.discovery import FALSE_FRAGMENTS, Cut, num_fragment_keys, smallest_share
from aggregation.mechanisms import SequenceFragmentPuzzle
from reports.models import UseCase, Version
from reports.privacy.loss import Loss, privacy_loss

# Memory of a run for each element: its key and the products of its halves with which it is hashed, …
HASH_BYTES = 72
# … and a count in each of the shards that are read together.
COUNT_BYTES = 8
SHARDS_TOGETHER = 32
# Memory of a run for each fragment that is looked up: measured, with its counts at eight positions, while they are cut.
FRAGMENT_BYTES = 300
# A cell of a sketch, up to 65,535 reports in a row, …
CELL_BYTES = 2
# … and how often a day's sketches are copied before they are stored.
COPIES = 3
# Memory of a worker before it has read anything: Python, NumPy, Django, and blocks of rows.
WORKER_BYTES = 130_000_000
# Candidates that the threshold is for: words that are expected to fit together, false ones included.
CANDIDATES = 100


@dataclass(frozen=True)
class Alphabet:
    """A locale's alphabet, and the work to assemble words from it."""

    locale: str
    characters: str
    # Every puzzle byte with every fragment: two letters, a letter and a pad, or two pads.
    fragments: int
    # Each fragment in each row, for all positions together; once in a run.
    look_ups: int


@dataclass(frozen=True)
class Search:
    """Parameters of a version that discovers words: the parts of ε, and the alphabets of its locales."""

    word_epsilon: Decimal
    fragment_epsilon: Decimal
    alphabets: tuple[Alphabet, ...]


@dataclass(frozen=True)
class Impact:
    """Costs and limits of a version as it is saved, with its use case and the dictionary in force."""

    loss: Loss
    # The longest record of an upload document, in bytes before compression.
    wire_bytes: int
    # One report in shards.
    stored_bytes: int
    elements: int
    # The most that each worker of a run takes.
    memory_bytes: int
    # Size of the support counts of a day and locale, which are kept.
    read_out_bytes: int
    minimum_reports: int
    # The smallest share of an element that is shown at `minimum_reports`, or of a word that is found then with
    # probability 0.9; None without a dictionary.
    smallest_share: float | None
    # The threshold is at least so many reports.
    prescribed_threshold: int | None
    search: Search | None = None


def impact_of(version: Version) -> Impact:
    """Compute what a version costs and what it can find."""
    use_case, mechanism, dictionary = version.use_case, version.mechanism, version.current_dictionary()
    elements = dictionary.size if dictionary is not None else 0
    impact = Impact(
        loss=privacy_loss(use_case, version),
        wire_bytes=mechanism.report_characters,
        stored_bytes=mechanism.report_bytes,
        elements=elements,
        memory_bytes=WORKER_BYTES + elements * (HASH_BYTES + COUNT_BYTES * SHARDS_TOGETHER),
        read_out_bytes=COUNT_BYTES * elements,
        minimum_reports=use_case.minimum_reports,
        smallest_share=_smallest_share(version, elements) if elements else None,
        prescribed_threshold=use_case.prescribed_threshold,
    )
    return impact if version.discovery is None else _of_search(impact, version, version.discovery)


def _of_search(impact: Impact, version: Version, mechanism: SequenceFragmentPuzzle) -> Impact:
    words, fragments = mechanism.words, mechanism.fragments
    alphabets = tuple(_alphabet(mechanism, locale, version.alphabet_of(locale) or "") for locale in version.locales)
    most = max(alphabet.fragments for alphabet in alphabets)
    cells = words.k * words.m + len(mechanism.positions) * fragments.k * fragments.m
    return replace(
        impact,
        memory_bytes=WORKER_BYTES + max(most * FRAGMENT_BYTES, COPIES * cells * CELL_BYTES),
        read_out_bytes=cells * CELL_BYTES,
        smallest_share=_smallest_share_of_words(version, mechanism, most),
        search=Search(words.epsilon, fragments.epsilon, alphabets),
    )


def _smallest_share(version: Version, elements: int) -> float:
    """T/n for the fewest reports that are published, if no two of them were about one element; 1 if T is above n."""
    use_case = version.use_case
    n = use_case.minimum_reports
    statistical = version.mechanism.debiased.threshold(n, use_case.false_positive_rate / elements, f2=n)
    return _at_least(use_case, statistical) / n


def _alphabet(mechanism: SequenceFragmentPuzzle, locale: str, characters: str) -> Alphabet:
    fragments = num_fragment_keys(characters)
    return Alphabet(locale, characters, fragments, fragments * mechanism.fragments.k)


def _smallest_share_of_words(version: Version, mechanism: SequenceFragmentPuzzle, fragments: int) -> float:
    """Return the share found with probability 0.9 at the minimum of reports, if no two reports were about one word."""
    n, positions = version.use_case.minimum_reports, len(mechanism.positions)
    of_each = n // positions
    if not of_each:
        return 1.0
    cut_off = mechanism.fragments.debiased.threshold(of_each, FALSE_FRAGMENTS / fragments, f2=of_each)
    cut = Cut(
        kept=[],
        estimates=[],
        reports=np.full(positions, of_each),
        thresholds=np.full(positions, cut_off),
        f2=np.full(positions, float(of_each)),
        capped=np.zeros(positions, bool),
    )
    statistical = mechanism.debiased.threshold(n, version.use_case.false_positive_rate / CANDIDATES, f2=n)
    return smallest_share(mechanism, n, n, _at_least(version.use_case, statistical), cut)


def _at_least(use_case: UseCase, statistical: float) -> float:
    return max(statistical, use_case.prescribed_threshold or 0.0)
