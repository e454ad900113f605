"""Who sends slowly keeps no thread of the web server, and no connection for long; nor does who does not read."""

import gc
import os
import re
import resource
import select
import signal
import socket
import time
import weakref
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from http.client import HTTPConnection
from pathlib import Path
from selectors import EVENT_READ, DefaultSelector
from unittest import mock

import pytest
from django.db import connection, transaction
from gunicorn.config import Config

from ldpsite import gunicorn_config
from ldpsite.body_sizes import SMALL_BODY_BYTES
from ldpsite.gunicorn_requests import BYTES_PER_SECOND, PATIENCE, SteadyUnreader
from ldpsite.gunicorn_worker import HELD_BYTES, Worker
from reports.models import ApiToken, Batch
from tests.ldpsite.conftest import closing_server
from tests.reports.factories import make_version, of_records, record_lines
from tests.web_server import METRICS_TOKEN, WebServer
from tests.workers import wait_for

pytestmark = [pytest.mark.exact]


@pytest.fixture(scope="module")
def small_server(django_db_setup: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[WebServer]:
    """A server that takes few connections."""
    with closing_server(WebServer(tmp_path_factory.mktemp("small"), "--worker-connections", "20")) as server:
        yield server


SLOW = {
    "nothing": b"",
    "a byte of a header": b"P",
    "half a header": b"POST /api/v1/reports/ HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n",
    "a byte of a document": b"POST /api/v1/reports/ HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\n{",
    "a byte of a form": b"POST /accounts/login/ HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\na",
    "a large form": b"POST /accounts/login/ HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9999999\r\n\r\na",
    "a large document": b"POST /api/v1/reports/ HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9999999\r\n\r\n{",
    "an upload of nobody": b"POST /api/v1/batches/ HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9999999\r\n\r\n{",
    "chunks": b"POST /api/v1/reports/ HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n1",
    "an answer that is not read": b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n",
}


def is_healthy(server: WebServer) -> bool:
    connection = HTTPConnection("127.0.0.1", server.port, timeout=PATIENCE / 2)
    connection.request("GET", "/healthz")
    return connection.getresponse().status == 200


@pytest.mark.django_db(transaction=True)
def test_slow_senders_keep_no_thread(kept_server: WebServer) -> None:
    """Three times as many of each kind as there are threads."""
    with ExitStack() as stack:
        for sent in SLOW.values():
            slow = [stack.enter_context(kept_server.connect()) for _ in range(3 * gunicorn_config.threads)]
            for connection in slow:
                connection.sendall(sent)
            assert is_healthy(kept_server)


@pytest.mark.django_db(transaction=True)
def test_metrics_are_kept_where_all_processes_of_a_host_count(kept_server: WebServer) -> None:
    assert is_healthy(kept_server)
    connection = HTTPConnection("127.0.0.1", kept_server.port, timeout=PATIENCE)
    connection.request("GET", "/metrics", headers={"Authorization": f"Bearer {METRICS_TOKEN}"})
    text = connection.getresponse().read().decode()
    assert re.search(r'^ldpsite_request_seconds_count\{view="healthz"\} [1-9]', text, re.MULTILINE)
    assert 'ldpsite_dependency_up{name="database"} 1.0' in text
    # The library names a file for each process, and of files alone says nothing of this one.
    assert list(kept_server.folder.joinpath("metrics").glob(f"*_{kept_server.worker()}.db"))
    assert "process_start_time_seconds" not in text


@pytest.mark.django_db(transaction=True)
def test_a_request_that_does_not_come_is_given_up(tmp_path: Path) -> None:
    """Drop by drop, or not at all: while the drops come, and others are answered."""
    with (
        closing_server(WebServer(tmp_path, "--config", "python:tests.hasty_gunicorn_config")) as server,
        server.connect() as header,
        server.connect() as body,
        server.connect() as nothing,
    ):
        header.sendall(b"GET / HTTP/1.1\r\nX: ")
        body.sendall(SLOW["a byte of a document"])
        deadline = time.monotonic() + PATIENCE
        for connection in (header, body):
            connection.settimeout(0.2)
            assert first_line(connection, deadline) == b"HTTP/1.1 408 Request Timeout"
        assert nothing.recv(1) == b""
        assert is_healthy(server)


def first_line(connection: socket.socket, deadline: float) -> bytes:
    """Return the first line that comes while one more byte is sent five times a second."""
    while time.monotonic() < deadline:
        try:
            return connection.recv(1000).splitlines()[0]
        except TimeoutError:
            connection.sendall(b"x")
    pytest.fail("it goes on")


@pytest.mark.django_db(transaction=True)
def test_requests_arrive_in_pieces_one_behind_the_other(kept_server: WebServer) -> None:
    make_version()
    _token, secret = ApiToken.create("collector", may_ingest=True)
    small, large = of_records(record_lines(5)), of_records(record_lines(SMALL_BODY_BYTES // 20))
    assert len(large) > SMALL_BODY_BYTES
    sent = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"
    for body in (small, large):
        sent += (
            f"POST /api/v1/batches/ HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {secret}\r\n"
            f"Content-Type: application/x-ndjson\r\nContent-Length: {len(body)}\r\n\r\n"
        ).encode() + body
    sent += b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
    with kept_server.connect() as connection:
        for start in (*range(0, 2000, 100),):
            connection.sendall(sent[start : start + 100])
            time.sleep(0.002)
        connection.sendall(sent[2000:])
        answer = connection.makefile("rb").read()
    assert re.findall(rb"HTTP/1\.1 (\d+) ", answer) == [b"200", b"202", b"202", b"200"]
    assert sorted(Batch.objects.values_list("accepted", flat=True)) == [5, SMALL_BODY_BYTES // 20]


@pytest.mark.django_db(transaction=True)
def test_who_waits_to_be_asked_for_a_body_is_asked(kept_server: WebServer) -> None:
    with kept_server.connect() as connection:
        connection.sendall(
            b"POST /api/v1/reports/ HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n"
        )
        assert connection.recv(1000).startswith(b"HTTP/1.1 100 Continue")
        connection.sendall(b"{}")
        wait_for(lambda: b" 415 " in connection.recv(1000))


# --- What many together hold ---

UNFINISHED = b"POST /accounts/login/ HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n" % SMALL_BODY_BYTES


@contextmanager
def stopped(process: int) -> Iterator[None]:
    """Stop a process meanwhile, so that all that comes is found at once afterwards."""
    os.kill(process, signal.SIGSTOP)
    try:
        yield
    finally:
        os.kill(process, signal.SIGCONT)


def unread_bytes(server: WebServer) -> int:
    """Count the bytes that lie in the kernel, before the server."""
    lines = [line.split() for line in Path("/proc/net/tcp").read_text(encoding="ascii").splitlines()[1:]]
    return sum(int(line[4].split(":")[1], 16) for line in lines if line[1].endswith(f":{server.port:04X}"))


def same_process_answers(server: WebServer, process: int) -> bool:
    return is_healthy(server) and server.worker() == process and "failed" not in server.said()


@pytest.mark.django_db(transaction=True)
def test_bodies_given_up_while_more_of_them_comes(kept_server: WebServer) -> None:
    """All that is given up for the newest one has an event behind it."""
    worker = kept_server.worker()
    with ExitStack() as stack:
        slow = [stack.enter_context(kept_server.connect()) for _ in range(HELD_BYTES // SMALL_BODY_BYTES + 2)]
        part = HELD_BYTES // len(slow) - len(UNFINISHED)
        for connection in slow:
            connection.sendall(UNFINISHED + b"x" * part)
        wait_for(lambda: unread_bytes(kept_server) == 0)
        with stopped(worker):
            for connection in reversed(slow):
                connection.sendall(b"x" * 10_000)
        assert same_process_answers(kept_server, worker)


@pytest.mark.django_db(transaction=True)
def test_connections_given_up_while_more_comes_on_them(small_server: WebServer) -> None:
    with ExitStack() as stack:
        worker = small_server.worker()
        slow = [stack.enter_context(small_server.connect()) for _ in range(19)]
        for connection in slow:
            connection.sendall(UNFINISHED)
        wait_for(lambda: unread_bytes(small_server) == 0)
        with stopped(worker):
            for _ in range(5):
                stack.enter_context(small_server.connect())
            for connection in slow:
                connection.sendall(b"x")
        assert same_process_answers(small_server, worker)


@pytest.mark.django_db(transaction=True)
def test_more_connections_than_files_may_be_open(kept_server: WebServer) -> None:
    """Neither those that began nor those that were answered, and that the client keeps open, end the process."""
    worker = kept_server.worker()
    allowed = resource.prlimit(worker, resource.RLIMIT_NOFILE)
    resource.prlimit(worker, resource.RLIMIT_NOFILE, (64, allowed[1]))
    try:
        for sent in (SLOW["a byte of a header"], SLOW["an answer that is not read"]):
            with ExitStack() as stack:
                for _ in range(100):
                    stack.enter_context(kept_server.connect()).sendall(sent)
                assert same_process_answers(kept_server, worker)
    finally:
        resource.prlimit(worker, resource.RLIMIT_NOFILE, allowed)


@pytest.mark.django_db(transaction=True)
def test_answered_connections_count_until_they_are_closed(small_server: WebServer) -> None:
    """Connections that the client leaves open: no more of them than the process shall have at all."""
    with ExitStack() as stack:
        files = Path(f"/proc/{small_server.worker()}/fd")
        before = len(list(files.iterdir()))
        for _ in range(100):
            stack.enter_context(small_server.connect()).sendall(SLOW["an answer that is not read"])
        assert is_healthy(small_server)
        assert len(list(files.iterdir())) <= before + 20


def readable(connections: list[socket.socket]) -> list[socket.socket]:
    return select.select(connections, [], [], 0)[0]


def status(connection: socket.socket) -> bytes:
    return connection.recv(1000).split()[1]


@pytest.mark.django_db(transaction=True)
def test_whole_requests_that_wait_for_a_thread_are_counted(kept_server: WebServer) -> None:
    """The database holds up the threads; what is more than the process holds at a time is refused."""
    make_version()
    _token, secret = ApiToken.create("collector", may_ingest=True)
    request = (
        f"POST /api/v1/batches/ HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {secret}\r\nConnection: close\r\n"
        f"Content-Type: text/plain\r\nContent-Length: {SMALL_BODY_BYTES}\r\n\r\n"
    ).encode() + b"x" * SMALL_BODY_BYTES
    fit = HELD_BYTES // len(request)
    with ExitStack() as stack:
        with transaction.atomic():
            with connection.cursor() as cursor:
                cursor.execute(f"LOCK TABLE {ApiToken._meta.db_table} IN ACCESS EXCLUSIVE MODE")
            senders = [stack.enter_context(kept_server.connect()) for _ in range(fit + 5)]
            for sender in senders:
                sender.sendall(request)
                wait_for(lambda: unread_bytes(kept_server) == 0)  # one after the other: else too many are on their way
            wait_for(lambda: len(readable(senders)) >= 5)
            refused = readable(senders)
            answers = [sender.recv(1000) for sender in refused]
            assert [answer.split()[1] for answer in answers] == [b"503"] * 5
            assert all(b"Send the same again in a minute." in answer for answer in answers)
        assert [status(sender) for sender in senders if sender not in refused] == [b"415"] * fit
    # They count no longer.
    with kept_server.connect() as sender:
        sender.sendall(request)
        assert status(sender) == b"415"


def test_an_error_of_one_connection_is_that_of_no_other() -> None:
    worker = Worker(1, os.getpid(), [], None, 30, Config(), mock.Mock())
    worker.poller = DefaultSelector()
    (bad, other_side), (good, other) = socket.socketpair(), socket.socketpair()
    seen: list[socket.socket] = []
    with bad, other_side, good, other, worker.poller:
        worker.nr_conns = 2
        worker.poller.register(bad, EVENT_READ, mock.Mock(side_effect=KeyError))
        worker.poller.register(good, EVENT_READ, seen.append)
        for sender in (other_side, other):
            sender.sendall(b"x")
        worker.wait_for_and_dispatch_events(1)
        assert seen == [good]
        assert (bad.fileno(), worker.nr_conns) == (-1, 1)


def test_a_new_connection_ends_no_request_that_is_there_and_not_itself() -> None:
    """With one being answered in a thread, and room for three: the second's bytes are read before the third comes."""
    with socket.create_server(("127.0.0.1", 0)) as listener, DefaultSelector() as poller:
        listener.setblocking(False)
        worker = Worker(1, os.getpid(), [listener], None, 30, Config(), mock.Mock())
        worker.poller, worker.tpool = poller, mock.Mock()
        worker.nr_conns, worker.worker_connections = 1, 3
        worker.set_accept_enabled(True)
        with ExitStack() as stack:
            for _ in range(2):
                client = stack.enter_context(socket.create_connection(listener.getsockname()))
                client.sendall(SLOW["an answer that is not read"])
            worker.wait_for_and_dispatch_events(1)
            worker.wait_for_and_dispatch_events(1)
            assert (worker.nr_conns, len(worker._arrivals), worker.tpool.submit.call_count) == (3, 1, 1)
            worker.set_accept_enabled(False)  # as gunicorn does now
            worker.wait_for_and_dispatch_events(1)
            assert (worker.nr_conns, worker.tpool.submit.call_count) == (3, 2)


def test_a_large_body_has_to_keep_a_rate() -> None:
    """Pauses are allowed up to some seconds together; bytes that came make up for them, but not for longer ones."""
    ours, theirs = socket.socketpair()
    with ours, theirs:
        reader = SteadyUnreader(ours)
        reader.begin(b"")
        reader._left = 0.3  # of PATIENCE
        theirs.sendall(b"x")
        assert reader.chunk() == b"x"
        began = time.monotonic()
        with pytest.raises(TimeoutError):
            reader.chunk()
        assert time.monotonic() - began < PATIENCE / 2
        theirs.sendall(b"x" * BYTES_PER_SECOND)
        for _ in range(100):
            if len(reader.chunk(BYTES_PER_SECOND)) == BYTES_PER_SECOND:
                break
        assert reader._left <= 1.1
        assert ours.gettimeout() is None


def test_an_answer_has_to_be_read_at_a_rate() -> None:
    """It is given up as if the client had left; what is read makes up for pauses, but not for longer ones."""
    worker = Worker(1, os.getpid(), [], None, 30, Config(), mock.Mock())
    worker.poller = DefaultSelector()
    with (
        worker.poller,
        socket.create_server(("127.0.0.1", 0)) as listener,
        socket.create_connection(listener.getsockname()) as reader,
    ):
        worker.accept(listener)
        (arrival,) = worker._arrivals
        with arrival.connection.sock as sock:
            # The main loop, which sends errors itself, does not wait at all.
            sock.setblocking(False)
            fill(sock)
            sock.setblocking(True)
            sock._left = 0.3  # of PATIENCE
            began = time.monotonic()
            with pytest.raises(BrokenPipeError):
                sock.sendall(b"x")
            assert time.monotonic() - began < PATIENCE / 2
            assert sock.gettimeout() is None
            reader.settimeout(0.2)
            with suppress(TimeoutError):
                while reader.recv(1 << 20):
                    pass
            sock.sendall(bytes(BYTES_PER_SECOND))
            assert 0.9 < sock._left <= 0.3 + 1


def fill(sock: socket.socket) -> None:
    """Send as much as fits between the two sides."""
    with suppress(BlockingIOError):
        while True:
            sock.sendall(bytes(1 << 20))


def test_garbage_is_collected_when_an_answer_has_been_sent() -> None:
    class Page:
        pass

    thresholds = gc.get_threshold()
    gc.set_threshold(gunicorn_config.COLLECTED_AT_ONCE)
    try:
        gc.collect()
        page = Page()
        page.itself = page  # type: ignore[attr-defined]
        there = weakref.ref(page)
        del page
        gunicorn_config.collect_between()
        assert there() is not None, "little is left until there is more"
        kept = [[number] for number in range(gunicorn_config.COLLECTED_BETWEEN + 1)]
        gunicorn_config.collect_between()
        assert kept
        assert there() is None
    finally:
        gc.set_threshold(*thresholds)


def test_a_file_is_sent_as_other_answers_are() -> None:
    """The system's call for it would wait for a reader as long as that likes."""
    assert gunicorn_config.sendfile is False
