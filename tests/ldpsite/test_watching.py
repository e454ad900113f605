"""Processes that die under `make run` are started again, after longer and longer pauses, and not for ever."""

from pathlib import Path
from types import SimpleNamespace

import pytest
from django.core.management import CommandError

from ldpsite import embedded, watching
from ldpsite.watching import Watched
from tests.ldpsite.fragile import Fragile

pytestmark = pytest.mark.exact


def test_what_dies_is_started_again_after_longer_and_longer_pauses(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = SimpleNamespace(now=0.0)
    monkeypatch.setattr(watching, "time", SimpleNamespace(monotonic=lambda: clock.now))
    log = tmp_path / "worker.log"
    log.write_text("port on fire")
    said: list[str] = []
    worker = Fragile(log, clock=lambda: clock.now)
    watched = Watched(worker, said.append)

    def dies(looks: int) -> None:
        for _ in range(looks):  # of which there are eight in a second
            worker.is_dead = True
            watched.look()
            clock.now += 0.125

    watched.look()
    assert not worker.starts
    dies(254)
    assert worker.starts == [0, 1.125, 3.25, 7.375, 15.5, 31.625]
    assert said[1] == f"The worker process ended and is started again in 1 s. What it said is in {log}."
    # Having lived for a minute it begins anew.
    clock.now += 61
    begin = clock.now
    dies(100)
    assert [time - begin for time in worker.starts[6:]] == worker.starts[:4]
    with pytest.raises(CommandError, match=rf"worker process ended 7 times in a row.* {log} ends with:\nport on fire"):
        dies(254)


def test_what_does_not_start_is_tried_again_and_the_reason_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(watching, "PAUSES", (0.0,) * 3)
    obstacles = [OSError("No space left on device"), embedded.EmbeddedDatabaseError("PostgreSQL did not start")]
    said: list[str] = []
    database = Fragile(tmp_path / "postgres.log", "database", is_dead=True, obstacles=list(obstacles))
    watched = Watched(database, said.append)
    for _ in range(4):
        watched.look()
    assert not database.is_dead
    assert said[1::2] == [str(obstacle) for obstacle in obstacles]
    assert (len(said), watched.restarts) == (5, 1)
