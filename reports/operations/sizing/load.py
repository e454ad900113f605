"""The load that a site is sized for."""

from dataclasses import dataclass, field
from typing import Any, Final

from aggregation import Mechanism, mechanism_for
from aggregation.planning import Cost, estimate_cost
from aggregation.registry import MECHANISMS
from reports.operations.sizing.unit_costs import UnitCosts

MEASURED_RECORDS: Final = 1_000
SECONDS_A_DAY: Final = 86_400
# Reports of the largest deployment that is published.
ALGORITHM: Final = next(iter(MECHANISMS))
PARAMETERS: Final = {"epsilon": 4, "k": 65_536, "m": 1_024}


def mechanism_of(algorithm: str, parameters: dict[str, Any]) -> Mechanism:
    """Return a mechanism; its seed makes no difference to what it costs. Raises `ParameterError`."""
    return mechanism_for(algorithm, {"seed": "00" * 16, **parameters})


def _usual_mechanism() -> Mechanism:
    return mechanism_of(ALGORITHM, PARAMETERS)


@dataclass(frozen=True)
class Load:
    """Reports of a day, and how they have to be handled.

    Attributes
    ----------
    reports, targets, use_cases : int
        A day: reports in all; pairs of a use case and a locale that they are for.
    mechanism : Mechanism
        With the parameters that most reports are made with.
    records_per_upload, targets_per_upload : int
    by_devices : float
        Share of the reports that devices send by themselves, one a document.
    elements : int
        Of a dictionary.
    retention_days : int
        As long as raw reports are kept.
    peak : float
        The busiest second beside the mean one.
    hours : float
        Within which a day is closed, counted and published.
    """

    reports: int = 10**9
    targets: int = 10_000
    use_cases: int = 100
    mechanism: Mechanism = field(default_factory=_usual_mechanism)
    records_per_upload: int = MEASURED_RECORDS
    targets_per_upload: int = 1
    by_devices: float = 0.0
    elements: int = 2_600
    retention_days: int = 90
    peak: float = 3.0
    hours: float = 4.0

    @property
    def documents(self) -> float:
        """Documents of single devices, a day."""
        return self.reports * self.by_devices

    @property
    def uploads(self) -> float:
        """Uploads of collecting servers, a day."""
        return (self.reports - self.documents) / self.records_per_upload

    @property
    def objects_per_upload(self) -> float:
        """Objects that an upload becomes: one for each use case in it, of locales that are spread evenly."""
        return max(1.0, self.targets_per_upload * self.use_cases / self.targets)

    @property
    def size(self) -> float:
        """Size of an upload in measured ones."""
        return self.records_per_upload / MEASURED_RECORDS

    @property
    def counting(self) -> Cost:
        """Cost of looking up the elements of one target's reports of a day."""
        return estimate_cost(self.mechanism, max(1, round(self.reports / self.targets)), self.elements)

    def web_seconds(self, costs: UnitCosts) -> float:
        """Return processor seconds of web servers, a day. A larger upload is taken in proportion, which is no less."""
        upload = costs.upload_seconds * max(1.0, self.size) + costs.target_seconds * (self.targets_per_upload - 1)
        return self.uploads * upload + self.documents * costs.document_seconds

    def worker_seconds(self, costs: UnitCosts) -> float:
        """Return processor seconds of workers, a day."""
        closing = self.uploads * costs.closing_seconds * max(1.0, self.size)
        return closing + self.targets * (costs.counting_seconds + self.counting.seconds)

    def database_seconds(self, costs: UnitCosts) -> float:
        """Return processor seconds of the database, a day."""
        uploads = self.uploads * (costs.upload_database_seconds + costs.closing_database_seconds)
        return (
            uploads + self.documents * costs.document_database_seconds + self.targets * costs.counting_database_seconds
        )

    def log_bytes(self, costs: UnitCosts) -> float:
        """Return bytes of the database's write-ahead log, a day."""
        uploads = self.uploads * (costs.upload_log_bytes + costs.closing_log_bytes)
        return uploads + self.documents * costs.document_log_bytes + self.targets * costs.counting_log_bytes

    @property
    def objects_written(self) -> float:
        """Objects written in a day: uploads', closed days', and support counts."""
        return self.uploads * self.objects_per_upload + 2 * self.targets

    @property
    def raw_bytes(self) -> float:
        """Bytes of raw reports that are kept at a time."""
        return float(self.reports * self.mechanism.report_bytes * self.retention_days)
