"""Try an upgrade without a pause: web of an earlier revision on the tables of this one. `make check-upgrade FROM=…`.

A site of the earlier revision takes uploads by its API while this checkout migrates its database and its workers count;
then it has to show what they published, and still take uploads. Both run with the packages of this checkout.
"""

import contextlib
import datetime
import json
import os
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

from ldpsite import embedded
from ldpsite.env import BASE_DIR

USE_CASE, LOCALE = "health-types-edited", "und"
REPORTS, LINES = 60_000, 150
PATIENCE = 60.0


class Failed(Exception):
    """The earlier release cannot do on the new tables what it has to."""


class Release:
    """A checkout of the project, on a database and a folder of shards that it has in common with another."""

    def __init__(self, checkout: Path, folder: Path, database: str) -> None:
        self.checkout = checkout
        self.environment = {
            **{name: value for name, value in os.environ.items() if not name.startswith(("LDPSITE_", "CELERY_"))},
            "DATABASE_URL": database,
            "LDPSITE_DATA_DIR": str(folder),
            "LDPSITE_SECRET_KEY": "of-both-releases-" * 3,
            "LDPSITE_LOCAL_HTTP": "1",
            "OPENBLAS_NUM_THREADS": "1",
        }

    def manage(self, *arguments: str) -> str:
        command = [sys.executable, "manage.py", *arguments]
        done = subprocess.run(
            command, cwd=self.checkout, env=self.environment, capture_output=True, text=True, check=False
        )
        if done.returncode:
            raise Failed(f"{' '.join(arguments)}: {done.stderr.strip()[-2000:]}")
        return done.stdout.strip()

    @contextlib.contextmanager
    def serving(self) -> Iterator["Site"]:
        self.manage("collectstatic", "--no-input", "--verbosity", "0")
        with socket.create_server(("127.0.0.1", 0)) as free:
            port: int = free.getsockname()[1]
        options = ["--config", "python:ldpsite.gunicorn_config", "--bind", f"127.0.0.1:{port}", "--workers", "2"]
        web = subprocess.Popen(
            [sys.executable, "-m", "gunicorn", *options, "--log-level", "warning"],
            cwd=self.checkout,
            env=self.environment,
        )
        try:
            site = Site(port, self.manage("create_token", "upgrade", "--scope", "ingest", "--scope", "read"))
            site.wait()
            yield site
        finally:
            web.terminate()
            web.wait()


class Site:
    """Client of a site, which asks and uploads as a collector does."""

    def __init__(self, port: int, token: str) -> None:
        self._address, self._token = f"http://127.0.0.1:{port}", token

    def ask(self, path: str, body: bytes | None = None) -> tuple[int, bytes]:
        headers = {"Authorization": f"Bearer {self._token}", "Content-Type": "application/x-ndjson"}
        request = urllib.request.Request(f"{self._address}{path}", body, headers)  # noqa: S310 - of this machine
        try:
            with urllib.request.urlopen(request, timeout=PATIENCE) as answer:  # noqa: S310
                return answer.status, answer.read()
        except urllib.error.HTTPError as error:
            return error.code, error.read()

    def wait(self) -> None:
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            with contextlib.suppress(OSError):
                if self.ask("/readyz")[0] == 200:
                    return
            time.sleep(0.2)
        raise Failed("its web server does not come up")

    def upload(self, body: bytes, day: datetime.date) -> None:
        status, said = self.ask(f"/api/v1/batches/?day={day}", body)
        if status != 202:
            raise Failed(f"an upload was answered {status}: {said[:500]!r}")

    def expect(self, path: str) -> bytes:
        status, said = self.ask(path)
        if status != 200:
            raise Failed(f"{path} was answered {status}: {said[:500]!r}")
        return said


class Uploading(threading.Thread):
    """Sends one upload after the other, until it is asked to end."""

    def __init__(self, site: Site, batches: Iterator[bytes], day: datetime.date) -> None:
        super().__init__()
        self._site, self._batches, self._day = site, batches, day
        self._over = threading.Event()
        self.sent, self.problem = 0, ""

    def run(self) -> None:
        try:
            while not self._over.is_set():
                self._site.upload(next(self._batches), self._day)
                self.sent += 1
                self._over.wait(0.5)
        except (Failed, OSError, StopIteration) as problem:
            self.problem = str(problem) or type(problem).__name__

    def end(self) -> int:
        self._over.set()
        self.join()
        if self.problem:
            raise Failed(self.problem)
        return self.sent


def batches_of(release: Release, folder: Path) -> Iterator[bytes]:
    """Return uploads of a simulated fleet, enough of them to be published."""
    release.manage("simulate_devices", USE_CASE, "--reports", str(REPORTS), "--output", str(folder))
    found = []
    for line in (folder / f"{USE_CASE}.ndjson").read_text(encoding="utf-8").splitlines():
        document = json.loads(line)
        for segment in document["segments"]:
            records = segment["records"]
            for start in range(0, len(records), LINES):
                small = document | {"segments": [segment | {"records": records[start : start + LINES]}]}
                found.append(json.dumps(small).encode() + b"\n")
    # An iterator, for two threads take from it.
    return iter(found)


def main(revision: str) -> None:
    with tempfile.TemporaryDirectory(prefix="ldpsite-upgrade-") as name:
        folder = Path(name)
        before = folder / "before"
        before.mkdir()
        archive = subprocess.run(["git", "archive", revision], cwd=BASE_DIR, capture_output=True, check=True).stdout
        subprocess.run(["tar", "--extract", "--directory", str(before)], input=archive, check=True)
        data = folder / "var"
        try:
            with embedded.database(data):
                _try(Release(before, data, embedded.url(data)), Release(BASE_DIR, data, embedded.url(data)), folder)
        finally:
            embedded.remove(data)


def _try(old: Release, new: Release, folder: Path) -> None:
    today = datetime.datetime.now(datetime.UTC).date()
    yesterday = today - datetime.timedelta(days=1)
    old.manage("migrate", "--verbosity", "0")
    old.manage("apply_use_cases", str(old.checkout / "reports" / "demo" / "use_cases.json"))
    batches = batches_of(old, folder)
    with old.serving() as site:
        for _ in range(20):
            site.upload(next(batches), yesterday)
        uploading = Uploading(site, batches, today)
        uploading.start()
        began = time.monotonic()
        new.manage("migrate", "--verbosity", "0")
        took = time.monotonic() - began
        for _ in range(60):
            site.upload(next(batches), yesterday)
        new.manage("aggregate", USE_CASE, "--inline", "--to", str(yesterday))
        sent = uploading.end()
        shown = json.loads(site.expect(f"/api/v1/use-cases/{USE_CASE}/histogram/?locale={LOCALE}"))
        site.expect(f"/api/v1/use-cases/{USE_CASE}/trend/?locale={LOCALE}&element={shown['entries'][0]['element']}")
        site.upload(next(batches), today)
    print(f"migrate took {took:.1f} s; {sent} uploads meanwhile, none refused; {shown['n']} reports are shown.")


if __name__ == "__main__":
    try:
        main(*sys.argv[1:])
    except Failed as failure:
        sys.exit(f"The release before cannot run on these tables: {failure}")
