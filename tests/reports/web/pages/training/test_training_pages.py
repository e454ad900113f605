"""Pages of training tasks: the answer first, all that left the boundary, and files of the same; for who may see."""

import csv
import io
import json
import re
import uuid
from copy import copy
from datetime import timedelta
from typing import Any

import numpy as np
import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from reports.formatting import rounded
from reports.jobs import finish_inline
from reports.jobs.leases import claim
from reports.jobs.working import begin
from reports.models import TrainingRound, TrainingRun, TrainingTask, Viewing
from reports.training import cancel_training, document_of, model_of, on_device, order_device_run, plan_of
from reports.training.documents import released
from reports.web.pages.training.order_page import signal_text
from reports.web.pages.training.training_words import number_text
from tests.reports.trained import define_task, device_data, order, trained
from tests.reports.web.pages.reading import text_of as text
from tests.worlds import once

pytestmark = [pytest.mark.exact, pytest.mark.django_db]


def test_a_task_answers_first_and_shows_runs_side_by_side(as_bob: Client) -> None:
    run = trained()
    shown = text(as_bob.get("/training/films/"))
    rmse = f"{document_of(run)['rmse']:.3f}"
    headline = f"After 2 rounds at ε = 4, the model predicts ratings with an error of {rmse}, where one mean has"
    assert headline in shown
    assert "and training without privacy" in shown
    assert shown.index(headline) < shown.index("How far off, by ε") < shown.index("What a person can count on")
    assert "right with a chance of 98.2 % at most" in shown
    assert "at most e^ε = 54.6 times as likely with a person as without, which is no useful bound" in shown
    assert "By real devices: ε = 0 in 0 runs. Simulated, with the ratings of a file, whose people may be real:" in shown
    assert "ε = 4 in 1 run, which is no useful bound on one person alone; 1 more had no noise" in shown
    assert "DPAM, without noise" in shown
    left = "6 sums with noise have left the boundary (gramian, item_gramians, item_sums)."
    assert (
        f"{left} Beside these sums, exact figures are shown here. The exact figures are of people who may be" in shown
    )
    assert "Nothing else has." not in shown
    assert "Devices were simulated: no real device sent anything." in shown
    sizes = [each["numbers"] for each in released(run)]
    assert f"Together they are {sum(sizes)} numbers" in shown
    people = document_of(run)["people"]
    assert people["trained"] + people["evaluated"] == people["all"] == 60
    assert f"60 {people['trained']} trained, {people['evaluated']} evaluated" in shown
    assert "the seed alone does not give the noise" in shown
    assert "10⁻³" in shown
    page = as_bob.get("/training/films/").content.decode()
    assert re.findall(r'id="chart-training-films-([a-z]+)"', page) == ["epsilon", "rounds", "signal", "clipped"]
    plain = TrainingRun.objects.get(non_private=True)
    without = as_bob.get(f"/training/films/?run={plain.pk}")
    assert "nothing bounds what its model gives away" in text(without)
    assert "6 sums without noise have left the boundary" in text(without)
    assert "sums with noise" not in text(without)
    assert "model.npz" in page
    assert "model.npz" not in without.content.decode()
    refused = as_bob.get(f"/training-runs/{plain.pk}/model.npz")
    assert refused.status_code == 403
    assert "This model was trained without noise." in text(refused)
    nonsense = text(as_bob.get("/training/films/?run=nonsense"))
    assert "There is no such run of this task. Shown is DPAM, ε = 4 instead. After 2 rounds at ε = 4" in nonsense
    # Exact figures of a file's people are not on the list.
    listed = text(as_bob.get("/training/"))
    assert "After 2 rounds at ε = 4, there is a model; no error of it was released." in listed
    assert rmse not in listed
    TrainingRun.objects.update(catalogue={"seed": 1})
    assert rmse in text(as_bob.get("/training/"))


def test_intervals_are_of_the_standard_error_of_each_round(as_bob: Client) -> None:
    run = trained()
    page = as_bob.get("/training/films/").content.decode()
    (found,) = re.findall(r'<script id="chart-training-films-rounds-figure"[^>]*>(.*?)</script>', page)
    trace = next(each for each in json.loads(found)["data"] if each["name"] == "DPAM, ε\u00a0=\u00a04")
    errors = [each.figures["rmse_error"] for each in run.rounds.order_by("number")]
    assert trace["error_y"]["array"] == pytest.approx([1.96 * error for error in errors])
    assert trace["y"] == [each["rmse"] for each in document_of(run)["rounds"]]


def test_files_have_what_the_page_has(as_bob: Client) -> None:
    run = trained()
    runs = as_bob.get("/training/films/runs.json").json()
    assert runs["spent"]["simulated_with_file"]["epsilon"] == pytest.approx(4)
    assert {each["private"] for each in runs["runs"]} == {True, False}
    assert as_bob.get(f"/training-runs/{run.pk}/releases.json").json()["releases"] == released(run)
    page = as_bob.get("/training/films/").content.decode()
    for table, columns, count in (
        ("rounds", ("round", "rmse", "epsilon"), 2),
        ("releases", ("name", "round", "sensitivity", "noise_standard_deviation"), 6),
    ):
        answer = as_bob.get(f"/training-runs/{run.pk}/{table}.csv")
        lines = [*csv.DictReader(io.StringIO(answer.getvalue().decode()))]
        assert len(lines) == count
        assert lines[0]["task"] == "films"
        (shown,) = re.findall(rf'(?s)aria-labelledby="{table}-caption".*?<tbody[^>]*>(.*?)</tbody>', page)
        rows = [re.findall(r"(?s)<bdi>(.*?)</bdi>", row) for row in shown.split("</tr>")[:-1]]
        written = [row[: len(columns)] for row in rows]
        assert written == [[_written(name, line[name]) for name in columns] for line in lines]
    with np.load(io.BytesIO(as_bob.get(f"/training-runs/{run.pk}/model.npz").getvalue())) as archive:
        assert [*archive["item_names"]] == run.item_names
        for name, array in model_of(run).items():
            np.testing.assert_array_equal(archive[name], array)
    card = as_bob.get(f"/training-runs/{run.pk}/model-card.md").content.decode()
    assert "ε = 4, δ = 0.001" in card
    for name, array in model_of(run).items():
        assert f"- `{name}`: {array.dtype}, " in card
    recall, error = runs["runs"][0]["recall_at_20"], runs["runs"][0]["recall_at_20_standard_error"]
    popular = f"popularity alone {runs['runs'][0]['recall_baselines']['popularity']:.4g}"
    assert f"| recall among 20 | {recall:.4g} | {1.96 * error:.2g} | " in card
    assert popular in card
    assert "None" not in card
    plain = TrainingRun.objects.get(non_private=True)
    assert "No noise was added" in as_bob.get(f"/training-runs/{plain.pk}/model-card.md").content.decode()


def _written(name: str, value: str) -> str:
    """A cell of the file as its table has it."""
    if name in ("name", "round"):
        return value
    return number_text(float(value)) if name == "epsilon" else rounded(float(value), 3)


def test_each_state_says_what_comes_next(as_alice: Client, as_bob: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "There is no training task that you may see" in text(as_bob.get("/training/"))
    version = define_task()
    assert "manage.py train films --ratings" in text(as_alice.get("/training/films/"))
    assert "Figures are here as soon as a run is finished." in text(as_bob.get("/training/films/"))
    run = order(version)
    waiting = text(as_bob.get("/training/films/"))
    assert "Simulated, with the ratings of a file · waiting for a worker" in waiting
    asked = text(as_bob.get(f"/training/films/?run={run.pk}"))
    assert "The run that you asked for is not finished; its state: waiting. Its figures are here when it is." in asked
    assert "The curve begins with the first round" in waiting
    begin(run)
    claim(run)
    TrainingRound.objects.create(run=run, number=1, epsilon=1.0, figures={"rmse": 0.9})
    progress = as_alice.get("/training/films/progress/")
    assert "1 of 2 rounds are done" in text(progress)
    assert "RMSE after round 1: 0.900. The curve goes on by itself." in text(progress)
    assert "<circle" in progress.content.decode()
    assert "data-finished" not in progress.content.decode()
    assert "Cancel" in text(progress)
    assert "Cancel" not in text(as_bob.get("/training/films/progress/"))
    assert as_bob.post(f"/training-runs/{run.pk}/cancel/").status_code == 404
    assert as_alice.post(f"/training-runs/{run.pk}/cancel/").headers["Location"] == "/training/films/"
    cancelled = text(as_alice.get("/training/films/"))
    assert "It was cancelled. What it had let out counts" in cancelled
    assert "Order another run" in cancelled
    asked = text(as_alice.get(f"/training/films/?run={run.pk}"))
    assert "The run that you asked for has no model; its state: cancelled. Order runs" in asked
    assert as_alice.get(f"/api/v1/training-runs/{run.pk}/").json()["state"] == "cancelled"
    failed = order(version)
    TrainingRun.objects.filter(pk=failed.pk).update(
        state="failed", failure="Below the report goal.", finished_at=timezone.now()
    )
    assert "Below the report goal." in text(as_bob.get("/training/films/"))
    assert "Train again" in text(as_alice.get("/training/films/"))
    as_alice.post(f"/training-runs/{failed.pk}/retry/")
    finish_inline(failed)
    assert "After 2 rounds at ε = 4" in text(as_bob.get("/training/films/"))


def test_the_privacy_statement_is_for_everybody_once_the_task_is_published(as_bob: Client, charlie: User) -> None:
    run = trained()
    stranger = Client()
    for path in ("/training/films/privacy/", "/training/films/privacy.json", "/training/films/recommended/"):
        assert stranger.get(path).headers["Location"].startswith("/accounts/login/")
        assert as_bob.get(path).status_code == 200
    statement = text(as_bob.get("/training/films/privacy/"))
    assert "All that you give in a run of 2 rounds has ε = 4 and δ = 10⁻³" in statement
    assert "right with a chance of 98.2 % at most" in statement
    document = as_bob.get("/training/films/privacy.json").json()
    assert document["epsilon"] == document_of(run)["epsilon"] == 4
    evaluation = {"share_of_people": 0.1, "metrics": ["rmse"], "evaluations": 2, "epsilon": 4, "delta": 1e-3}
    assert document["evaluation"] == evaluation
    nothing = {"epsilon": 0, "delta": 0, "runs": 0, "runs_without_noise": 0}
    assert document["spent"] == {
        "real_devices": nothing,
        "simulated_with_file": {"epsilon": 4, "delta": 1e-3, "runs": 1, "runs_without_noise": 1},
        "simulated_with_invented_people": nothing,
    }
    assert (document["devices"], document["processes"]) == ("simulated", "none")
    assert "1 more had no noise" in statement
    assert "At ε = 4, one run’s outcome is at most e^ε = 54.6 times as likely" in statement
    aggregator = next(each for each in document["roles"] if each["role"] == "aggregator")
    assert "how you rated them but for your own mean" in aggregator["sees"]
    assert f"{aggregator['name']} {aggregator['sees']} {aggregator['never_sees']}" in statement
    assert "Here δ is one in 1,000. It may be a tenth of one in 60 at most" in statement
    # The document says what the page does.
    assert [each["topic"] for each in document["sections"]] == [
        *("code", "key", "addresses", "configuration", "noise", "exact", "group", "fakes", "evaluation", "items"),
        *("retention", "leaving"),
    ]
    for section in document["sections"]:
        assert f"{section['title']} {section['text']}" in statement
    assert {*document["explained"]} <= {*document}
    assert "This task has no limit over all runs, without which no run by real devices begins." in statement
    assert "/training/films/privacy/" not in as_bob.get("/what-leaves-your-device/").content.decode()
    task = run.version.task
    task.published = True
    task.save()
    for path in ("/training/films/privacy/", "/training/films/privacy.json", "/training/films/recommended/"):
        assert stranger.get(path).status_code == 200
    assert "/training/films/privacy/" in stranger.get("/what-leaves-your-device/").content.decode()
    # Figures and models are still of those who may see the task.
    assert stranger.get("/training/films/").status_code == 302
    charlies = Client()
    charlies.force_login(charlie)
    for path in ("/training/films/", f"/training-runs/{run.pk}/model.npz", f"/training-runs/{run.pk}/rounds.json"):
        assert charlies.get(path).status_code == 404


def test_the_page_of_recommendations_allows_no_request_and_names_none(as_bob: Client) -> None:
    run = trained()
    answer = as_bob.get("/training/films/recommended/")
    policy = dict(part.split(" ", 1) for part in answer.headers["Content-Security-Policy"].split("; "))
    assert {name: value for name, value in policy.items() if name not in ("script-src", "style-src")} == {
        "default-src": "'none'",
        "img-src": "data:",
        "connect-src": "'none'",
        "form-action": "'none'",
        "base-uri": "'none'",
        "frame-ancestors": "'none'",
    }
    assert re.fullmatch(r"'sha256-[\w+/=]+' 'sha256-[\w+/=]+'", policy["script-src"])
    assert re.fullmatch(r"'sha256-[\w+/=]+'", policy["style-src"])
    page = answer.content.decode()
    assert not re.findall(r'(?:src|href)="(?!data:|/|#)[^"]*"', page)
    assert not re.findall(r'<(?:script|link)[^>]*(?:src|href)="(?!data:)', page)
    assert "<form" not in page
    (found,) = re.findall(r'<script id="model"[^>]*>(.*?)</script>', page)
    assert json.loads(found)["names"] == run.item_names
    plain = TrainingRun.objects.get(non_private=True)
    # A model without noise is never published.
    assert as_bob.get(f"/training/films/recommended/?run={plain.pk}").content == page.encode()


def test_without_a_private_model_there_is_nothing_to_recommend(as_bob: Client) -> None:
    finish_inline(order(define_task(), non_private=True))
    assert "There is no model yet" in text(as_bob.get("/training/films/recommended/"))


def test_metrics_of_people_who_never_train_are_shown_apart_from_exact_ones(as_bob: Client) -> None:
    run = finish_inline(order(define_task(report_goal=3, target_epsilon=10)))
    last = run.rounds.get(number=2)
    metrics = last.figures["metrics"]
    assert [each["name"] for each in last.releases] == ["gramian", "item_gramians", "item_sums", "metrics"]
    page = text(as_bob.get("/training/films/"))
    assert "8 sums with noise have left the boundary (gramian, item_gramians, item_sums, metrics)." in page
    value, margin = metrics["values"]["rmse"], 1.96 * metrics["standard_errors"]["rmse"]
    written = f"{value:.3f} ± {margin:.3f}" if margin < value else "lost in its noise"
    assert f"As people who never train released it, with noise and for a budget of their own: {written}." in page
    rounds = as_bob.get(f"/training-runs/{run.pk}/rounds.json").json()
    assert rounds["released_metrics"] == metrics
    assert rounds["rounds"][-1]["released_rmse"] == value
    assert rounds["rounds"][-1]["released_rmse_error"] == metrics["standard_errors"]["rmse"]
    assert rounds["rounds"][-1]["rmse"] == document_of(run)["rmse"]
    card = as_bob.get(f"/training-runs/{run.pk}/model-card.md").content.decode()
    assert f"| rmse | {value:.4g} | {metrics['standard_errors']['rmse']:.2g} |" in card


def test_pages_cost_the_same_with_many_runs(as_alice: Client) -> None:
    run = trained()
    paths = ["/training/", "/training/films/", "/training/films/progress/", "/training/films/privacy/"]
    paths += ["/training/films/order/", "/training/films/runs.json"]

    def queries(path: str) -> int:
        with CaptureQueriesContext(connection) as asked:
            as_alice.get(path)
        return len(asked)

    as_alice.get("/training/")
    before = [queries(path) for path in paths]
    copies = [copy(run) for _each in range(45)]
    for number, each in enumerate(copies):
        each.pk, each.seed = uuid.uuid4(), number
    TrainingRun.objects.bulk_create(copies)
    TrainingRound.objects.bulk_create(
        TrainingRound(run=each, number=1, epsilon=4.0, figures={"rmse": 1.0}) for each in copies
    )
    assert [queries(path) for path in paths] == before
    page = text(as_alice.get("/training/films/?page=2"))
    assert "Page 2 of 3" in page
    assert "ε = 184 in 46 runs" in page
    assert "46 runs with seeds of their own" in page


def test_an_owner_orders_runs_that_are_compared(as_alice: Client, as_bob: Client) -> None:
    define_task()
    assert as_bob.get("/training/films/order/").status_code == 404
    assert as_bob.post("/training/films/order/").status_code == 404
    address = "/training/films/order/"
    refused = as_alice.post(address, {"noise": "private", "epsilon": "11", "count": "1"})
    assert "less than or equal to 10" in text(refused)
    ordered = as_alice.post(address, {"noise": "private", "epsilon": "2", "count": "2", "seed": "5"}, follow=True)
    assert ordered.redirect_chain == [("/training/films/", 302)]
    assert "Your 2 runs are ordered. See how far training is" in text(ordered)
    assert 'href="/training/films/#progress"' in ordered.content.decode()
    as_alice.post(address, {"noise": "none", "count": "1", "seed": "5"})
    runs = TrainingRun.objects.order_by("created_at")
    assert [(run.target_epsilon, run.non_private, run.seed) for run in runs] == [
        *((2.0, False, 5), (2.0, False, 6), (None, True, 5)),
    ]
    assert {run.data for run in runs} == {runs[0].data}
    assert runs[0].catalogue == {"seed": 1, "films": 2000, "people": 60}
    assert runs[0].requested_by is not None
    too_many = as_alice.post(address, {"noise": "private", "count": "8"})
    assert "At most 10 may wait at a time." in text(too_many)
    assert runs.count() == 3


def test_owners_see_who_looked(as_alice: Client, as_bob: Client) -> None:
    run = trained()
    seen = ["/training/", "/training/", "/training/films/", "/training/films/runs.csv"]
    seen += [
        f"/training-runs/{run.pk}/{each}" for each in ("rounds.json", "releases.csv", "model.npz", "model-card.md")
    ]
    for path in seen:
        as_bob.get(path)
    noted = Viewing.objects.order_by("pk").values_list("what", "user__username", "training_task__slug")
    whats = ["page", "page", "csv", "json", "csv", "model", "model"]
    assert [*noted] == [(what, "bob", "films") for what in whats]
    log = text(as_alice.get("/training/films/viewings/"))
    assert "trained model, or its card" in log
    assert as_bob.get("/training/films/viewings/").status_code == 404


def test_a_page_carries_no_more_titles_than_the_most_liked_ones(
    as_bob: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = trained()
    (whole,) = _models(as_bob)
    monkeypatch.setattr(on_device, "MOST_ITEMS", 5)
    (found,) = _models(as_bob)
    liked = [whole["names"][item] for item in whole["offered"][:5]]
    assert [found["names"][item] for item in found["offered"]] == liked
    assert found["names"] == [name for name in run.item_names if name in liked]
    assert "The page carries the 5 titles that are liked most, of 12." in text(
        as_bob.get("/training/films/recommended/")
    )


def _models(client: Client) -> list[dict[str, Any]]:
    page = client.get("/training/films/recommended/").content.decode()
    return [json.loads(found) for found in re.findall(r'<script id="model"[^>]*>(.*?)</script>', page)]


def test_runs_by_devices_stay_within_the_limit_of_their_task(as_alice: Client, settings: Any) -> None:
    """Simulated runs spend nothing of any person, so that none of theirs counts."""
    run = trained()
    task = run.version.task
    task.published = True
    task.save()
    assert "This site knows no trusted processes of training" in text(as_alice.get("/training/films/order/"))
    settings.LDPSITE_TRAINING_AGGREGATOR = settings.LDPSITE_TRAINING_DISTRIBUTOR = "/nowhere"
    assert "Give the task a limit" in text(as_alice.post("/training/films/order/", {"hours": "1", "confirmed": "on"}))
    TrainingTask.objects.update(epsilon_limit=3.9)
    (last,) = run.rounds.filter(number=2)
    signal = last.figures["signal_to_noise"]["item_sums"] * 20 / last.figures["participants"]
    ordering = as_alice.get("/training/films/order/")
    assert f"how an item is rated (item_sums): {signal:.2f}" in text(ordering)
    assert f'<a href="/training/films/?run={run.pk}">the simulation of' in ordering.content.decode()
    assert (signal_text(0.004), signal_text(0.012)) == ("under 0.01", "0.01")
    assert "Confirm that real people" in text(as_alice.post("/training/films/order/", {"hours": "1"}))
    refused = text(as_alice.post("/training/films/order/", {"hours": "1", "confirmed": "on"}))
    assert "With this run, devices would have spent ε = 4 in all, and the task’s limit is 3.9." in refused
    TrainingTask.objects.update(epsilon_limit=4)
    before = _said(as_alice)
    ordered = as_alice.post("/training/films/order/", {"hours": "1", "confirmed": "on"}, follow=True)
    assert ordered.redirect_chain == [("/training/films/", 302)]
    by_devices = TrainingRun.objects.exclude(agreed={}).get()
    assert (by_devices.by_devices, by_devices.round_length) == (True, timedelta(hours=1))
    # Devices that have let out nothing change nothing of what is stated but that their run is under way.
    words, document, spent = _said(as_alice)
    assert "A run by real devices is under way. What an open round gathers is in no sum until it is let out" in words
    assert (document | {"under_way": False}, spent) == before[1:]
    assert document["under_way"]
    cancel_training(by_devices)
    assert _said(as_alice) == before
    by_devices.rounds.create(number=1, epsilon=1.5, figures={}, releases=[])
    assert "By real devices: ε = 1.5 in 1 run." in _said(as_alice)[0]
    assert as_alice.get("/training/films/privacy.json").json()["devices"] == "both"


def _said(client: Client) -> tuple[str, dict[str, Any], dict[str, Any]]:
    """The statement, as a page and as JSON, and the ledger."""
    statement = client.get("/training/films/privacy/"), client.get("/training/films/privacy.json").json()
    return text(statement[0]), statement[1], client.get("/api/v1/training-tasks/films/ledger/").json()


@once
def drawn() -> TrainingRun:
    """A finished run whose rounds draw people."""
    return finish_inline(order(define_task(algorithm="dp_sgd", rounds=3), target_epsilon=2.0))


def test_the_page_of_a_run_shows_what_is_true_of_its_own_version(as_bob: Client) -> None:
    first = drawn()
    define_task()
    shown = text(as_bob.get(f"/training/films/?run={first.pk}"))
    assert re.search(r"Version 1 .* Rounds 3 .* Algorithm DP-SGD", shown)
    assert "It holds against those who do not know who was drawn" in shown
    page = as_bob.get(f"/training/films/?run={first.pk}").content.decode()
    assert page.count("/training/films/privacy/?version=1") == 2
    statement = text(as_bob.get("/training/films/privacy/?version=1"))
    assert "Of version 1, as it is on" in statement
    assert "a run of 3 rounds" in statement
    assert as_bob.get("/training/films/privacy.json?version=1").json()["algorithm"] == "dp_sgd"
    assert as_bob.get("/training/films/privacy.json").json()["version"] == 2
    assert as_bob.get("/training/films/privacy.json?version=3").status_code == 404
    card = as_bob.get(f"/training-runs/{first.pk}/model-card.md").content.decode()
    assert "those who do not know who was drawn" in card
    assert "/training/films/privacy/?version=1" in card


def test_epsilon_of_sampled_runs_is_said_to_count_on_a_secret_draw(as_bob: Client) -> None:
    run = drawn()
    kept = (run.document or {})["unamplified_epsilon"]
    planned = plan_of(run.version)["unamplified_epsilon"]
    assert 2 < kept < planned
    document = as_bob.get("/training/films/privacy.json").json()
    assert document["unamplified_epsilon"] == planned
    assert document["guarantee"].endswith("whatever else is known but for who was drawn in which round")
    (draw,) = [each["text"] for each in document["sections"] if each["topic"] == "draw"]
    assert f"Against those who know that, ε is {planned:.10g}." in draw
    known = "but for who was drawn in which round. Against those who know that, ε is {}."
    assert known.format(number_text(planned)) in text(as_bob.get("/training/films/privacy/"))
    page = text(as_bob.get("/training/films/"))
    assert known.format(number_text(kept)) in page
    assert page.count("Against those who know that") == 2
    card = as_bob.get(f"/training-runs/{run.pk}/model-card.md").content.decode()
    assert f"in which round. Against those who know that, ε is {kept:.6f}".rstrip("0") in card


def test_exact_figures_of_a_file_are_said_to_be_outside_of_epsilon_and_are_not_published(as_bob: Client) -> None:
    run = trained()
    TrainingTask.objects.update(published=True)
    run.rounds.update(figures={"recall_at_20": 0.1})
    TrainingRun.objects.update(document={**(run.document or {}), "recall_baselines": {"popularity": 0.9}})
    ranking = text(Client().get("/training/films/recommended/"))
    assert "Simulated devices trained it, with the ratings of a file, whose people may be real." in ranking
    assert "of what people choose" not in ranking
    uncovered = "exact figures are of people who may be real; ε does not cover them. Do not publish them."
    assert text(as_bob.get("/training/films/")).count(uncovered) == 2
    assert as_bob.get(f"/training-runs/{run.pk}/model-card.md").content.decode().count(uncovered) == 2
    statement = text(Client().get("/training/films/privacy/"))
    assert "Exact figures of runs with the ratings of a file have none, and ε does not cover them." in statement
    assert "What is published has noise." not in statement
    TrainingRun.objects.update(catalogue={"seed": 1})
    assert "its first 20 have 10.0 % of what people choose" in text(Client().get("/training/films/recommended/"))
    assert "Nothing else has." in text(as_bob.get("/training/films/"))


def test_a_run_by_devices_is_seen_and_cancelled_beside_a_simulation(
    as_alice: Client, as_bob: Client, settings: Any
) -> None:
    settings.LDPSITE_TRAINING_AGGREGATOR = settings.LDPSITE_TRAINING_DISTRIBUTOR = "/nowhere"
    version = define_task(published=True, epsilon_limit=4)
    names = device_data().ratings.item_names
    real = order_device_run(version, items=names, features=device_data().features, ring=False)
    simulated = order(version)
    page = as_alice.get("/training/films/").content.decode()
    assert re.findall(r'formaction="/training-runs/([^/]*)/cancel/"', page) == [str(real.pk), str(simulated.pk)]
    assert "/cancel/" not in as_bob.get("/training/films/").content.decode()
    assert "running, by real devices" in text(as_bob.get("/training/"))
    as_alice.post(f"/training-runs/{real.pk}/cancel/")
    page = as_alice.get("/training/films/progress/").content.decode()
    assert re.findall(r'formaction="/training-runs/([^/]*)/cancel/"', page) == [str(simulated.pk)]
    assert "running, by real devices" not in text(as_bob.get("/training/"))


def test_what_replacing_either_process_tells_is_stated(as_bob: Client) -> None:
    define_task()
    statement = text(as_bob.get("/training/films/privacy/"))
    assert "replace the aggregator (everything that it sees) or the distributor (which items you rated)" in statement
    assert "Could another aggregator or distributor be put in its place?" in statement
    assert "The distributor and the aggregator get messages from the site, without" in statement
    assert "Who configures your device? Those who gave you the program." in statement
    described = text(as_bob.get("/api/v1/schema/"))
    assert (
        "Carry a contribution to the trusted aggregator, which alone, or a program in its place, can open it."
        in described
    )
    assert as_bob.get("/training/films/privacy/?version=3").status_code == 404


@pytest.mark.parametrize(
    ("value", "written"),
    [(3.9999999999997886, "4"), (4.001, "4.01"), (17.999617, "18"), (0.09, "0.09"), (100.2, "101")],
)
def test_epsilon_is_written_no_smaller_than_it_is(value: float, written: str) -> None:
    assert number_text(value) == written
