"""Charts of training runs: the metric by round and by ε, and how much of contributions noise and clipping leave."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from django.utils.translation import gettext as _

from reports.models import TrainingRound
from reports.training.run_facts import RunFacts, Setting
from reports.web.pages.figures import MOST_SERIES, Chart, label, legend_above, level, margins, series, shaped
from reports.web.pages.provenance_facts import Facts
from reports.web.pages.training.training_answers import best_of
from reports.web.pages.training.training_words import (
    algorithm_of,
    interval_text,
    is_clear,
    metric_text,
    number_text,
    release_name,
    released_text,
    run_name,
)

_HEIGHT = 300
_ABOVE = 20
Read = Callable[[TrainingRound], float | None]


def charts(settings: Sequence[Setting], *, provenance: Facts, address: str) -> Iterator[tuple[str, Chart]]:
    """Charts with their headings: of the run that is shown, the first, and of those that it is compared with."""
    shown = settings[0].run
    runs = [each.run for each in drawn(settings)]
    private = [run for run in runs if run.target is not None]

    def made(name: str, title: str, caption: str, figure: dict[str, Any]) -> tuple[str, Chart]:
        words = _("Chart: %(title)s. %(caption)s The tables below have the numbers.")
        summary, name = words % {"title": title, "caption": caption}, f"training-{shown.run.version.task.slug}-{name}"
        return title, Chart(figure, summary, name, title, caption, provenance=provenance, address=address)

    if any(each.rmse is not None for each in settings):
        words = _(
            "RMSE of ratings that were held out; further to the right is less private. 95 % intervals: over seeds where"
            " a setting has several runs, else of the test error alone, without the chance of the noise."
        )
        if private:
            yield made("epsilon", _("How far off, by ε"), words, _by_epsilon(settings))
        words = _("RMSE of ratings that were held out, with 95 % intervals of the test error alone.")
        figure = _by_round(runs, _figure("rmse"), "RMSE", _lines(shown), error=_figure("rmse_error"))
        yield made("rounds", _("How far off, round by round"), words, figure)
    if shown.rmse is None and shown.recall is not None:
        words = _(
            "Recall among 20 of new people’s choices, with intervals (95 %) over these people; beside it the most"
            " popular titles."
        )
        error = _share("recall_error")
        figure = _by_round(
            runs, _share("recall_at_20"), _("Recall among 20"), _popular(shown), error=error, suffix="\u00a0%"
        )
        yield made("recall", _("Choices among the first 20, round by round"), words, figure)
    if shown.target is not None and any(is_clear(each.figures.get("metrics")) for each in shown.rounds):
        words = _("RMSE with noise, and 95 % intervals of that noise; beside it the exact one of the simulation.")
        yield made("released", _("How far off, as people who never train released it"), words, _released(shown))
    if shown.target is not None and any(each.figures.get("signal_to_noise") for each in shown.rounds):
        words = _("Below 1 there is more noise than signal in a sum. It is known here because devices are simulated.")
        yield made("signal", _("Signal to noise of what leaves the boundary"), words, _by_kind(shown))
    if any(each.figures.get("clipped") is not None for run in private for each in run.rounds):
        words = _(
            "What is clipped keeps its direction and loses length. Even if nearly all is, no larger bound need be"
            " better: noise grows with it."
        )
        figure = _by_round(private, _share("clipped"), _("Share of contributions"), suffix="\u00a0%")
        yield made("clipped", _("Contributions that were clipped"), words, figure)


def drawn(settings: Sequence[Setting]) -> Sequence[Setting]:
    """Return as many settings as have a colour, the one that is shown among them."""
    return settings[:MOST_SERIES]


def _figure(name: str) -> Read:
    return lambda each: each.figures.get(name)


def _share(name: str) -> Read:
    """A figure that is a share, in percent."""
    return lambda each: None if each.figures.get(name) is None else 100 * each.figures[name]


def _popular(shown: RunFacts) -> list[tuple[float, str]]:
    found = shown.baseline("popularity", "recall_at_20")
    return [] if found is None else [(100 * found, _("popularity alone"))]


def _lines(shown: RunFacts) -> list[tuple[float, str]]:
    """Levels of what needs no training."""
    names = {
        "mean": _("one mean"),
        "popularity": _("popularity alone"),
        "public_features": _("public features alone"),
    }
    found = {text: shown.baseline(name) for name, text in names.items()}
    return [(value, text) for text, value in found.items() if value is not None]


def _shaped(
    traces: Sequence[dict[str, Any]],
    axis: str,
    yaxis: dict[str, Any],
    levels: Iterable[tuple[float, str]] = (),
    *,
    left: bool = False,
) -> dict[str, Any]:
    """A chart with levels, whose names stand where curves are not."""
    levels = [*levels]
    names = [
        {
            "name": "threshold",
            "text": label(text),
            "xref": "paper",
            "yref": "y",
            "x": 0 if left else 1,
            # Places on an axis of logarithms are logarithms.
            "y": 0 if yaxis.get("type") == "log" and value == 1 else value,
            "xanchor": "left" if left else "right",
            "yanchor": "bottom",
            "showarrow": False,
        }
        for value, text in levels
    ]
    layout = {
        **legend_above(_HEIGHT, len(traces), _ABOVE),
        "xaxis": {"title": {"text": label(axis)}, "rangemode": "tozero"},
        "yaxis": yaxis,
        "shapes": [level(value) for value, _text in levels],
        "annotations": names,
    }
    return shaped([*traces], layout)


def _trace(
    order: int, name: str, rounds: Sequence[TrainingRound], values: Sequence[float | None], suffix: str = ""
) -> Any:
    words = _("%(name)s, round %(round)s: %(value)s")
    hover = [
        words % {"name": name, "round": each.number, "value": metric_text(value) + suffix}
        for each, value in zip(rounds, values, strict=True)
    ]
    return series(order, name, [each.number for each in rounds], values, hover)


def _by_round(
    runs: Sequence[RunFacts],
    read: Read,
    axis: str,
    levels: Iterable[tuple[float, str]] = (),
    *,
    error: Read | None = None,
    suffix: str = "",
) -> dict[str, Any]:
    traces = []
    for order, run in enumerate(runs):
        trace = _trace(order, run_name(run), run.rounds, [read(each) for each in run.rounds], suffix)
        if error is not None and any(error(each) for each in run.rounds):
            trace["error_y"] = margins([1.96 * (error(each) or 0.0) for each in run.rounds])
        traces.append(trace)
    return _shaped(traces, _("Round"), {"ticksuffix": suffix, "title": {"text": label(axis)}}, levels)


def _released(shown: RunFacts) -> dict[str, Any]:
    """The exact error of a run, and what people who never train have released: single points, with their noise."""
    figure = _by_round([shown], _figure("rmse"), "RMSE")
    rounds = [each for each in shown.rounds if is_clear(each.figures.get("metrics"))]
    metrics = [each.figures["metrics"] for each in rounds]
    name, words = _("released, with noise"), _("%(name)s, round %(round)s: %(value)s")
    trace = series(
        1,
        name,
        [each.number for each in rounds],
        [found["values"]["rmse"] for found in metrics],
        [
            words % {"name": name, "round": each.number, "value": released_text(found)}
            for each, found in zip(rounds, metrics, strict=True)
        ],
        mode="markers",
        error_y=margins([1.96 * found["standard_errors"]["rmse"] for found in metrics]),
    )
    return shaped([*figure["data"], trace], figure["layout"])


def _by_kind(shown: RunFacts) -> dict[str, Any]:
    """A line for each kind of release of a run."""
    kinds = [*dict.fromkeys(kind for each in shown.rounds for kind in each.figures.get("signal_to_noise", {}))]
    traces = [
        _trace(
            order,
            release_name(kind),
            shown.rounds,
            [each.figures["signal_to_noise"].get(kind) for each in shown.rounds],
        )
        for order, kind in enumerate(kinds[:MOST_SERIES])
    ]
    axis = {"type": "log", "title": {"text": label(_("Signal to noise"))}}
    return _shaped(traces, _("Round"), axis, [(1.0, _("as much noise as signal"))])


def _by_epsilon(settings: Sequence[Setting]) -> dict[str, Any]:
    """A line for each algorithm, by the ε that its runs have spent; without noise and without training are levels."""
    private = [each for each in settings if each.target is not None and each.rmse is not None]
    by_algorithm: dict[str, list[Setting]] = {}
    for each in sorted(private, key=lambda each: each.run.spent):
        by_algorithm.setdefault(algorithm_of(each.run), []).append(each)
    traces = [
        series(
            order,
            name,
            [each.run.spent for each in found],
            [each.rmse for each in found],
            [
                f"{name}, ε = {number_text(each.run.spent)}: {interval_text(each.rmse, each.half_width)}"
                for each in found
            ],
            error_y=margins([each.half_width for each in found]),
        )
        for order, (name, found) in enumerate([*by_algorithm.items()][:MOST_SERIES])
    ]
    levels = _lines(settings[0].run)
    best = best_of(settings)
    if best is not None:
        levels.append((best, _("without noise")))
    return _shaped(traces, "ε", {"title": {"text": "RMSE"}}, levels, left=True)
