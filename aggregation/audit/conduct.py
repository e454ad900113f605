"""One audit: have a client report two words over and over, and measure what the reports tell of which it was."""

import math
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from ..registry import Measured, Mechanism, Tally, part_of
from .clients import Client, ClientError, Device
from .faults import REPEATED
from .power import runs_needed
from .repeats import Repeats

# Two devices, so that what a client seeds when it starts is seen in both.
DEVICES: Final = 2
# Runs come in even numbers of each word from each device.
STEP: Final = 2 * 2 * DEVICES
# A batch is of at most so many reports of a word from a device, and of about so many bits.
_MOST_AT_ONCE: Final = 2000
_BITS_AT_ONCE: Final = 2**21


@dataclass(frozen=True)
class Outcome:
    """Outcome of an audit.

    Parameters
    ----------
    runs, needed : int
        Reports looked at, and how many it takes to judge the estimate.
    epsilon : float
        The loss of a report as stated.
    measured : Measured
        The loss as seen.
    faults : tuple of str
        What is wrong, by name; see `sentence`.
    """

    runs: int
    needed: int
    epsilon: float
    measured: Measured
    faults: tuple[str, ...]

    @property
    def enough(self) -> bool:
        return self.runs >= self.needed

    @property
    def passes(self) -> bool:
        """Tell whether nothing is wrong, and there were the runs to say so."""
        return self.enough and not self.faults


def audit(
    mechanism: Mechanism, elements: Sequence[str], client: Client, runs: int, progress: Callable[[int, int], None]
) -> Outcome:
    """Measure a client.

    Parameters
    ----------
    mechanism : Mechanism
        Mechanism that the client is given, and that the server believes in.
    elements : sequence of str
        Two elements that tell as much as any two.
    client : Client
        The program that reports.
    runs : int
        Reports in all, rounded up to a multiple of 8.
    progress : callable
        Called with the numbers of reports that are done and of all.

    Returns
    -------
    Outcome
        An honest client is found faulty with a chance below 40·α.

    Raises
    ------
    ClientError
        If the client cannot be run, or sends what the server does not take.
    """
    runs = math.ceil(runs / STEP) * STEP
    tally, repeats = part_of(mechanism, "audit").tally(mechanism, elements), Repeats(mechanism)
    asked, done = 0, 0
    with ExitStack() as stack:
        devices = [stack.enter_context(Device(client)) for _ in range(DEVICES)]
        pool = stack.enter_context(ThreadPoolExecutor(DEVICES))
        waiting: list[Future[list[str]]] = []
        while done < runs:
            batches = [future.result() for future in waiting]
            size = min(_batch_size(mechanism), (runs - asked) // (2 * DEVICES))
            # The next are made while these are counted.
            waiting = [pool.submit(_ask, device, mechanism, elements, size) for device in devices] if size else []
            asked += size * 2 * DEVICES
            if batches:
                _count(tally, repeats, mechanism, batches)
                done += sum(map(len, batches))
                progress(done, runs)
    faults = tally.faults() | ({REPEATED} if repeats.are_too_many() else set())
    return Outcome(runs, runs_needed(mechanism), float(mechanism.report_epsilon), tally.loss(), tuple(sorted(faults)))


def _batch_size(mechanism: Mechanism) -> int:
    """Reports of one word from one device, an even number."""
    return max(2, min(_MOST_AT_ONCE, _BITS_AT_ONCE // (4 * mechanism.report_characters)) // 2 * 2)


def _ask(device: Device, mechanism: Mechanism, elements: Sequence[str], size: int) -> list[str]:
    """Let a device report the one word so many times, and then the other."""
    return [line for element in elements for line in device.records(mechanism, element, size)]


def _count(tally: Tally[Any], repeats: Repeats, mechanism: Mechanism, batches: list[list[str]]) -> None:
    seen = []
    for lines in batches:
        refused = mechanism.parse_records(lines).rejected
        if refused:
            raise ClientError(f"The server refuses a report of the client: {refused[0][1]}.")
        repeats.add(lines)
        seen.append(tally.read(lines, np.repeat(np.arange(2), len(lines) // 2)))
        tally.add(seen[-1])
    tally.add_twins(*seen)
