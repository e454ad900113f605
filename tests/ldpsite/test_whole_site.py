"""The whole site as `make run` starts it: it is used, dies in parts, and ends without leaving a process behind."""

import gzip
import hashlib
import json
import os
import re
import signal
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psycopg
import pytest

from ldpsite import embedded
from ldpsite.embedded.places import Places
from ldpsite.env import BASE_DIR
from tests.ldpsite.whole_site import Site, Visitor
from tests.workers import wait_for

pytestmark = pytest.mark.site


@pytest.fixture(scope="module")
def data_dir(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A data folder in which one site after the other runs: however the one before it ended, the next begins."""
    path = tmp_path_factory.mktemp("whole") / "var"
    yield path
    with embedded.database(path):
        pass
    embedded.remove(path)


@pytest.fixture
def start_site(data_dir: Path) -> Iterator[Callable[..., Site]]:
    """Start a site, and wait until it says that it is ready."""
    started: list[Site] = []

    def start(*, reports: int = 1) -> Site:
        started.append(Site(data_dir, reports))
        started[-1].wait_until_ready()
        return started[-1]

    yield start
    for site in started:
        if site.process.poll() is None:
            site.process.kill()
        site.process.wait()


def interrupt(site: Site) -> None:
    """End a site as Ctrl-C does: with all that it has started, within 3 s if the machine has nothing else to do."""
    begin = time.monotonic()
    site.process.send_signal(signal.SIGINT)
    assert site.process.wait(timeout=20) == 0
    assert time.monotonic() - begin < 10
    assert site.descendants() == []


def kill(site: Site) -> None:
    site.process.kill()
    site.process.wait()
    if sys.platform == "linux":  # whose kernel tells children of their parent's death
        wait_for(lambda: not site.descendants(), timeout=60)


HISTOGRAM = "/use-cases/keyboard-emoji/"
# In four locales, each of which comes just above the minimum.
REPORTS = 44_000


def test_a_site_is_used_stopped_in_the_demo_and_started_again_outlives_its_parts_and_is_outlived_by_none(
    start_site: Callable[..., Site], tmp_path: Path
) -> None:
    site = start_site(reports=REPORTS)
    visitor = Visitor(site, {"User-Agent": USER_AGENT, "X-Forwarded-For": FORWARDED, "Forwarded": f"for={FORWARDED}"})
    if sys.platform == "linux":  # elsewhere the machine has one address of its own
        visitor.source = SOURCE
    assert "the password is printed in the terminal" in visitor.send("/accounts/login/")[1]
    visitor.log_in()
    wait_for(lambda: "more days of reports are being simulated" in visitor.send("/")[1], timeout=60, pause=0.5)
    wait_for(lambda: 'class="histogram' in visitor.send(HISTOGRAM)[1], timeout=120, pause=0.5)
    shown, first_address = read_histogram(visitor), site.address
    interrupt(site)
    assert "The demo is complete." not in site.said()
    assert "The demo process ended" not in site.said()

    site = start_site()
    visitor.site = site
    assert visitor.send("/")[0] == 200, "still logged in"
    # Only where it is read is another address: it has another port.
    assert read_histogram(visitor).replace(site.address, first_address) == shown
    secrets = upload_in_all_ways(site, visitor, tmp_path)
    wait_for(lambda: "Popular emoji: the demo's reports are here already" in site.said(), timeout=60)
    assert "Popular emoji, the newest week" not in site.said()
    assert "The demo process ended" not in site.said()
    kill_and_wait_until_all_is_there_again(site)
    kill(site)
    assert_not_in_the_logs(site, secrets)


def read_histogram(visitor: Visitor) -> str:
    """Return the shown histogram with the time at which it was counted, so that a second count would be seen."""
    status, page = visitor.send(HISTOGRAM)
    assert status == 200
    (table,) = re.findall(r'<table class="histogram.*?</table>', page, re.DOTALL)
    assert table.count("<tr") > 3
    status, document = visitor.send(f"{HISTOGRAM}histogram.json")
    assert status == 200
    assert json.loads(document)["n"] >= 10_000
    return document


def kill_and_wait_until_all_is_there_again(site: Site) -> None:
    wait_for(lambda: " ready." in site.logs()["worker.log"], timeout=60)
    killed = main_processes(site)
    for process in killed:
        os.kill(process, signal.SIGKILL)
    again_now = "The {} process ended and is started again now."
    wait_for(lambda: all(again_now.format(name) in site.said() for name in ("web", "worker", "database")))
    wait_for(lambda: answers(site, "/readyz"), timeout=60)
    wait_for(lambda: site.logs()["worker.log"].count(" ready.") >= 2, timeout=60)
    assert not set(killed) & set(main_processes(site))


def main_processes(site: Site) -> list[int]:
    return [main_process(site, "gunicorn"), main_process(site, "celery"), database_process(site)]


def main_process(site: Site, module: str) -> int:
    """The process that started the others."""
    return min(int(line.split()[0]) for line in site.descendants() if f"-m {module}" in line)


def database_process(site: Site) -> int:
    return int(Places(site.data_dir).pid_file.read_text().split()[0])


def answers(site: Site, path: str) -> bool:
    try:
        return Visitor(site, {}).send(path)[0] == 200
    except OSError:
        return False


# --- What no log may hold ---

USER_AGENT, FORWARDED, SOURCE = "SecretBrowser/7", "203.0.113.9", "127.0.0.77"
FILE_NAME, SENDER = "secret-file-name.ndjson", "secret sender"
KEY = "secret-idempotency-key"


def upload_in_all_ways(site: Site, visitor: Visitor, folder: Path) -> list[str]:
    """Send batches that are stored; return all that their senders and their bodies tell."""
    shares = BASE_DIR / "reports" / "demo" / "emoji_share_by_locale.tsv"
    site.command(
        "simulate_devices", "keyboard-emoji", "--shares", str(shares), "--reports", "1200", "--output", str(folder)
    )
    body = folder.joinpath("keyboard-emoji.ndjson").read_bytes()
    document = json.loads(body.splitlines()[0])
    records = document["segments"][0]["records"]
    token = site.command("create_token", SENDER, "--scope", "ingest")
    bearer = {"Authorization": f"Bearer {token}", "Content-Type": "application/x-ndjson"}
    before = site.logs()["web.log"]

    found = []
    for packed, status in ((False, "stored"), (True, "duplicate")):
        sent = gzip.compress(body) if packed else body
        encoding = {"Content-Encoding": "gzip"} if packed else {}
        code, text = visitor.send("/api/v1/batches/", sent, bearer | encoding)
        assert (code, json.loads(text)["status"]) == (202, status), text
        found.append(json.loads(text)["batch"])
    assert found[1] is None
    document["segments"][0]["records"] = [*records[:3], "1,secret record"]
    small = json.dumps(document).encode() + b"\n"
    for status in ("stored", "duplicate"):
        code, text = visitor.send("/api/v1/batches/", small, bearer | {"Idempotency-Key": KEY})
        assert (code, json.loads(text)["status"]) == (202, status), text
        assert sum(json.loads(text)["rejected"].values()) == 1
    found.append(json.loads(text)["batch"])
    code, text = visitor.send("/api/v1/batches/", small + small, bearer | {"Idempotency-Key": KEY})
    assert code == 422, text
    assert visitor.send(f"/api/v1/batches/{found[0]}/", headers=bearer)[0] == 200

    with folder.joinpath(FILE_NAME).open("w+b") as file:
        file.write(body[: body.index(b"\n") + 1])
        file.seek(0)
        code, page = visitor.fill_in("/batches/new/", file=file)
    assert code == 302, page

    assert site.logs()["web.log"] == before, "an upload is worth no line"
    keys = [KEY, hashlib.sha256(KEY.encode()).hexdigest(), *kept_digests(site)]
    return [found[0], token, found[2], USER_AGENT, FORWARDED, SOURCE, FILE_NAME, SENDER, "/batches/", "secret record",
            records[0][:30], records[-1][:30], document["segments"][0]["parameters"]["seed"], *keys]  # fmt: skip


def kept_digests(site: Site) -> list[str]:
    """Return the database's digests of idempotency keys, as the database and Python would write them."""
    with psycopg.connect(embedded.url(site.data_dir)) as connection:
        kept = connection.execute("SELECT key_hmac, content_hmac FROM reports_idempotencykey").fetchall()
    assert len(kept) == 1
    return [form for digest in kept[0] for form in (digest.hex(), repr(digest)[2:-1])]


def assert_not_in_the_logs(site: Site, secrets: list[str]) -> None:
    logs = site.logs()
    assert {"postgres.log", "web.log", "worker.log"} <= logs.keys()
    assert all(logs.values())
    folder = site.data_dir / "logs"
    assert {path.stat().st_mode & 0o777 for path in folder.iterdir()} == {0o600}
    assert folder.stat().st_mode & 0o777 == 0o700
    assert [(name, secret) for name, text in logs.items() for secret in secrets if secret in text] == []
