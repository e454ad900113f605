"""Limits of what an evaluation may ask for, and what would fit."""

import datetime
import math
from decimal import Decimal
from typing import Any, Final

from django.utils.translation import gettext as _

from aggregation.evaluation import Grid, is_drawn
from aggregation.mechanisms import Mechanism
from aggregation.planning import estimate_cost
from aggregation.registry import distribution_of
from reports.formatting import data_size, duration, whole

MOST_CELLS: Final = 1000
MOST_REPETITIONS: Final = 10_000
MOST_TOP: Final = 1000
# Seconds of one core. Two cores take half as long.
MOST_SECONDS: Final = 6 * 3600
# Numbers that are kept until it is finished.
_MOST_KEPT: Final = 2 * 10**7
# Rows of ranks of all cells: a page reads the whole document, of 175 bytes a rank.
_MOST_ROWS: Final = 10**5
# Bytes of reports that are made one by one and held together.
_MOST_BYTES: Final = 2**30


class TooMuch(ValueError):
    """Error for an evaluation that asks for too much of a part of its grid; the words say what would fit."""

    def __init__(self, words: str, field: str = "") -> None:
        super().__init__(f"{field}: {words}" if field else words)
        self.words, self.field = words, field


class TooMany(TooMuch):
    """Error for an evaluation of a person who has as many under way as they may."""


def check_limits(grid: Grid, *, exact_reports: bool) -> None:
    """Raise `TooMuch` unless an evaluation fits."""
    too_many = _("%(asked)s are too many; at most %(most)s fit.")
    for name, asked, most in [
        ("cells", len(grid.cells), MOST_CELLS),
        ("repetitions", grid.repetitions, MOST_REPETITIONS),
        ("top", grid.top, min(MOST_TOP, _MOST_ROWS // len(grid.cells))),
    ]:
        if asked > most:
            raise TooMuch(too_many % {"asked": whole(asked), "most": whole(most)}, name)
    kept = len(grid.cells) * grid.top * 2
    if kept * grid.repetitions > _MOST_KEPT:
        raise TooMuch(
            _("With so many cells and ranks at most %(most)s fit.") % {"most": whole(_MOST_KEPT // kept)}, "repetitions"
        )
    _check_memory(grid, exact_reports=exact_reports)
    seconds = expected_seconds(grid, exact_reports=exact_reports)
    if seconds > MOST_SECONDS:
        raise TooMuch(*_too_long(grid, seconds))


def expected_seconds(grid: Grid, *, exact_reports: bool) -> float:
    """Return about how long an evaluation takes one core."""
    return grid.repetitions * sum(repetition_seconds(grid, exact_reports=exact_reports).values())


def repetition_seconds(grid: Grid, *, exact_reports: bool) -> dict[tuple[int, Decimal], float]:
    """Return about how long a repetition of all inputs takes one core, by shape and ε."""
    return {
        key: _drawn_seconds(mechanism, grid) if drawn else _simulated_seconds(mechanism, grid)
        for key, (mechanism, drawn) in _mechanisms(grid, exact_reports=exact_reports).items()
    }


def _mechanisms(grid: Grid, *, exact_reports: bool) -> dict[tuple[int, Decimal], tuple[Mechanism, bool]]:
    """Return each mechanism at each ε, and whether its read-outs are drawn at once."""
    return {
        (place, epsilon): (shape.mechanism(epsilon, bytes(16)), is_drawn(shape, epsilon, exact_reports=exact_reports))
        for place, shape in enumerate(grid.shapes)
        for epsilon in grid.epsilons
    }


def _simulated_seconds(mechanism: Mechanism, grid: Grid) -> float:
    # Making reports and counting them takes about as long as receiving, checking, sorting and counting does.
    return sum(estimate_cost(mechanism, each.n, len(each.elements)).seconds for each in grid.inputs)


def _drawn_seconds(mechanism: Mechanism, grid: Grid) -> float:
    part: Any = distribution_of(mechanism)
    seconds: float = sum(part.draw_seconds(mechanism, each.n, len(each.elements)) for each in grid.inputs)
    # Inputs over the same elements are hashed together, and with one family repetitions are as well.
    hashed: set[int] = {len(each.elements) for each in grid.inputs} if grid.family == "fresh" else set()
    seconds += sum(part.hash_seconds(mechanism, size) for size in hashed)
    return seconds


def _check_memory(grid: Grid, *, exact_reports: bool) -> None:
    most_reports = max(each.n for each in grid.inputs)
    for mechanism, drawn in _mechanisms(grid, exact_reports=exact_reports).values():
        if not drawn and most_reports * mechanism.report_bytes > _MOST_BYTES:
            raise TooMuch(
                _("%(reports)s of %(size)s each are too many to be made one by one; at most %(most)s fit.")
                % {
                    "reports": whole(most_reports),
                    "size": data_size(mechanism.report_bytes),
                    "most": whole(_MOST_BYTES // mechanism.report_bytes),
                },
                "reports",
            )


def _too_long(grid: Grid, seconds: float) -> tuple[str, str]:
    facts = {
        "asked": duration(datetime.timedelta(seconds=seconds)),
        "most": duration(datetime.timedelta(seconds=MOST_SECONDS)),
        "repetitions": whole(math.floor(grid.repetitions * MOST_SECONDS / seconds)),
    }
    if grid.repetitions * MOST_SECONDS < seconds:
        words = _(
            "Even one repetition would take one core longer than %(most)s, which is the most: take fewer reports,"
            " elements or parameters."
        )
        return words % facts, ""
    words = _("This would take one core about %(asked)s; at most %(most)s fit. %(repetitions)s repetitions would fit.")
    return words % facts, "repetitions"
