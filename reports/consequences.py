"""What the settings of a version come to: for the people who report, for the network, the server, the chart."""

from dataclasses import dataclass

from reports.models import Version
from reports.privacy import Loss, privacy_loss

# What a run holds for each element: its key and the products of its halves with which it is hashed, …
HASH_BYTES = 72
# … and a count in each of the shards that are read together.
COUNT_BYTES = 8
SHARDS_TOGETHER = 32
# What a worker needs before it has read anything: Python, NumPy, Django, and blocks of rows.
WORKER_BYTES = 130_000_000


@dataclass(frozen=True)
class Consequences:
    """Computed from a version as it is saved, its use case, and the dictionary in force."""

    loss: Loss
    # The longest record of an upload document, in bytes before compression.
    wire_bytes: int
    # One report in a shard.
    stored_bytes: int
    elements: int
    # Of a run, at most, in each worker.
    memory_bytes: int
    # Of the read-out that is kept of each day and locale.
    read_out_bytes: int
    minimum_reports: int
    # What an element's share must be to be shown at `minimum_reports`; None without a dictionary.
    smallest_share: float | None


def consequences(version: Version) -> Consequences:
    """What a version means."""
    use_case, mechanism, dictionary = version.use_case, version.mechanism, version.current_dictionary()
    elements = dictionary.size if dictionary is not None else 0
    return Consequences(
        loss=privacy_loss(use_case, version),
        wire_bytes=mechanism.report_characters,
        stored_bytes=sum(mechanism.record_dtype(stream).itemsize for stream in mechanism.streams),
        elements=elements,
        memory_bytes=WORKER_BYTES + elements * (HASH_BYTES + COUNT_BYTES * SHARDS_TOGETHER),
        read_out_bytes=COUNT_BYTES * elements,
        minimum_reports=use_case.minimum_reports,
        smallest_share=_smallest_share(version, elements) if elements else None,
    )


def _smallest_share(version: Version, elements: int) -> float:
    """T/n for the fewest reports that are published, if no two of them were about one element."""
    n = version.use_case.minimum_reports
    alpha = version.use_case.false_positive_rate / elements
    return version.mechanism.threshold(n, alpha, f2=n) / n
