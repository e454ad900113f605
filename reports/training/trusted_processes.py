"""The two trusted processes of training, as the settings name them, and whether they answer."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from enum import StrEnum
from pathlib import Path
from typing import Final

from django.conf import settings
from django.core import checks

from aggregation.training.roles import ROLES, Door, TrustedProcesses, command, environment
from reports.jobs import Later
from reports.models.failures import PROCESSES_AWAITED


class Start(StrEnum):
    """Starter of the processes, as far as the settings say."""

    NONE = "none"
    SITE = "site"
    # On the site's machine, or at an address.
    APART = "apart"
    ELSEWHERE = "elsewhere"


# For a person, or a device, that waits for an answer.
PATIENCE: Final = 10.0
_AWAY: Final = timedelta(seconds=20)


def trusted_processes(patience: float = PATIENCE) -> TrustedProcesses | None:
    """Return the processes as they are reached from here; None where there are none."""
    addresses = settings.LDPSITE_TRAINING_AGGREGATOR, settings.LDPSITE_TRAINING_DISTRIBUTOR
    return TrustedProcesses(*(Door(address, patience) for address in addresses)) if all(addresses) else None


def started() -> Start:
    """Return who starts the processes: `manage.py run` does so in the site's own folder."""
    address = settings.LDPSITE_TRAINING_AGGREGATOR
    if not address:
        return Start.NONE
    if address == f"unix:{settings.LDPSITE_TRAINING_DIR / 'aggregator.socket'}":
        return Start.SITE
    return Start.APART if address.startswith("unix:") else Start.ELSEWHERE


def programs(folder: Path) -> list[tuple[str, list[str], dict[str, str]]]:
    """Return name, command and environment of both, for a start on this machine with a folder of theirs."""
    return [(role, command(role, folder), environment()) for role in ROLES]


@contextmanager
def awaited() -> Iterator[None]:
    """Put off the part of a job whose question to the processes, in the block, is not answered."""
    try:
        yield
    except OSError as error:
        raise Later(PROCESSES_AWAITED, _AWAY) from error


def do_answer(patience: float) -> bool:
    """Tell whether both processes answer, or there are none."""
    processes = trusted_processes(patience)
    try:
        if processes is not None:
            processes.identities()
    except OSError:
        return False
    return True


def check_trusted_processes() -> list[checks.CheckMessage]:
    """Ask the trusted processes who they are: a wrong address or right shows before the first round."""
    if do_answer(PATIENCE):
        return []
    return [
        checks.Warning(
            "The trusted processes of training do not answer.",
            hint="See LDPSITE_TRAINING_AGGREGATOR, and how they are started in docs/training.md.",
            id="reports.W001",
        )
    ]
