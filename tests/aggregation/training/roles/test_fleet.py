"""Sixteen devices, each a process with a folder of its own, beside both trusted processes and a server."""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from aggregation.training import Examples, Ratings, Shape, algorithm_for, broadcast_of
from aggregation.training.roles import Catalogue, Configuration, TrustedProcesses, code_hash, environment, task_digest
from aggregation.training.roles import started as started_processes
from aggregation.training.roles.device_file import STATE
from aggregation.training.roles.frames import pack_arrays, unpack_arrays
from aggregation.training.roles.tokens import tokens
from ldpsite.env import BASE_DIR
from tests.aggregation.training.conftest import invented, task_of
from tests.aggregation.training.roles import memory

pytestmark = pytest.mark.exact

DEVICES, ITEMS = 16, 40
PROGRAMS = {role: ["tests.aggregation.training.roles.noiseless", role] for role in ("aggregator", "distributor")}
TASK = task_of(report_goal=12, mode="train_only")
ALGORITHM = algorithm_for(TASK)
CATALOGUE = Catalogue(ITEMS)
NAMES = [f"device{number:03}" for number in range(DEVICES)]


class Fleet:
    """Folders of devices, and what the server's process says."""

    def __init__(self, folder: Path, processes: TrustedProcesses, ratings: Ratings) -> None:
        self.folder, self.processes, self.ratings = folder, processes, ratings
        initial = ALGORITHM.initial(TASK, Shape(ITEMS), np.random.default_rng(3))
        self.shared = {name: initial[name] for name in (*ALGORITHM.rows, *ALGORITHM.whole)}
        keys = {role: said["verifying_key"] for role, said in processes.identities().items()}
        own = Configuration(
            keys["aggregator"], keys["distributor"], code_hash(), TASK.to_mapping(), CATALOGUE.to_mapping()
        )
        for name, examples in zip(NAMES, map(self.examples, range(DEVICES)), strict=True):
            (folder / name).mkdir(mode=0o700)
            (folder / name / "configuration.json").write_text(json.dumps(own.to_mapping()))
            said = {"items": examples.items.tolist(), "values": examples.values.tolist()}
            (folder / name / "examples.json").write_text(json.dumps(said))
        (folder / "task.json").write_text(json.dumps({"task": TASK.to_mapping(), "items": ITEMS}))
        (folder / "shared").write_bytes(pack_arrays({"names": list(self.shared)}, self.shared.values()))

    def examples(self, user: int) -> Examples:
        part = slice(self.ratings.offsets[user], self.ratings.offsets[user + 1])
        return Examples(self.ratings.items[part], self.ratings.values[part])

    def run(self, *names: str) -> int:
        options = [f"--{role}={self.folder / f'{role}.statement'}" for role in ("aggregator", "distributor")]
        options.append(f"--rows={self.processes.distributor.address}")
        program = [sys.executable, "-m", "tests.aggregation.training.roles.fleet", str(self.folder), *options, "--"]
        return subprocess.run([*program, *names], cwd=BASE_DIR, env=environment(), check=False).returncode

    def marks(self, user: int) -> list[bytes]:
        """Bytes that are in a device's contribution and nowhere else: a token, and numbers."""
        secret = bytes.fromhex(json.loads((self.folder / NAMES[user] / STATE).read_text())["secret"])
        digest = task_digest(TASK.to_mapping(), CATALOGUE.to_mapping(), "train")
        examples = self.examples(user)
        made = ALGORITHM.contribution(TASK, broadcast_of(ALGORITHM, self.shared, examples.items), examples)
        return [*tokens(secret, digest, 1, 1), made.values.astype("<f4").tobytes()[4:20]]


@pytest.fixture(scope="module")
def fleet(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Fleet]:
    folder = tmp_path_factory.mktemp("fleet")
    with started_processes(folder, PROGRAMS) as processes:
        yield Fleet(folder, processes, invented(DEVICES, ITEMS, 5)[0])


def say(server: "subprocess.Popen[str]") -> str:
    assert server.stdin is not None
    assert server.stdout is not None
    server.stdin.write("\n")
    server.stdin.flush()
    return server.stdout.readline().strip()


def test_sum_over_device_processes_is_the_vectorised_one_and_nothing_of_them_is_found(fleet: Fleet) -> None:
    program = [sys.executable, "-m", "tests.aggregation.training.roles.relay", str(fleet.folder)]
    with subprocess.Popen(
        program, cwd=BASE_DIR, env=environment(), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as server:
        assert server.stdout is not None
        assert server.stdout.readline().strip() == "open"
        assert fleet.run(*NAMES) == 0
        sealed = [path.read_bytes() for path in sorted(fleet.folder.glob("*.sealed"))]
        assert len(sealed) == DEVICES
        assert len({len(message) for message in sealed}) == 1
        assert say(server) == f"relayed {DEVICES}, refused 0"
        marks = {user: fleet.marks(user) for user in range(0, DEVICES, 5)}
        every = [mark for several in marks.values() for mark in several]
        if sys.platform == "linux":
            # Nothing of a contribution is in the server's memory, while all of them pass through it.
            assert memory.found(server.pid, [sealed[0][:32], *every]) == {sealed[0][:32]}
        assert say(server) == "released, refused 0"
        server.terminate()
    expected = ALGORITHM.batch(TASK, fleet.shared, fleet.ratings)
    head, arrays = unpack_arrays((fleet.folder / "released").read_bytes())
    assert set(head["names"]) == set(expected)
    for name, array in zip(head["names"], arrays, strict=True):
        np.testing.assert_allclose(array, expected[name], rtol=1e-5, atol=1e-5, err_msg=name)
    for path in fleet.folder.rglob("*"):
        if path.is_file() and path.name != "examples.json":
            content = path.read_bytes()
            assert not [mark for mark in every if mark in content], path
    # A device writes down which rounds it has seen, and nothing else.
    for name in NAMES:
        assert {path.name for path in (fleet.folder / name).iterdir()} == {
            *("configuration.json", "examples.json", "lock"),
            STATE,
        }
        state = json.loads((fleet.folder / name / STATE).read_text())
        assert set(state) == {"secret", "rounds"}
        assert list(state["rounds"].values()) == [{"seen": 1, "taken": 1}]
        assert not (fleet.folder / f"{name}.err").read_text()


def test_a_device_that_was_killed_in_the_middle_sits_the_round_out(fleet: Fleet) -> None:
    """It has noted the round before anything left, so that it cannot take part in it twice."""
    name = NAMES[0]
    assert fleet.run(name) == 1
    assert "which this device has seen" in (fleet.folder / f"{name}.err").read_text()


@pytest.mark.parametrize("broken", ["state", "folder", "examples"])
def test_a_device_that_cannot_be_sure_does_nothing(fleet: Fleet, broken: str) -> None:
    name = {"state": NAMES[1], "folder": NAMES[2], "examples": NAMES[3]}[broken]
    folder = fleet.folder / name
    if broken == "state":
        (folder / STATE).write_text('{"secret": "')
    elif broken == "folder":
        folder.chmod(0o755)
    else:
        (folder / "examples.json").write_text('{"items": [1], "values": []}')
    assert fleet.run(name) == 1
    assert not (fleet.folder / f"{name}.sealed").read_bytes()
    error = (fleet.folder / f"{name}.err").read_text()
    assert error.startswith("error: ")
    assert "Traceback" not in error
