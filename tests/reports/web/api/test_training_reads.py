"""Training for programs: what its pages show, for those who may see the task, and noted."""

import pytest
from django.contrib.auth.models import User
from django.test import Client

from reports.models import ApiToken, Viewing
from reports.training.documents import released
from tests.reports.trained import trained
from tests.reports.web.api.described import departure

pytestmark = [pytest.mark.exact, pytest.mark.django_db]

TASK = "/api/v1/training-tasks/films/"


def test_runs_are_read_by_tokens_that_name_their_task(as_bob: Client, charlie: User) -> None:
    run = trained()
    _token, secret = ApiToken.create("notebook", may_read=True, use_cases=[], training_tasks=[run.version.task])
    _other, everything = ApiToken.create("dashboard", may_read=True)
    reader = Client(headers={"authorization": f"Bearer {secret}"})
    for client in (reader, as_bob):
        listed = client.get("/api/v1/training-tasks/").json()
        assert not departure(listed, "TrainingTasks")
        assert [each["task"] for each in listed["entries"]] == ["films"]
        assert client.get(TASK).json() == listed["entries"][0]
        assert listed["entries"][0]["spent"]["simulated_with_file"]["runs"] == 1
    runs = reader.get(f"{TASK}runs/").json()
    assert not departure(runs, "TrainingRuns")
    assert [each["private"] for each in runs["entries"]] == [True, False]
    address = f"/api/v1/training-runs/{run.pk}/"
    answer = reader.get(address)
    whole = answer.json()
    assert not departure(whole, "WholeRun")
    assert whole["releases"] == released(run)
    assert [each["rmse"] for each in whole["rounds"]] == [each.figures["rmse"] for each in run.rounds.all()]
    assert reader.get(address, headers={"if-none-match": answer.headers["ETag"]}).status_code == 304
    assert reader.get(f"{address}?q=1").status_code == 400
    for path, component in (
        (f"{address}card/", "ModelCard"),
        (f"{TASK}statement/", "Statement"),
        (f"{TASK}ledger/", "Ledger"),
    ):
        assert not departure(reader.get(path).json(), component)
    assert {*Viewing.objects.values_list("token__name", "training_task__slug", "what")} == {
        ("notebook", "films", "api")
    }
    stranger = Client()
    stranger.force_login(charlie)
    for client in (stranger, Client(headers={"authorization": f"Bearer {everything}"})):
        assert client.get("/api/v1/training-tasks/").json()["count"] == 0
        for path in (TASK, f"{TASK}runs/", f"{TASK}statement/", f"{TASK}ledger/", address, f"{address}card/"):
            assert client.get(path).status_code == 404
