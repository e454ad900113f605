"""Devices as processes, a web server, a worker and both trusted processes: two rounds, and nothing of them is kept."""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from django.db import connection
from pytest_django import Settings

from aggregation import training
from aggregation.training.roles import TrustedProcesses, environment, started, task_digest
from aggregation.training.roles.device_file import STATE
from aggregation.training.roles.tokens import tokens
from ldpsite.env import BASE_DIR
from reports.jobs import finish_inline
from reports.models import TrainingRun
from reports.training import device_configuration, model_of, order_device_run
from tests.promises.test_nothing_of_contributions import in_log_of_changes, rows
from tests.reports.factories import stored_files
from tests.reports.trained import define_task
from tests.reports.training_devices import RATINGS, Fleet, vectorised
from tests.web_server import WebServer
from tests.workers import Workers, wait_for

pytestmark = [pytest.mark.exact, pytest.mark.django_db(transaction=True)]

DEVICES = range(13)
NAMES = [f"device{number}" for number in DEVICES]
PROGRAMS = {role: ["tests.aggregation.training.roles.noiseless", role] for role in ("aggregator", "distributor")}


@pytest.fixture
def processes(
    tmp_path_factory: pytest.TempPathFactory, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> Iterator[TrustedProcesses]:
    with started(tmp_path_factory.mktemp("trusted"), PROGRAMS) as found:
        for role in ("aggregator", "distributor"):
            name = f"LDPSITE_TRAINING_{role.upper()}"
            setattr(settings, name, getattr(found, role).address)
            monkeypatch.setenv(name, getattr(found, role).address)
        yield found


def prepare(folder: Path, run: TrainingRun) -> None:
    for name, number in zip(NAMES, DEVICES, strict=True):
        (folder / name).mkdir(mode=0o700)
        (folder / name / "configuration.json").write_text(json.dumps(device_configuration(run)))
        examples = Fleet.examples(number)
        said = {"items": examples.items.tolist(), "values": examples.values.tolist()}
        (folder / name / "examples.json").write_text(json.dumps(said))


def take_part(folder: Path, server: WebServer) -> None:
    program = [sys.executable, "-m", "tests.aggregation.training.roles.fleet", str(folder)]
    options = [f"--site=http://127.0.0.1:{server.port}", "--"]
    subprocess.run([*program, *options, *NAMES], cwd=BASE_DIR, env=environment(), check=True)


def marks(folder: Path, run: TrainingRun, first: training.Shared) -> list[bytes]:
    """Bytes that are in the contributions alone: tokens of both rounds, and numbers of the first."""
    task = training.TrainingTask.from_mapping(run.agreed["task"])
    algorithm = training.algorithm_for(task)
    digest = task_digest(run.agreed["task"], run.agreed["catalogue"], "train")
    found = []
    for name, number in zip(NAMES, DEVICES, strict=True):
        secret = bytes.fromhex(json.loads((folder / name / STATE).read_text())["secret"])
        examples = Fleet.examples(number)
        made = algorithm.contribution(task, training.broadcast_of(algorithm, first, examples.items), examples)
        found += [*tokens(secret, digest, 1, 2), made.values.astype("<f4").tobytes()[4:12]]
    return found


@pytest.mark.usefixtures("processes")
def test_devices_train_over_the_network_whatever_ends_and_nothing_of_them_is_kept(
    workers: Workers, tmp_path_factory: pytest.TempPathFactory
) -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT date_trunc('second', clock_timestamp())")
        (since,) = cursor.fetchone()
    folder, logs = tmp_path_factory.mktemp("devices"), tmp_path_factory.mktemp("logs")
    server = WebServer(logs, queue=workers.queue)
    victim = workers.start()
    try:
        run = order_device_run(
            define_task(published=True, epsilon_limit=100, mode="train_only", report_goal=10), items=RATINGS.item_names
        )
        first = model_of(run)
        prepare(folder, run)
        wait_for(lambda: run.device_rounds.filter(number=1).exclude(opened_at=None).exists())
        workers.kill(victim)
        take_part(folder, server)
        assert run.device_rounds.get().relayed == len(DEVICES)
        run.parts.update(lease_expires_at=None)

        def next_round(_progress: object) -> None:
            opened = run.device_rounds.filter(number=2, relayed=0).exclude(opened_at=None)
            if opened.exists():
                take_part(folder, server)

        done = finish_inline(run, next_round)
    finally:
        server.kill()
    assert done.state == TrainingRun.State.FINISHED, done.failure
    expected = vectorised(done, vectorised(done, first, DEVICES), DEVICES)
    for name, array in model_of(done).items():
        np.testing.assert_allclose(array, expected[name], rtol=1e-3, atol=1e-4, err_msg=name)
    planted = marks(folder, done, first)
    texts = "\n".join([*rows(), server.said(), workers.log()])
    assert "Films to watch" in texts
    assert [mark for mark in planted if mark.hex() in texts] == []
    assert "device1" not in texts
    files = stored_files()
    assert files
    assert [(name, mark) for name, content in files.items() for mark in planted if mark in content] == []
    assert not in_log_of_changes(planted, since)
