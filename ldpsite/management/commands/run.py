"""The whole site on one machine, for one person to try: what `make run` calls."""

import os
import signal
import socket
import time
import urllib.error
import urllib.request
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management import call_command, load_command_class
from django.core.management.base import BaseCommand, CommandError
from django.db import connections
from django.utils.module_loading import import_string

from ldpsite import broker, children
from ldpsite.children import Child
from ldpsite.env import BASE_DIR, env
from ldpsite.watching import Database, Restartable, Watched

HOST = "127.0.0.1"
PATIENCE = 60.0
"""Seconds in which the web server has to answer."""
PERIOD = 0.2
"""Seconds between two looks at what runs."""


class Command(BaseCommand):
    help = "Start database, worker and web server on this machine, with demonstration data, until Ctrl-C."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--port", type=int, default=8000, help="Port of the web server (default: 8000).")

    def handle(self, *args: Any, **options: Any) -> None:
        port: int = options["port"]
        # A shell that starts us in the background has Ctrl-C ignored; a Ctrl-C that is sent anyway is meant.
        signal.signal(signal.SIGINT, signal.default_int_handler)
        require_free(port)
        os.environ.setdefault("LDPSITE_ADDRESS", f"http://{HOST}:{port}")
        training = name_trusted_processes()
        self.say("Preparing the database and the static files …")
        call_command("migrate", interactive=False, verbosity=0)
        call_command("collectstatic", interactive=False, verbosity=0)
        started: list[Child] = []
        try:
            with children.uninterrupted():
                needed = [start_worker(port), start_web(port)]
                started += needed
            login = self.demonstrate()
            with children.uninterrupted():
                demo = start("demo", ["manage", "demo", "--rest"])
                started.append(demo)
            wait_until_ready(port, needed)
            with children.uninterrupted():
                # Last: nothing waits for them, and they take a second of each core.
                trusted = [] if training is None else start_trusted_processes(training)
                started += trusted
            entrance = f"\n  http://{HOST}:{port}/\n  {login}\n"
            self.say(f"{entrance}\nLogs: {settings.DATA_DIR / 'logs'}. Ctrl-C stops it.\n")
            cannot_miss: list[Restartable] = [*needed, *held_database()]
            watched = [Watched(each, self.say) for each in cannot_miss]
            watched += [Watched(each, self.say, is_needed=False) for each in trusted]
            self.watch(watched, demo, entrance)
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
        """Define the demo's first use cases; return how to sign in. By call_command it would be printed at once."""
        command = load_command_class("reports", "demo")
        command.stdout = self.stdout
        options = vars(command.create_parser("manage.py", "demo").parse_args(["--first"]))
        login = command.handle(**options) or ""
        connections.close_all()  # the database may be another when it is next asked
        return login

    def watch(self, watched: list[Watched], demo: Child, entrance: str) -> None:
        """Keep the site alive, and pass on what the demo says until it ends, whose end is not that of the site."""
        follows, restarts = True, 0
        while True:
            for each in watched:
                each.look()
            # A demo that failed while something was away is judged when that is back.
            if follows and not any(each.is_away for each in watched) and not self.follow(demo):
                before, restarts = restarts, sum(each.restarts for each in watched)
                if not demo.process.returncode:
                    self.say(entrance)  # it has scrolled away
                elif restarts > before:
                    self.say(f"The {demo.name} process ended, too, and goes on now.")
                    demo.start_again()
                    continue
                else:
                    self.say(
                        f"The {demo.name} process ended with {demo.process.returncode}; what it said is above, and in"
                        f" {demo.log}. The site goes on without. The next start completes what is missing."
                    )
                follows = False
            time.sleep(PERIOD)

    def follow(self, child: Child) -> bool:
        """Pass on what a child prints; return whether it goes on."""
        dead = child.is_dead  # looked at first, so that its last words are read
        for line in child.news():
            self.say(line)
        return not dead


def held_database() -> list[Database]:
    """Return the embedded database, unless DATABASE_URL names another that is not ours to watch."""
    return [] if env("DATABASE_URL") else [Database(settings.DATA_DIR)]


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
    environment = os.environ | {"LDPSITE_LOCAL_HTTP": "1", "LDPSITE_DEMO": "1", "PYTHONUNBUFFERED": "1"}
    return children.start(name, command, logs=settings.DATA_DIR / "logs", environment=environment, folder=BASE_DIR)


def name_trusted_processes() -> Path | None:
    """Tell the site where the trusted processes of training will be, unless it knows others; return their folder."""
    if env("LDPSITE_TRAINING_AGGREGATOR"):
        return None
    folder: Path = settings.LDPSITE_TRAINING_DIR
    for role in ("aggregator", "distributor"):
        os.environ[f"LDPSITE_TRAINING_{role.upper()}"] = f"unix:{folder / f'{role}.socket'}"
    return folder


def start_trusted_processes(folder: Path) -> list[Child]:
    """Start both with nothing of the site's. Of the same user as the site, they are not safe from it."""
    programs = import_string(settings.LDPSITE_TRUSTED_PROGRAMS)(folder)
    logs = settings.DATA_DIR / "logs"
    return [
        children.start(name, command, logs=logs, environment=environment, folder=BASE_DIR)
        for name, command, environment in programs
    ]


def require_alive(started: list[Child]) -> None:
    for child in started:
        if child.is_dead:
            raise CommandError(f"The {child.name} process ended. {child.log} ends with:\n{children.tail(child.log)}")


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
