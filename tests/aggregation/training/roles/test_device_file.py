"""A device's memory is there after a crash, for its owner alone, and for one process at a time."""

import threading
from pathlib import Path

import pytest

from aggregation.training.roles import RoleError
from aggregation.training.roles.device_file import STATE, InFolder, InMemory, Remembered

pytestmark = pytest.mark.exact


@pytest.mark.parametrize("kind", ["memory", "folder"])
def test_what_a_broken_round_changed_is_not_kept(tmp_path: Path, kind: str) -> None:
    remembered: Remembered = InMemory() if kind == "memory" else InFolder(tmp_path / "device")
    with remembered.changing() as state:
        state["rounds"] = {"a": {"seen": 1}}

    def breaks_off() -> None:
        with remembered.changing() as state:
            state["rounds"]["a"]["seen"] = 2
            raise RoleError("not after round 1")

    with pytest.raises(RoleError):
        breaks_off()
    with remembered.changing() as state:
        assert state == {"rounds": {"a": {"seen": 1}}}


def test_a_folder_is_its_owners_alone(tmp_path: Path) -> None:
    folder = tmp_path / "device"
    with InFolder(folder).changing() as state:
        state["secret"] = "s"
    assert folder.stat().st_mode & 0o777 == 0o700
    assert {path.name: path.stat().st_mode & 0o777 for path in folder.iterdir()} == {STATE: 0o600, "lock": 0o600}
    # The rest of a write that crashed is no state.
    (folder / "state.new").write_text("{")
    with InFolder(folder).changing() as state:
        assert state == {"secret": "s"}


def test_two_at_once_do_not_both_begin_a_round(tmp_path: Path) -> None:
    remembered = InFolder(tmp_path / "device")
    began = []

    def begin() -> None:
        with remembered.changing() as state:
            if not state.get("seen"):
                state["seen"] = 1
                began.append(1)

    threads = [threading.Thread(target=begin) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert began == [1]
