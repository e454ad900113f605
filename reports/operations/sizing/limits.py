"""Limits that more machines do not raise, and how near a load is to each."""

from dataclasses import dataclass
from typing import Final

from django.utils.translation import gettext as _

from reports.formatting import data_size, two_figures, whole
from reports.operations.sizing.load import SECONDS_A_DAY, Load
from reports.operations.sizing.needs import BUSY, PROGRAM_BYTES
from reports.operations.sizing.unit_costs import UnitCosts

# One server has the database. Of large machines, in round figures, which are assumptions and not measured here.
DATABASE_CORES: Final = 32
LOG_BYTES_A_SECOND: Final = 100e6
# Writes that one prefix of a large provider's bucket takes, by its documentation.
WRITES_A_SECOND: Final = 3_500
MEMORY: Final = 64e9


@dataclass(frozen=True)
class Limit:
    """A resource of which there is so much, and how much of it a load takes, between 0 and, beyond it, more than 1."""

    words: str
    taken: float
    remedy: str

    @property
    def sentence(self) -> str:
        """Say that it is the first to break, and what to do."""
        words = _("Breaks: %(what)s; at %(times)s times this load. %(remedy)s.")
        if self.taken <= 1:
            words = _("Breaks next: %(what)s; at %(times)s times this load. %(remedy)s.")
        return words % {"what": self.words, "times": two_figures(1 / self.taken), "remedy": self.remedy}


def limits(load: Load, costs: UnitCosts) -> list[Limit]:
    """Return what could break, the first to break first."""
    day, peak = SECONDS_A_DAY, load.peak
    per_use_case = load.targets / load.use_cases * costs.counting_seconds
    found = [
        Limit(
            _("processors of the database, of %(cores)s cores") % {"cores": DATABASE_CORES},
            load.database_seconds(costs) / day * peak / BUSY / DATABASE_CORES,
            _("Send larger uploads; then give use cases to a second site"),
        ),
        Limit(
            _("write-ahead log, of %(size)s a second") % {"size": data_size(LOG_BYTES_A_SECOND)},
            load.log_bytes(costs) / day * peak / LOG_BYTES_A_SECOND,
            _("Send larger uploads, and let a server collect for devices"),
        ),
        Limit(
            _("objects written to the bucket, of %(writes)s a second") % {"writes": whole(WRITES_A_SECOND)},
            load.objects_written / day * peak / WRITES_A_SECOND,
            _("Send larger uploads, sorted by use case"),
        ),
        Limit(
            _("publishing a use case, which one process does, of %(hours)s hours") % {"hours": two_figures(load.hours)},
            per_use_case / (3600 * load.hours),
            _("Divide the locales among more use cases"),
        ),
        Limit(
            _("memory of a worker process, of %(size)s") % {"size": data_size(MEMORY)},
            (PROGRAM_BYTES + load.counting.memory) / MEMORY,
            _("Choose smaller parameters, or a mechanism with shorter reports"),
        ),
    ]
    return sorted(found, key=lambda limit: -limit.taken)
