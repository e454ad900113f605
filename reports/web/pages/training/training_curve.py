"""The curve of a run that is under way: what is known of its rounds so far, drawn without a script."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from django.utils.translation import gettext as _

from reports.models import TrainingRound, TrainingRun
from reports.training.run_facts import RunFacts
from reports.web.pages.tables import Heading, Table, number
from reports.web.pages.training.training_words import is_clear, metric_text, number_text, share_text

WIDTH: Final = 340
HEIGHT: Final = 150
# Room that axes need around the curve.
_LEFT, _RIGHT, _ABOVE, _BELOW = 56, 8, 12, 28
_FLOOR: Final = HEIGHT - _BELOW


@dataclass(frozen=True)
class Curve:
    """A curve on a canvas of `WIDTH` by `HEIGHT`: points, levels with their values, and the numbers as a table."""

    metric: str
    summary: str
    path: str
    points: list[tuple[str, str]]
    levels: list[tuple[str, str]]
    rounds: str
    table: Table
    box: str = f"0 0 {WIDTH} {HEIGHT}"
    left: int = _LEFT
    right: int = WIDTH - _RIGHT
    floor: int = _FLOOR
    below: int = HEIGHT - 8


def curve_so_far(run: RunFacts) -> Curve | None:
    """Return the curve of the rounds that are over; None as long as no round has a figure."""
    metric, read, write = _figures(run)
    found = [(each, value) for each in run.rounds if (value := read(each)) is not None]
    if not found:
        return None
    low, high = min(value for _each, value in found), max(value for _each, value in found)
    total = int(run.parameters["rounds"])

    def height(value: float) -> str:
        share = (high - value) / (high - low) if high > low else 0.5
        return f"{_ABOVE + (_FLOOR - _ABOVE) * share:.1f}"

    points = [(f"{_LEFT + (WIDTH - _LEFT - _RIGHT) * each.number / total:.1f}", height(value)) for each, value in found]
    newest, value = found[-1]
    words = _("%(metric)s after round %(round)s: %(value)s.")
    rows = [
        [str(each.number), write(value), "–" if each.epsilon is None else number_text(each.epsilon)]
        for each, value in found
    ]
    return Curve(
        metric,
        words % {"metric": metric, "round": newest.number, "value": write(value)},
        "M" + " L".join(f"{x} {y}" for x, y in points),
        points,
        [(height(value), write(value)) for value in sorted({low, high})],
        str(total),
        Table(_("Rounds so far"), [Heading(_("Round")), number(metric), number(_("ε spent"))], rows),
    )


def _figures(run: RunFacts) -> tuple[str, Callable[[TrainingRound], float | None], Callable[[float], str]]:
    """Return a metric, what reads it of a round, and what writes it.

    Of simulated devices it is exact; of others it is what people who never train have let out.
    """
    if run.run.by_devices:
        return _("RMSE, released"), _released, metric_text
    if run.run.split == TrainingRun.Split.USERS:
        return _("Recall among 20"), lambda each: each.figures.get("recall_at_20"), _share
    return "RMSE", lambda each: each.figures.get("rmse"), metric_text


def _released(each: TrainingRound) -> float | None:
    metrics = each.figures.get("metrics")
    return float(metrics["values"]["rmse"]) if metrics is not None and is_clear(metrics) else None


def _share(value: float) -> str:
    return share_text(value, None)
