"""Tables of training runs: side by side, round by round, what left the boundary, and what has been spent."""

from collections.abc import Sequence
from typing import Any, Final

from django.urls import reverse
from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from reports.formatting import duration, percent, rounded, whole
from reports.models import TrainingRound
from reports.training.ledgers import Ledger
from reports.training.run_facts import RunFacts, Setting
from reports.web.pages.tables import Cell, Heading, Row, Table, number
from reports.web.pages.training.training_answers import tree_length
from reports.web.pages.training.training_words import (
    algorithm_of,
    delta_text,
    epsilon_words,
    interval_text,
    metric_text,
    number_text,
    released_text,
    run_name,
    share_text,
)

# Runs on a page of the ledger, and releases of a table.
LISTED: Final = 20
MOST_RELEASES: Final = 200


def runs_table(settings: Sequence[Setting]) -> Table:
    """Settings over the same data, the best first."""
    shown = settings[0].run
    headings = [
        Heading(_("Run")),
        number(_("ε spent")),
        number("RMSE"),
        number(_("RMSE, released")),
        number(_("Recall among 20")),
        number(_("Rounds")),
        Heading(_("Finished")),
    ]
    rows: list[Row] = []
    for each in sorted(settings, key=lambda each: (each.rmse is None, each.rmse)):
        run = each.run
        badges = [_("shown")] if run is shown else []
        link = f"{reverse('training_task', args=[run.run.version.task.slug])}?run={run.run.pk}"
        note = ngettext("%(count)s run", "%(count)s runs with seeds of their own", each.count) % {"count": each.count}
        rows.append(
            [
                Cell(run_name(run), link, badges=badges, note=note if each.count > 1 else ""),
                "–" if run.target is None else number_text(run.spent),
                interval_text(each.rmse, each.half_width),
                released_text(run.metrics),
                share_text(each.recall, each.recall_half_width),
                whole(run.parameters["rounds"]),
                date_format(run.run.finished_at, "SHORT_DATETIME_FORMAT") if run.run.finished_at else "",
            ]
        )
    for name, text in (
        ("public_features", _("Public features alone")),
        ("popularity", _("Popularity alone")),
        ("mean", _("One mean")),
    ):
        rmse, recall = shown.baseline(name), shown.baseline(name, "recall_at_20")
        if rmse is not None or recall is not None:
            texts = metric_text(rmse), "–", share_text(recall, None)
            rows.append([Cell(text, note=_("without training")), "0", *texts, "–", ""])
    return Table(_("Runs side by side"), headings, rows, "runs")


def rounds_table(shown: RunFacts) -> Table:
    headings = [
        Heading(_("Round")),
        number("RMSE"),
        number(_("ε spent")),
        number(_("RMSE, released")),
        number(_("People who took part")),
        number(_("Clipped")),
    ]
    kinds = [*dict.fromkeys(kind for each in shown.rounds for kind in each.figures.get("signal_to_noise", {}))]
    headings += [number(_("Signal to noise: %(kind)s") % {"kind": kind}) for kind in kinds]
    rows = [_round_row(shown, each, kinds) for each in shown.rounds]
    return Table(_("Round by round"), headings, rows, "rounds")


def _round_row(shown: RunFacts, each: TrainingRound, kinds: Sequence[str]) -> Row:
    clipped, people = each.figures.get("clipped"), each.figures.get("participants")
    return [
        whole(each.number),
        metric_text(each.figures.get("rmse")),
        "–" if each.epsilon is None else number_text(each.epsilon),
        "–" if shown.target is None else released_text(each.figures.get("metrics")),
        "–" if people is None else whole(people),
        "–" if clipped is None else percent(clipped, 1),
        *(metric_text(each.figures["signal_to_noise"].get(kind)) for kind in kinds),
    ]


def releases_table(shown: RunFacts, releases: Sequence[dict[str, Any]]) -> Table:
    """All that left the boundary, release by release, as far as a page has room for it."""
    headings = [
        Heading(_("Release")),
        number(_("Round")),
        number(_("Most that one person changes")),
        number(_("Noise (standard deviation σ)")),
        number(_("Numbers")),
        number(_("Bytes")),
    ]
    length = tree_length(shown) if shown.algorithm == "dp_ftrl_tree" and shown.target is not None else 0
    rows: list[Row] = [
        [
            Cell(each["name"], note=_of_tree(each["round"], length) if length and each["name"] == "gradient" else ""),
            whole(each["round"]),
            _figure(each["sensitivity"]),
            _figure(each["noise_standard_deviation"]),
            *(whole(each[name]) if each.get(name) is not None else "–" for name in ("numbers", "bytes")),
        ]
        for each in releases[:MOST_RELEASES]
    ]
    caption = _("Release by release")
    if len(releases) > MOST_RELEASES:
        more = _("The first %(shown)s of %(all)s releases; the files have all")
        caption = more % {"shown": whole(MOST_RELEASES), "all": whole(len(releases))}
    return Table(caption, headings, rows, "releases")


def _of_tree(round_number: int, length: int) -> str:
    """Say of which tree a release is, and how many nodes have noise in the sum that it leads to."""
    tree, place = divmod(round_number - 1, length)
    nodes = (place + 1).bit_count()
    words = ngettext(
        "tree %(tree)s, round %(place)s of %(length)s in it: the sum so far has the noise of %(nodes)s node",
        "tree %(tree)s, round %(place)s of %(length)s in it: the sum so far has the noise of %(nodes)s nodes",
        nodes,
    )
    return words % {"tree": whole(tree + 1), "place": whole(place + 1), "length": whole(length), "nodes": whole(nodes)}


def _figure(value: float | None) -> str:
    return "–" if value is None else rounded(value, 3)


def sums_table(ledger: Ledger) -> Table:
    """Budget spent by all runs, of real people and in simulations apart."""
    headings = [Heading(_("Runs")), number(_("With noise")), number(_("ε spent")), number("δ")]
    headings.append(number(_("Without noise")))
    rows: list[Row] = [
        [
            str(source.label).capitalize(),
            whole(spent.runs),
            number_text(spent.epsilon),
            delta_text(spent.delta) if spent.delta else "–",
            whole(spent.without_noise),
        ]
        for source, spent in ledger.by_source()
    ]
    return Table(_("What has been spent"), headings, rows, "sums")


def ledger_table(runs: Sequence[RunFacts]) -> Table:
    """Budget spent by each of some runs."""
    headings = [Heading(_("Run")), Heading(_("State")), number(_("ε spent")), number(_("Of its target")), number("δ")]
    rows: list[Row] = [
        [
            Cell(
                algorithm_of(run),
                note=f"{_('version %(number)s') % {'number': run.run.version.number}}, {run.run.source_of_data.label}",
            ),
            run.run.state_in_words,
            number_text(run.spent) if run.target is not None else "–",
            epsilon_words(run),
            delta_text(run.parameters["delta"]) if run.has_spent else "–",
        ]
        for run in runs
    ]
    return Table(_("Run by run"), headings, rows, "ledger")


def took(run: RunFacts) -> str:
    if run.run.started_at is None or run.run.finished_at is None:
        return ""
    return duration(run.run.finished_at - run.run.started_at)
