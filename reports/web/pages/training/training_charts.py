"""Charts of training runs: the metric by round and by ε, and how much of contributions noise and clipping leave."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from django.utils.translation import gettext as _

from reports.models import TrainingRound
from reports.training.run_facts import RunFacts, Setting
from reports.web.pages.figures import DASHES, MARGIN, MOST_SERIES, SYMBOLS, Chart, intervals, label, shaped
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
# Above a chart: a line of the legend for each series.
_LEGEND_LINE = 26
_ABOVE = 20
_LEGEND = {"orientation": "v", "x": 0, "xanchor": "left", "yref": "container", "y": 1, "yanchor": "top"}
Read = Callable[[TrainingRound], float | None]


def charts(settings: Sequence[Setting], *, provenance: Facts, address: str) -> list[tuple[str, Chart]]:
    """Charts with their headings: of the run that is shown, the first, and of those that it is compared with."""
    shown = settings[0].run
    runs = [each.run for each in drawn(settings)]

    def made(name: str, title: str, caption: str, figure: dict[str, Any]) -> tuple[str, Chart]:
        summary = _("Chart: %(title)s. %(caption)s The tables below have the numbers.") % {
            "title": title,
            "caption": caption,
        }
        name = f"training-{shown.run.version.task.slug}-{name}"
        return title, Chart(figure, summary, name, title, caption, provenance=provenance, address=address)

    private = [run for run in runs if run.target is not None]
    clipped = any(each.figures.get("clipped") is not None for run in private for each in run.rounds)
    signal = any(each.figures.get("signal_to_noise") for each in shown.rounds)
    found = [
        made(
            "epsilon",
            _("How far off, by ε"),
            _(
                "RMSE of ratings that were held out; further to the right is less private. 95 % intervals: over seeds"
                " where a setting has several runs, else of the test error alone, without the chance of the noise."
            ),
            _by_epsilon(settings),
        ),
        made(
            "rounds",
            _("How far off, round by round"),
            _("RMSE of ratings that were held out, with 95 % intervals of the test error alone."),
            _by_round(runs, _figure("rmse"), "RMSE", _lines(shown), error=_figure("rmse_error")),
        ),
        made(
            "recall",
            _("Choices among the first 20, round by round"),
            _(
                "Recall among 20 of new people’s choices, with intervals (95 %) over these people; beside it the most"
                " popular titles."
            ),
            _by_round(
                runs,
                _share("recall_at_20"),
                _("Recall among 20"),
                _popular(shown),
                error=_share("recall_error"),
                suffix="\u00a0%",
            ),
        ),
        made(
            "released",
            _("How far off, as people who never train released it"),
            _("RMSE with noise, and 95 % intervals of that noise; beside it the exact one of the simulation."),
            _released(shown),
        ),
        made(
            "signal",
            _("Signal to noise of what leaves the boundary"),
            _("Below 1 there is more noise than signal in a sum. It is known here because devices are simulated."),
            _by_kind(shown),
        ),
        made(
            "clipped",
            _("Contributions that were clipped"),
            _(
                "What is clipped keeps its direction and loses length. Even if nearly all is, no larger bound need be"
                " better: noise grows with it."
            ),
            _by_round(
                private,
                _share("clipped"),
                _("Share of contributions"),
                suffix="\u00a0%",
            ),
        ),
    ]
    has_errors = any(each.rmse is not None for each in settings)
    has_recall = shown.rmse is None and shown.recall is not None
    has_figures = (
        *(bool(private) and has_errors, has_errors, has_recall),
        *(_has_released(shown), shown.target is not None and signal, clipped),
    )
    return [each for each, has in zip(found, has_figures, strict=True) if has]


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


def _layout(series: int, axis: str, *, suffix: str = "") -> dict[str, Any]:
    above = _LEGEND_LINE * series + _ABOVE
    return {
        "height": _HEIGHT + above,
        "margin": MARGIN | {"t": above},
        "showlegend": True,
        "legend": _LEGEND,
        "hovermode": "closest",
        "xaxis": {"title": {"text": label(axis)}},
        "yaxis": {"ticksuffix": suffix},
        "shapes": [],
        "annotations": [],
    }


def _with_levels(
    layout: dict[str, Any], levels: Iterable[tuple[float, str]], *, log: bool = False, left: bool = False
) -> dict[str, Any]:
    """Draw levels, with their names where curves are not."""
    for value, text in levels:
        layout["shapes"].append(
            {
                "type": "line",
                "name": "threshold",
                "xref": "paper",
                "yref": "y",
                "x0": 0,
                "x1": 1,
                "y0": value,
                "y1": value,
                "line": {"width": 1.5, "dash": "dash"},
            }
        )
        layout["annotations"].append(
            {
                "name": "threshold",
                "text": label(text),
                "xref": "paper",
                "yref": "y",
                "x": 0 if left else 1,
                # Places on an axis of logarithms are logarithms.
                "y": 0 if log and value == 1 else value,
                "xanchor": "left" if left else "right",
                "yanchor": "bottom",
                "showarrow": False,
            }
        )
    return layout


def _trace(
    order: int, name: str, x: Sequence[float], y: Sequence[float | None], hover: Sequence[str]
) -> dict[str, Any]:
    return {
        "type": "scatter",
        "mode": "lines+markers",
        "name": label(name),
        "x": [*x],
        "y": [*y],
        "meta": {"role": f"series-{order + 1}"},
        "line": {"dash": DASHES[order], "width": 2},
        "marker": {"symbol": SYMBOLS[order], "size": 7},
        "hovertext": [label(text) for text in hover],
        "hoverinfo": "text",
    }


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
        name, values = run_name(run), [read(each) for each in run.rounds]
        hover = [
            _("%(name)s, round %(round)s: %(value)s")
            % {"name": name, "round": each.number, "value": metric_text(value) + suffix}
            for each, value in zip(run.rounds, values, strict=True)
        ]
        trace = _trace(order, name, [each.number for each in run.rounds], values, hover)
        if error is not None and any(error(each) for each in run.rounds):
            margins = [1.96 * (error(each) or 0.0) for each in run.rounds]
            trace["error_y"] = {"type": "data", "array": margins, "thickness": 1.5, "width": 3}
        traces.append(trace)
    layout = _layout(len(traces), _("Round"), suffix=suffix)
    layout["yaxis"] |= {"title": {"text": label(axis)}}
    layout["xaxis"] |= {"rangemode": "tozero"}
    return shaped(traces, _with_levels(layout, levels))


def _has_released(shown: RunFacts) -> bool:
    return shown.target is not None and any(is_clear(each.figures.get("metrics")) for each in shown.rounds)


def _released(shown: RunFacts) -> dict[str, Any]:
    """The exact error of a run, and what people who never train have released: single points, with their noise."""
    figure = _by_round([shown], lambda each: each.figures.get("rmse"), "RMSE")
    rounds = [each for each in shown.rounds if is_clear(each.figures.get("metrics"))]
    metrics = [each.figures["metrics"] for each in rounds]
    name = _("released, with noise")
    hover = [
        _("%(name)s, round %(round)s: %(value)s") % {"name": name, "round": each.number, "value": released_text(found)}
        for each, found in zip(rounds, metrics, strict=True)
    ]
    values = [found["values"]["rmse"] for found in metrics]
    trace = _trace(1, name, [each.number for each in rounds], values, hover)
    margins = [1.96 * found["standard_errors"]["rmse"] for found in metrics]
    error = intervals(
        values,
        [value - margin for value, margin in zip(values, margins, strict=True)],
        [value + margin for value, margin in zip(values, margins, strict=True)],
    )
    return shaped([*figure["data"], trace | {"mode": "markers", "error_y": error}], figure["layout"])


def _by_kind(shown: RunFacts) -> dict[str, Any]:
    """A line for each kind of release of a run."""
    kinds = [*dict.fromkeys(kind for each in shown.rounds for kind in each.figures.get("signal_to_noise", {}))]
    traces = []
    for order, kind in enumerate(kinds[:MOST_SERIES]):
        values = [each.figures["signal_to_noise"].get(kind) for each in shown.rounds]
        hover = [
            _("%(name)s, round %(round)s: %(value)s")
            % {"name": release_name(kind), "round": each.number, "value": metric_text(value)}
            for each, value in zip(shown.rounds, values, strict=True)
        ]
        traces.append(_trace(order, release_name(kind), [each.number for each in shown.rounds], values, hover))
    layout = _layout(len(traces), _("Round"))
    layout["yaxis"] |= {"type": "log", "title": {"text": label(_("Signal to noise"))}}
    layout["xaxis"] |= {"rangemode": "tozero"}
    return shaped(traces, _with_levels(layout, [(1.0, _("as much noise as signal"))], log=True))


def _by_epsilon(settings: Sequence[Setting]) -> dict[str, Any]:
    """A line for each algorithm, by the ε that its runs have spent; without noise and without training are levels."""
    private = [each for each in settings if each.target is not None and each.rmse is not None]
    by_algorithm: dict[str, list[Setting]] = {}
    for each in sorted(private, key=lambda each: each.run.spent):
        by_algorithm.setdefault(algorithm_of(each.run), []).append(each)
    traces = []
    for order, (name, found) in enumerate([*by_algorithm.items()][:MOST_SERIES]):
        values = [each.rmse or 0.0 for each in found]
        hover = [
            f"{name}, ε = {number_text(each.run.spent)}: {interval_text(each.rmse, each.half_width)}" for each in found
        ]
        trace = _trace(order, name, [each.run.spent for each in found], values, hover)
        margins = [each.half_width for each in found]
        trace["error_y"] = intervals(
            values,
            [value - margin for value, margin in zip(values, margins, strict=True)],
            [value + margin for value, margin in zip(values, margins, strict=True)],
        )
        traces.append(trace)
    levels = _lines(settings[0].run)
    best = best_of(settings)
    if best is not None:
        levels.append((best, _("without noise")))
    layout = _layout(len(traces), "ε")
    layout["yaxis"] |= {"title": {"text": "RMSE"}}
    layout["xaxis"] |= {"rangemode": "tozero"}
    return shaped(traces, _with_levels(layout, levels, left=True))
