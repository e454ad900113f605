"""Tables of training runs: side by side, round by round, what left the boundary, and what has been spent."""

from collections.abc import Sequence
from typing import Any

from django.urls import reverse
from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from reports.formatting import duration, percent, rounded, whole
from reports.models import TrainingRound
from reports.training.run_facts import Ledger, RunFacts
from reports.web.pages.tables import Cell, Heading, Row, Table, number
from reports.web.pages.training.training_words import (
    algorithm_of,
    delta_text,
    epsilon_words,
    metric_text,
    number_text,
    run_name,
)


def runs_table(shown: RunFacts, compared: Sequence[RunFacts]) -> Table:
    """Runs over the same data, the best first."""
    headings = [
        Heading(_("Run")),
        number(_("ε spent")),
        number("RMSE"),
        number(_("Recall among 20")),
        number(_("Rounds")),
        Heading(_("Finished")),
    ]
    rows: list[Row] = []
    for run in sorted(compared, key=lambda each: (each.rmse is None, each.rmse)):
        badges = [_("shown")] if run is shown else []
        link = f"{reverse('training_task', args=[run.run.version.task.slug])}?run={run.run.pk}"
        finished = date_format(run.run.finished_at, "SHORT_DATETIME_FORMAT") if run.run.finished_at else ""
        rows.append(
            [
                Cell(run_name(run), link, badges=badges),
                "–" if run.target is None else number_text(run.spent),
                metric_text(run.rmse),
                "–" if run.recall is None else percent(run.recall, 1),
                whole(run.parameters["rounds"]),
                finished,
            ]
        )
    for name, text in (
        ("public_features", _("Public features alone")),
        ("popularity", _("Popularity alone")),
        ("mean", _("One mean")),
    ):
        rmse, recall = shown.baseline(name), shown.baseline(name, "recall_at_20")
        if rmse is not None or recall is not None:
            texts = metric_text(rmse), "–" if recall is None or recall == rmse else percent(recall, 1)
            rows.append([Cell(text, note=_("without training")), "0", *texts, "–", ""])
    return Table(_("Runs side by side"), headings, rows, "runs")


def rounds_table(shown: RunFacts) -> Table:
    headings = [
        Heading(_("Round")),
        number("RMSE"),
        number(_("ε spent")),
        number(_("People who took part")),
        number(_("Clipped")),
    ]
    kinds = [*dict.fromkeys(kind for each in shown.rounds for kind in each.figures.get("signal_to_noise", {}))]
    headings += [number(_("Signal to noise: %(kind)s") % {"kind": kind}) for kind in kinds]
    rows = [_round_row(each, kinds) for each in shown.rounds]
    return Table(_("Round by round"), headings, rows, "rounds")


def _round_row(each: TrainingRound, kinds: Sequence[str]) -> Row:
    clipped, people = each.figures.get("clipped"), each.figures.get("participants")
    return [
        whole(each.number),
        metric_text(each.figures.get("rmse")),
        "–" if each.epsilon is None else number_text(each.epsilon),
        "–" if people is None else whole(people),
        "–" if clipped is None else percent(clipped, 1),
        *(metric_text(each.figures["signal_to_noise"].get(kind)) for kind in kinds),
    ]


def releases_table(releases: Sequence[dict[str, Any]]) -> Table:
    """All that left the boundary, release by release."""
    headings = [
        Heading(_("Release")),
        number(_("Round")),
        number(_("Most that one person changes")),
        number(_("Noise (standard deviation)")),
    ]
    rows = [
        [each["name"], whole(each["round"]), _figure(each["sensitivity"]), _figure(each["noise_standard_deviation"])]
        for each in releases
    ]
    return Table(_("Release by release"), headings, rows, "releases")


def _figure(value: float | None) -> str:
    return "–" if value is None else rounded(value, 3)


def releases_in_words(run: RunFacts, releases: Sequence[dict[str, Any]]) -> str:
    kinds = ", ".join(dict.fromkeys(each["name"] for each in releases))
    if run.target is None:
        words = ngettext(
            "%(count)s sum without noise has left the boundary (%(kinds)s). Nothing else has.",
            "%(count)s sums without noise have left the boundary (%(kinds)s). Nothing else has.",
            len(releases),
        )
    else:
        words = ngettext(
            "%(count)s sum with noise has left the boundary (%(kinds)s). Nothing else has.",
            "%(count)s sums with noise have left the boundary (%(kinds)s). Nothing else has.",
            len(releases),
        )
    return words % {"count": whole(len(releases)), "kinds": kinds}


def ledger_table(ledger: Ledger) -> Table:
    """What each run has spent, and their sum."""
    headings = [Heading(_("Run")), Heading(_("State")), number(_("ε spent")), number(_("Of its target")), number("δ")]
    rows: list[Row] = [
        [
            Cell(algorithm_of(run), note=_("version %(number)s") % {"number": run.run.version.number}),
            run.run.state_in_words,
            number_text(run.spent) if run.target is not None else "–",
            epsilon_words(run),
            delta_text(run.parameters["delta"]) if run in ledger.spenders else "–",
        ]
        for run in ledger.runs
    ]
    foot = [_("Together"), "–", number_text(ledger.epsilon), "–", delta_text(ledger.delta) if ledger.delta else "–"]
    return Table(_("What has been spent"), headings, rows, "ledger", foot)


def took(run: RunFacts) -> str:
    if run.run.started_at is None or run.run.finished_at is None:
        return ""
    return duration(run.run.finished_at - run.run.started_at)
