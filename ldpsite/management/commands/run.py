"""The whole site on one machine, for one person to try: what `make run` calls."""

import os
import signal
import socket
import time
import urllib.error
import urllib.request
from argparse import ArgumentParser
from typing import Any

from django.conf import settings
from django.core.management import call_command, load_command_class
from django.core.management.base import BaseCommand, CommandError

from ldpsite import broker, children
from ldpsite.children import Child
from ldpsite.env import BASE_DIR

HOST = "127.0.0.1"
PATIENCE = 60.0
"""Seconds in which the web server has to answer."""


class Command(BaseCommand):
    help = "Start database, worker and web server on this machine, with demonstration data, until Ctrl-C."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--port", type=int, default=8000, help="Port of the web server (default: 8000).")

    def handle(self, *args: Any, **options: Any) -> None:
        port: int = options["port"]
        # A shell that starts us in the background has Ctrl-C ignored; whoever sends it anyway means it.
        signal.signal(signal.SIGINT, signal.default_int_handler)
        require_free(port)
        os.environ.setdefault("LDPSITE_ADDRESS", f"http://{HOST}:{port}")
        self.say("Preparing the database and the static files …")
        call_command("migrate", interactive=False, verbosity=0)
        call_command("collectstatic", interactive=False, verbosity=0)
        started: list[Child] = []
        try:
            with children.uninterrupted():
                started += [start_worker(port), start_web(port)]
            login = self.demonstrate()
            wait_until_ready(port, started)
            entrance = f"\n  http://{HOST}:{port}/\n  {login}\n"
            self.say(f"{entrance}\nLogs: {settings.DATA_DIR / 'logs'}. Ctrl-C stops it.\n")
            needed = [*started]
            with children.uninterrupted():
                behind = start("demo", ["manage", "demo", "--rest"])
                started.append(behind)
            follows = True
            while True:
                require_alive(needed)
                if follows and not self.follow(behind):
                    follows = False
                    if behind.process.returncode == 0:
                        self.say(entrance)  # it has scrolled away
                time.sleep(0.2)
        except KeyboardInterrupt:
            self.say("\nStopping …")
        finally:
            # From here on nothing interrupts: a second Ctrl-C would leave half of it running.
            for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
                signal.signal(number, signal.SIG_IGN)
            children.stop(started)

    def say(self, text: str) -> None:
        self.stdout.write(text)
        self.stdout.flush()

    def demonstrate(self) -> str:
        """Make the first chart; return how to sign in. Not by call_command, which prints what a command returns."""
        command = load_command_class("reports", "demo")
        command.stdout = self.stdout
        options = vars(command.create_parser("manage.py", "demo").parse_args(["--first"]))
        return command.handle(**options) or ""

    def follow(self, child: Child) -> bool:
        """Pass on what a child prints; return whether it goes on. Its end is not that of the site."""
        dead = child.is_dead  # looked at first, so that its last words are read
        for line in child.news():
            self.say(line)
        if dead and child.process.returncode:
            self.say(
                f"The {child.name} process ended with {child.process.returncode}; what it said is above, and in"
                f" {child.log}. The site goes on without. The next start completes what is missing."
            )
        return not dead


def require_free(port: int) -> None:
    with socket.socket() as probe:
        # As the web server does: a port whose last connections are still closing is free.
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((HOST, port))
        except (OSError, OverflowError) as error:
            reason = getattr(error, "strerror", None) or str(error)
            raise CommandError(f"Port {port} cannot be used ({reason}). Choose another: make run PORT=8001") from error


def start_worker(port: int) -> Child:
    command = ["celery", "-A", "ldpsite", "worker", "--loglevel", "INFO", "--concurrency", "2", "--beat"]
    command += broker.WORKER_OPTIONS
    # One schedule per site on this machine: two beats do not share the file.
    command += ["--schedule", str(settings.DATA_DIR / f"beat-schedule-{port}")]
    return start("worker", command)


def start_web(port: int) -> Child:
    command = ["gunicorn", "-c", "python:ldpsite.gunicorn_config", "--bind", f"{HOST}:{port}"]
    return start("web", [*command, "--graceful-timeout", "1"])


def start(name: str, command: list[str]) -> Child:
    environment = os.environ | {"LDPSITE_LOCAL_HTTP": "1", "PYTHONUNBUFFERED": "1"}
    return children.start(name, command, logs=settings.DATA_DIR / "logs", environment=environment, folder=BASE_DIR)


def require_alive(started: list[Child]) -> None:
    for child in started:
        if child.is_dead:
            raise CommandError(f"The {child.name} process ended. {child.log} ends with:\n{child.log_tail()}")


def wait_until_ready(port: int, started: list[Child]) -> None:
    # Straight to the port: a proxy of the environment does not know this machine's.
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        require_alive(started)
        try:
            with opener.open(f"http://{HOST}:{port}/healthz", timeout=5):
                return
        except urllib.error.HTTPError as error:
            problem = f"/healthz answers {error.code}"
        except OSError as error:
            problem = str(error)
        time.sleep(0.05)
    raise CommandError(f"The web server does not become ready ({problem}); see {started[-1].log}.")
