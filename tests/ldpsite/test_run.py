"""`make run`'s command: its children, and that nothing outlives it."""

import gzip
import hashlib
import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace

import pytest
from django.core.management import CommandError, call_command

from ldpsite import children, embedded, watching
from ldpsite.embedded.places import Places
from ldpsite.env import BASE_DIR
from ldpsite.management.commands import run
from ldpsite.watching import Watched
from tests.ldpsite.whole_site import Site, Visitor
from tests.workers import wait_for

SLEEP = ["timeit", "-n", "1", "-r", "1", "__import__('time').sleep(60)"]
DEAF = ["timeit", "-n", "1", "-r", "1", "-s", "import signal as s; [s.signal(n, s.SIG_IGN) for n in (2, 3, 15)]"]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path


def start(name: str, command: list[str], folder: Path) -> children.Child:
    return children.start(name, command, logs=folder, environment=os.environ, folder=folder)


@pytest.mark.exact
def test_stops_the_willing_and_the_deaf(folder: Path) -> None:
    started = [start("willing", SLEEP, folder), start("deaf", [*DEAF, SLEEP[-1]], folder)]
    time.sleep(0.3)
    begin = time.monotonic()
    children.stop(started)
    assert all(child.is_dead for child in started)
    assert time.monotonic() - begin < 3


@pytest.mark.exact
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interruption_waits_until_a_child_is_known(folder: Path, number: signal.Signals) -> None:
    events: list[str] = []
    before = signal.signal(number, lambda _number, _frame: events.append("interrupted"))
    try:
        with children.uninterrupted():
            os.kill(os.getpid(), number)
            child = start("willing", SLEEP, folder)
            events.append("known")
        time.sleep(0)
    finally:
        signal.signal(number, before)
    assert events == ["known", "interrupted"]
    # The child itself lets nothing wait.
    child.process.terminate()
    assert child.process.wait(timeout=5) == -signal.SIGTERM


LINUX = pytest.mark.skipif(sys.platform != "linux", reason="the kernel of Linux tells children of their parent's death")


@pytest.mark.exact
@LINUX
def test_a_child_whose_parent_died_while_it_began_does_not_begin(folder: Path) -> None:
    # Another process than this is its parent: as it is for a child whose own has just been killed.
    with children.uninterrupted():
        child = subprocess.Popen(
            [sys.executable, "-m", *SLEEP],
            cwd=folder,
            preexec_fn=lambda: children.end_with_parent(os.getppid() + 1),  # noqa: PLW1509
        )
    try:
        assert child.wait(timeout=20) == -signal.SIGTERM
    finally:
        child.kill()


@pytest.mark.exact
def test_a_dead_child_is_reported_with_its_last_words(folder: Path) -> None:
    child = start("web", ["timeit", "raise SystemExit('port on fire')"], folder)
    child.process.wait()
    with pytest.raises(CommandError, match=r"The web process ended(.|\n)*port on fire"):
        run.require_alive([child])


@pytest.mark.exact
def test_what_a_child_prints_is_nobody_elses_to_read_and_begins_anew(folder: Path) -> None:
    logs = folder / "logs"
    logs.mkdir()
    logs.chmod(0o755)
    before = logs / "web.log"
    before.write_text("of an earlier release\n" * 1000)
    before.chmod(0o644)
    child = start("web", ["timeit", "-n1", "-r1", "-s", "print('one')"], logs)
    child.process.wait()
    assert child.news()[0] == "one"
    assert (child.log.stat().st_mode & 0o777, logs.stat().st_mode & 0o777) == (0o600, 0o700)


class Told(run.Command):
    """`run` at the terminal; interrupted as soon as it says a certain thing."""

    def __init__(self, until: str) -> None:
        super().__init__()
        self.until, self.said = until, ""

    def say(self, text: str) -> None:
        self.said += f"{text}\n"
        if self.until in text:
            raise KeyboardInterrupt

    def watch_until_interrupted(self, watched: list[Watched], demo: children.Child) -> str:
        with pytest.raises(KeyboardInterrupt):
            self.watch(watched, demo, "the entrance")
        return self.said


@dataclass
class Fragile:
    """What may die at any moment."""

    log: Path
    name: str = "worker"
    is_dead: bool = False
    clock: Callable[[], float] = time.monotonic
    # What keeps it from starting, the first of them at the first attempt.
    obstacles: list[Exception] = field(default_factory=list)
    starts: list[float] = field(default_factory=list)

    def start_again(self) -> None:
        self.starts.append(self.clock())
        if self.obstacles:
            raise self.obstacles.pop(0)
        self.is_dead = False


@pytest.mark.exact
def test_what_the_demo_prints_is_passed_on_and_then_the_entrance_again(folder: Path) -> None:
    demo = start("demo", ["timeit", "-n1", "-r1", "-s", "print('one'); print('two')"], folder)
    said = Told(until="the entrance").watch_until_interrupted([], demo)
    assert re.fullmatch(r"one\ntwo\n1 loop.*\nthe entrance\n", said)


@pytest.mark.exact
def test_a_line_is_passed_on_when_it_is_complete(folder: Path) -> None:
    child = start("demo", SLEEP, folder)
    with child.log.open("ab") as log:
        log.write("half of it ☀".encode()[:-1])
        log.flush()
        assert child.news() == []
        log.write("☀\nmore".encode()[2:])
        log.flush()
    assert child.news() == ["half of it ☀"]
    assert child.news() == []
    children.stop([child])


@pytest.mark.exact
def test_a_demo_that_fails_is_no_end_of_the_site(folder: Path) -> None:
    demo = start("demo", ["timeit", "raise SystemExit('no disk left')"], folder)
    said = Told(until="The site goes on").watch_until_interrupted([], demo)
    assert re.search(r"no disk left\nThe demo process ended with 1; .*demo.log\. The site goes on", said), said


@pytest.mark.exact
def test_a_demo_that_fails_because_the_database_died_goes_on(folder: Path) -> None:
    demo = start("demo", ["timeit", "raise SystemExit('no database')"], folder)
    demo.process.wait()
    command = Told(until="The site goes on")
    said = command.watch_until_interrupted([Watched(Fragile(folder, "database", is_dead=True), command.say)], demo)
    assert re.search(r"The database process ended(.|\n)*no database\nThe demo process ended, too, and goes on", said)
    assert said.count("SystemExit: no database") == 2, "once more, and then no more"


@pytest.mark.exact
def test_what_dies_is_started_again_after_longer_and_longer_pauses(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = SimpleNamespace(now=0.0)
    monkeypatch.setattr(watching, "time", SimpleNamespace(monotonic=lambda: clock.now))
    log = folder / "worker.log"
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


@pytest.mark.exact
def test_what_does_not_start_is_tried_again_and_the_reason_is_said(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(watching, "PAUSES", (0.0,) * 3)
    obstacles = [OSError("No space left on device"), embedded.EmbeddedDatabaseError("PostgreSQL did not start")]
    said: list[str] = []
    database = Fragile(folder / "postgres.log", "database", is_dead=True, obstacles=list(obstacles))
    watched = Watched(database, said.append)
    for _ in range(4):
        watched.look()
    assert not database.is_dead
    assert said[1::2] == [str(obstacle) for obstacle in obstacles]
    assert (len(said), watched.restarts) == (5, 1)


def is_alive(process: int) -> bool:
    state = subprocess.run(["ps", "-o", "stat=", "-p", str(process)], capture_output=True, text=True, check=False)
    return state.stdout.strip()[:1] not in {"", "Z"}  # Z: it only waits for somebody to take note of its end


@pytest.mark.exact
def test_a_child_that_is_started_again_leaves_nothing_of_the_first_and_keeps_its_log(folder: Path) -> None:
    """A worker that is killed leaves the processes that it has started."""
    setup = "import subprocess, sys; child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)'])"
    words = "print(child.pid, flush=True)"
    child = start("worker", ["timeit", "-n", "1", "-r", "1", "-s", f"{setup}; {words}", SLEEP[-1]], folder)
    wait_for(child.log.read_text)
    orphan = int(child.log.read_text())
    child.process.kill()
    child.process.wait()
    assert is_alive(orphan)
    child.start_again()
    try:
        assert not child.is_dead
        wait_for(lambda: child.log.read_text().count("\n") == 2)
        wait_for(lambda: not is_alive(orphan))
    finally:
        children.stop([child])


@pytest.mark.exact
def test_a_taken_port_is_said_clearly() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(CommandError, match=rf"Port {port} cannot be used \(.+\)\..* make run PORT=8001"):
            call_command("run", port=port)


@pytest.fixture
def start_site(tmp_path: Path) -> Iterator[Callable[..., Site]]:
    """Start a site, always in the same data folder."""
    started: list[Site] = []

    def start(**options: int) -> Site:
        started.append(Site(tmp_path / "var", **options))
        return started[-1]

    yield start
    for site in started:
        end(site)
    remove(tmp_path / "var")


def end(site: Site) -> None:
    if site.process.poll() is None:
        site.process.kill()
    site.process.wait()


def remove(data_dir: Path) -> None:
    with embedded.database(data_dir):
        pass
    embedded.remove(data_dir)


@pytest.fixture(scope="module")
def used(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A data folder in which one site after the other runs: however the one before it ended, the next begins."""
    data_dir = tmp_path_factory.mktemp("used") / "var"
    yield data_dir
    remove(data_dir)


@pytest.fixture
def site(used: Path) -> Iterator[Site]:
    started = Site(used)
    yield started
    end(started)


@pytest.mark.server
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_serves_and_ends_without_orphans(site: Site, number: signal.Signals) -> None:
    site.wait_until_ready()
    with urllib.request.urlopen(f"http://127.0.0.1:{site.port}/healthz", timeout=5) as response:
        assert response.status == 200
    begin = time.monotonic()
    site.process.send_signal(number)
    site.process.wait(timeout=20)
    assert time.monotonic() - begin < 6
    assert site.descendants() == []


@pytest.mark.server
@LINUX
def test_killed_it_still_leaves_no_orphans(site: Site) -> None:
    site.wait_until_ready()
    site.process.kill()
    wait_for(lambda: not site.descendants(), timeout=15)


@pytest.mark.server
def test_what_is_killed_is_there_again(site: Site) -> None:
    site.wait_until_ready()
    wait_for(lambda: " ready." in site.logs()["worker.log"], timeout=60)
    killed = [main_process(site, "gunicorn"), main_process(site, "celery"), database_process(site)]
    for process in killed:
        os.kill(process, signal.SIGKILL)
    again_now = "The {} process ended and is started again now."
    wait_for(lambda: all(again_now.format(name) in site.said() for name in ("web", "worker", "database")))
    wait_for(lambda: answers(site, "/readyz"), timeout=60)
    wait_for(lambda: site.logs()["worker.log"].count(" ready.") >= 2, timeout=60)
    again = [main_process(site, "gunicorn"), main_process(site, "celery"), database_process(site)]
    assert not set(killed) & set(again)
    stop(site)


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


HISTOGRAM = "/use-cases/keyboard-emoji/"


@pytest.mark.server
def test_a_site_is_used_stopped_in_the_middle_of_the_demo_and_started_again(
    start_site: Callable[..., Site], tmp_path: Path
) -> None:
    # In four locales, each of which comes just above the minimum.
    site = start_site(reports=44_000)
    site.wait_until_ready()
    visitor = Visitor(site, {"User-Agent": USER_AGENT, "X-Forwarded-For": FORWARDED, "Forwarded": f"for={FORWARDED}"})
    if sys.platform == "linux":  # elsewhere the machine has one address of its own
        visitor.source = SOURCE
    assert "the password is printed in the terminal" in visitor.send("/accounts/login/")[1]
    visitor.log_in()
    wait_for(lambda: "more days of reports are being simulated" in visitor.send("/")[1])
    wait_for(lambda: 'class="histogram' in visitor.send(HISTOGRAM)[1], timeout=120)
    shown = read_histogram(visitor)
    # Older days follow, and the window of all days grows; this one does not.
    days = "?from={first_day}&to={last_day}".format(**json.loads(shown))
    shown, first_address = read_histogram(visitor, days), site.address
    stop(site)
    assert "The demo is complete." not in site.said()
    assert "The demo process ended" not in site.said()

    # Of what is missing as few as can be: of each week one day, and two about domains, of which there are very many.
    site = start_site(reports=1)
    site.wait_until_ready()
    visitor.site = site
    assert visitor.send("/")[0] == 200, "still logged in"
    # Only where it is read is another address: it has another port.
    assert read_histogram(visitor, days).replace(site.address, first_address) == shown
    secrets = upload_in_all_ways(site, visitor, tmp_path)
    wait_for(lambda: "The demo is complete." in site.said(), timeout=120)
    assert "Popular emoji: the demo's reports are here already" in site.said()
    assert "Popular emoji, the newest week" not in site.said()
    assert "Autoplay intent, the newest week: 1 simulated reports are on their way" in site.said()
    assert "Popular emoji: 10 of 28 days are counted" in site.said()
    wait_for(lambda: not any("manage" in line and "--rest" in line for line in site.descendants()))
    wait_for(lambda: site.address in site.said().partition("The demo is complete.")[2])
    _, page = visitor.send("/")
    assert page.count("Too few reports") >= 3, "those about domains"
    assert "being simulated" not in page
    stop(site)
    assert "The demo process ended" not in site.said()
    assert_not_in_the_logs(site, secrets)


def read_histogram(visitor: Visitor, days: str = "") -> str:
    """What is shown; with the time at which it was counted, so that nobody can have counted it again."""
    status, page = visitor.send(f"{HISTOGRAM}{days}")
    assert status == 200
    (table,) = re.findall(r'<table class="histogram.*?</table>', page, re.DOTALL)
    assert table.count("<tr") > 3
    status, document = visitor.send(f"{HISTOGRAM}histogram.json{days}")
    assert status == 200
    assert json.loads(document)["n"] >= 10_000
    return document


def stop(site: Site) -> None:
    site.process.send_signal(signal.SIGINT)
    assert site.process.wait(timeout=20) == 0
    assert site.descendants() == []


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
    """What the database holds of the idempotency keys, as the database and Python would write it."""
    ask = (
        "from reports.models import IdempotencyKey as K; print(*(bytes(d).hex() for k in K.objects.all() "
        "for d in (k.key_hmac, k.content_hmac)))"
    )
    digests = re.findall(r"\b[0-9a-f]{64}\b", site.command("shell", "--command", ask))
    assert len(digests) == 2
    return [form for digest in digests for form in (digest, repr(bytes.fromhex(digest))[2:-1])]


def assert_not_in_the_logs(site: Site, secrets: list[str]) -> None:
    logs = site.logs()
    assert {"postgres.log", "web.log", "worker.log"} <= logs.keys()
    assert all(logs.values())
    folder = site.data_dir / "logs"
    assert {path.stat().st_mode & 0o777 for path in folder.iterdir()} == {0o600}
    assert folder.stat().st_mode & 0o777 == 0o700
    assert [(name, secret) for name, text in logs.items() for secret in secrets if secret in text] == []
