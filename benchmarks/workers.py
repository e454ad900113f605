"""Cost of a run with real workers, in a process of its own: `python -m benchmarks.workers USE_CASE N` prints JSON.

What was read out of the use case before is forgotten first. The workers are warm as in an installation that has been up
for a while, but know nothing of the use case. Time is from the order of the run to its publication.
"""

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from benchmarks.scale.inside import set_up

ROOT = Path(__file__).resolve().parent.parent
PATIENCE = 120


@contextmanager
def workers(count: int) -> Iterator[None]:
    """Celery workers of one process each, ready."""
    from ldpsite.broker import WORKER_OPTIONS

    with tempfile.TemporaryDirectory() as folder:
        logs = [Path(folder) / f"worker-{number}.log" for number in range(count)]
        processes = []
        try:
            for log in logs:
                command = [sys.executable, "-m", "celery", "-A", "ldpsite", "worker", *WORKER_OPTIONS]
                command += ["--loglevel", "INFO", "--concurrency", "1", "--hostname", f"{log.stem}@%h"]
                with log.open("wb") as output:
                    processes.append(subprocess.Popen(command, cwd=ROOT, stdout=output, stderr=output))
            wait_until(lambda: all(b" ready." in log.read_bytes() for log in logs), "The workers do not become ready.")
            yield
        finally:
            for process in processes:
                process.terminate()
            for process in processes:
                process.wait()


def wait_until(condition: Callable[[], bool], complaint: str) -> None:
    deadline = time.monotonic() + PATIENCE
    while not condition():
        if time.monotonic() > deadline:
            raise RuntimeError(complaint)
        time.sleep(0.05)


def main(slug: str, count: int) -> None:
    set_up()
    from reports.models import Run, Version
    from reports.runs import start_run

    version = Version.objects.get(use_case__slug=slug, state=Version.State.ACTIVE)
    version.histograms.all().delete()
    version.read_outs.all().delete()
    with workers(count):
        run = start_run(version)
        wait_until(lambda: not Run.objects.unfinished().filter(pk=run.pk).exists(), "The run does not end.")
        run.refresh_from_db()
    if run.state != Run.State.FINISHED or run.finished_at is None:
        raise RuntimeError(run.failure)
    seconds = (run.finished_at - run.created_at).total_seconds()
    print(json.dumps({"seconds": seconds, "parts": run.parts.count()}))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
