"""The file: its owner's alone, whole after a crash, changed by one process at a time."""

import json
import os
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from aggregation.device import DeviceError
from tests.aggregation.device.helpers import CONFIGURATION, SERVER, Bench

pytestmark = pytest.mark.exact


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@pytest.mark.parametrize("mask", [0o000, 0o022, 0o077])
def test_nobody_else_can_read(bench: Bench, mask: int) -> None:
    before = os.umask(mask)
    try:
        bench.ready().observe("energy")
        bench.send_now()
        assert mode(bench.folder) == 0o700
        assert {path.name: mode(path) for path in bench.folder.iterdir()} == {"lock": 0o600, "state.json": 0o600}
        # Opened by mistake, it is closed again with the next change.
        (bench.folder / "state.json").chmod(0o644)
        (bench.folder / "state.json.new").touch(0o666)
        bench.observe("energy")
        assert {path.name: mode(path) for path in bench.folder.iterdir()} == {"lock": 0o600, "state.json": 0o600}
    finally:
        os.umask(before)


def test_a_folder_that_others_can_look_into_is_refused(bench: Bench) -> None:
    bench.folder.mkdir(mode=0o755)
    with pytest.raises(DeviceError, match=r"Other people may look into .*chmod 700"):
        bench.device.opt_in(8)
    assert list(bench.folder.iterdir()) == []


@pytest.mark.parametrize("others", [0o750, 0o701])
def test_a_folder_that_others_can_look_into_is_not_read_either(bench: Bench, others: int) -> None:
    bench.ready().observe("energy")
    bench.folder.chmod(others)
    for look in (bench.device.state, bench.device.stored, bench.device.sent, lambda: bench.device.send(SERVER)):
        with pytest.raises(DeviceError, match=r"Other people may look into .*chmod 700"):
            look()
    bench.folder.chmod(0o700)
    assert len(bench.device.stored()) == 1


def test_a_crash_while_writing_leaves_the_state_before(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    bench.ready().observe("energy")
    before = bench.text
    for place in ("os.fsync", "pathlib.Path.replace"):
        with monkeypatch.context() as patched:
            patched.setattr(place, lambda *_args: (_ for _ in ()).throw(OSError("no space left")))
            with pytest.raises(OSError, match="no space"):
                bench.observe("energy")
        assert bench.text == before
    bench.observe("energy")
    assert len(bench.device.stored()[0]["segments"][0]["records"]) == 2


def test_a_failing_disk_lets_nothing_leave(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    bench.ready().observe("energy")
    monkeypatch.setattr("os.fsync", lambda _descriptor: (_ for _ in ()).throw(OSError("no space left")))
    with pytest.raises(OSError, match="no space"):
        bench.device.send(SERVER, at_once=True)
    assert bench.server.requests == []


def test_everything_comes_back_from_the_file(bench: Bench) -> None:
    bench.ready().observe("energy")
    bench.server.answers = [OSError()] * 5
    bench.send_now()
    bench.observe("words", 1, "wyd", "fr")
    bench.observe("words", 1, "wyd", "en")
    state = bench.device.state()
    assert type(state).from_json(state.to_json()) == state
    assert json.loads(bench.text)["configuration"].encode() == CONFIGURATION


def test_threads_do_not_overwrite_each_other(bench: Bench) -> None:
    bench.ready()
    threads = [threading.Thread(target=bench.observe, args=("energy", 10)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    (held,) = bench.device.stored()
    assert held["seen"] == {"energy": 40}
    assert sum(len(segment["records"]) for segment in held["segments"]) == 40


PROGRAM = """
import sys
from pathlib import Path
from aggregation.device import Device
for _ in range(20):
    Device(Path(sys.argv[1])).observe("energy", "www.example.org", "und")
"""


def test_processes_do_not_overwrite_each_other(bench: Bench) -> None:
    bench.ready()
    processes = [subprocess.Popen([sys.executable, "-c", PROGRAM, bench.folder]) for _ in range(2)]
    assert [process.wait() for process in processes] == [0, 0]
    assert sum(sum(held["seen"].values()) for held in bench.device.stored()) == 40
