"""Impact of a version's settings: on the people who report, the network, the server, the chart."""

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal

from reports.models import UseCase, Version
from reports.privacy.loss import Loss, privacy_loss

# Memory of a worker before it has read anything: Python, NumPy, Django, and blocks of rows.
WORKER_BYTES = 130_000_000


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

    # By part, ``word`` and ``letters``; nothing if a report has one of both.
    epsilon_parts: Mapping[str, Decimal]
    alphabets: tuple[Alphabet, ...]


@dataclass(frozen=True)
class Impact:
    """Costs and limits of a version as it is saved, with its use case and the dictionary in force."""

    loss: Loss
    # The longest record of an upload document, in bytes before compression.
    sent_bytes: int
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


def impact_without_counting(version: Version) -> Impact:
    """Return what does not depend on the kind: of a version that has nothing to count."""
    use_case, mechanism = version.use_case, version.mechanism
    return Impact(
        loss=privacy_loss(use_case, version),
        sent_bytes=mechanism.report_characters,
        stored_bytes=mechanism.report_bytes,
        elements=0,
        memory_bytes=WORKER_BYTES,
        read_out_bytes=0,
        minimum_reports=use_case.minimum_reports,
        smallest_share=None,
        prescribed_threshold=use_case.prescribed_threshold,
    )


def at_least_prescribed(use_case: UseCase, statistical: float) -> float:
    return max(statistical, use_case.prescribed_threshold or 0.0)
