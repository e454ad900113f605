"""Servers that hosts share, and that go away and come back: PostgreSQL, RabbitMQ, and a bucket that speaks S3."""

import logging
import os
import shutil
import signal
import socket
import subprocess
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from http.client import HTTPConnection
from pathlib import Path
from typing import Any, Final

import boto3
from moto.moto_server.werkzeug_app import DomainDispatcherApplication, create_backend_app
from werkzeug.serving import BaseWSGIServer, make_server

from tests.processes import lasting_port

PATIENCE: Final = 60.0
NAME: Final = "ldpsite"
KEY: Final = "test"
REGION: Final = "us-east-1"


class Failed(Exception):
    """A fault that the site should have survived, or a server that does not start."""


def wait_until(condition: Callable[[], object], what: str, *, patience: float = PATIENCE, pause: float = 0.1) -> None:
    """Wait until a condition holds. Raises `Failed` when it does not in time."""
    deadline = time.monotonic() + patience
    while not condition():
        if time.monotonic() > deadline:
            raise Failed(f"not within {patience:g} s: {what}")
        time.sleep(pause)


def is_open(port: int) -> bool:
    with socket.socket() as probe:
        probe.settimeout(1)
        return probe.connect_ex(("127.0.0.1", port)) == 0


class Server(ABC):
    """A server process with a folder and a port of its own. As root it is started as `nobody`: it would refuse else."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.port = lasting_port()
        self.process: subprocess.Popen[bytes] | None = None
        folder.mkdir(mode=0o700)
        if os.geteuid() == 0:
            shutil.chown(folder, "nobody")

    @abstractmethod
    def command(self) -> list[str]: ...

    @abstractmethod
    def answers(self) -> bool: ...

    def environment(self) -> dict[str, str]:
        return {}

    def start(self) -> None:
        with (self.folder.parent / f"{self.folder.name}.log").open("ab") as log:
            self.process = self.spawn(self.command(), stdout=log, stderr=log, start_new_session=True)
        wait_until(self.answers, f"{self.folder.name} answers")

    def kill(self) -> None:
        """End the server as a power cut does."""
        if self.process is not None:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()

    def restart(self) -> None:
        self.kill()
        self.start()

    def spawn(self, command: Iterable[str], **options: Any) -> subprocess.Popen[bytes]:
        account: dict[str, Any] = (
            {"user": "nobody", "group": "nogroup", "extra_groups": []} if os.geteuid() == 0 else {}
        )
        return subprocess.Popen([*command], cwd="/", env=os.environ | self.environment(), **account, **options)

    def run(self, *command: str) -> bool:
        return self.spawn(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).wait() == 0


class Postgres(Server):
    """A cluster that forces its files to disk, whose site is no superuser."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.programs = newest("/usr/lib/postgresql/*/bin/initdb").parent
        self.data = folder / "data"
        options = ("--username=admin", "--auth=trust", "--encoding=UTF8", "--locale=C")
        if not self.run(f"{self.programs}/initdb", "-D", str(self.data), *options):
            raise Failed("initdb")
        self.start()
        self.sql(f"CREATE ROLE {NAME} LOGIN", f"CREATE DATABASE {NAME} OWNER {NAME}")

    @property
    def url(self) -> str:
        return f"postgresql://{NAME}@127.0.0.1:{self.port}/{NAME}"

    def command(self) -> list[str]:
        settings = (
            f"port={self.port}",
            "listen_addresses=127.0.0.1",
            "unix_socket_directories=",
            "max_connections=100",
        )
        return [
            f"{self.programs}/postgres",
            "-D",
            str(self.data),
            *(part for each in settings for part in ("-c", each)),
        ]

    def answers(self) -> bool:
        return self.run(f"{self.programs}/pg_isready", "-q", "-h", "127.0.0.1", "-p", str(self.port), "-d", "postgres")

    def sql(self, *statements: str, database: str = "postgres") -> None:
        for statement in statements:
            address = f"postgresql://admin@127.0.0.1:{self.port}/{database}"
            subprocess.run([f"{self.programs}/psql", "-q", address, "-c", statement], check=True, cwd="/")

    def kill(self) -> None:
        """End the postmaster; its children notice. A new one waits for them, as after a crash of the machine."""
        super().kill()
        (self.data / "postmaster.pid").unlink(missing_ok=True)


class Rabbit(Server):
    """A node of RabbitMQ whose queues are on disk."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.nodes = lasting_port()
        self.epmd_was_there = is_open(4369)
        self.start()

    @property
    def url(self) -> str:
        return f"amqp://guest:guest@127.0.0.1:{self.port}//"

    def environment(self) -> dict[str, str]:
        return {
            "HOME": str(self.folder),
            "PATH": f"{newest('/usr/lib/rabbitmq/bin/rabbitmqctl').parent}:{os.environ['PATH']}",
            "RABBITMQ_NODENAME": f"many-{self.port}@localhost",
            "RABBITMQ_NODE_IP_ADDRESS": "127.0.0.1",
            "RABBITMQ_NODE_PORT": str(self.port),
            "RABBITMQ_DIST_PORT": str(self.nodes),
            "RABBITMQ_MNESIA_BASE": str(self.folder / "mnesia"),
            "RABBITMQ_LOG_BASE": str(self.folder / "log"),
            "RABBITMQ_ENABLED_PLUGINS_FILE": str(self.folder / "plugins"),
            "RABBITMQ_CONF_ENV_FILE": str(self.folder / "none"),
        }

    def command(self) -> list[str]:
        return [f"{newest('/usr/lib/rabbitmq/bin/rabbitmq-server')}"]

    def answers(self) -> bool:
        return is_open(self.port)

    def stop(self) -> None:
        self.kill()
        if not self.epmd_was_there:
            self.run("epmd", "-kill")


class Bucket:
    """An S3-compatible store in a thread. It keeps its objects while it is away, and may be slow."""

    def __init__(self) -> None:
        logging.getLogger("werkzeug").setLevel(logging.ERROR)
        self.port = lasting_port()
        self.delay = 0.0
        self._application = DomainDispatcherApplication(create_backend_app)
        self._server: BaseWSGIServer | None = None
        self.start()
        connection = HTTPConnection("127.0.0.1", self.port)
        connection.request("PUT", f"/{NAME}")
        if connection.getresponse().status != 200:
            raise Failed("the bucket cannot be made")

    def start(self) -> None:
        self._server = make_server("127.0.0.1", self.port, self._answer, threaded=True)
        threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()

    def kill(self) -> None:
        """Refuse connections from now on."""
        if self._server is not None:
            self._server.shutdown()
            self._server.server_close()
            self._server = None

    def restart(self) -> None:
        self.kill()
        self.start()

    def _answer(self, environment: Any, start_response: Any) -> Any:
        time.sleep(self.delay)
        return self._application(environment, start_response)

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def storage(self) -> dict[str, Any]:
        """Return the value of LDPSITE_SHARD_STORAGE."""
        return {
            "BACKEND": "storages.backends.s3.S3Storage",
            "OPTIONS": {
                "bucket_name": NAME,
                "location": "shards",
                "endpoint_url": self.address,
                "region_name": REGION,
                "access_key": KEY,
                "secret_key": KEY,
                "max_memory_size": 1 << 24,
            },
        }

    def objects(self) -> Iterator[tuple[str, bytes]]:
        client = self._client()
        for page in client.get_paginator("list_objects_v2").paginate(Bucket=NAME):
            for each in page.get("Contents", ()):
                yield each["Key"], client.get_object(Bucket=NAME, Key=each["Key"])["Body"].read()

    def put(self, name: str, content: bytes) -> None:
        self._client().put_object(Bucket=NAME, Key=name, Body=content)

    def _client(self) -> Any:
        keys = {"aws_access_key_id": KEY, "aws_secret_access_key": KEY}
        return boto3.client("s3", endpoint_url=self.address, region_name=REGION, **keys)


def newest(pattern: str) -> Path:
    """Return the program of the highest version. Raises `Failed` if there is none."""
    found = sorted(Path("/").glob(pattern.removeprefix("/")), key=lambda path: (len(str(path)), str(path)))
    if not found:
        raise Failed(f"{pattern} is not installed")
    return found[-1]
