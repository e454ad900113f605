"""`make run`'s command: what it says of its children, and what it makes of their ends."""

import os
import re
import socket
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from ldpsite import children
from ldpsite.management.commands import run
from ldpsite.watching import Watched
from tests.ldpsite.fragile import Fragile

pytestmark = pytest.mark.exact


def start(name: str, command: list[str], folder: Path) -> children.Child:
    return children.start(name, command, logs=folder, environment=os.environ, folder=folder)


def test_a_dead_child_is_reported_with_its_last_words(tmp_path: Path) -> None:
    child = start("web", ["timeit", "raise SystemExit('port on fire')"], tmp_path)
    child.process.wait()
    with pytest.raises(CommandError, match=r"The web process ended(.|\n)*port on fire"):
        run.require_alive([child])


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


def test_what_the_demo_prints_is_passed_on_and_then_the_entrance_again(tmp_path: Path) -> None:
    demo = start("demo", ["timeit", "-n1", "-r1", "-s", "print('one'); print('two')"], tmp_path)
    said = Told(until="the entrance").watch_until_interrupted([], demo)
    assert re.fullmatch(r"one\ntwo\n1 loop.*\nthe entrance\n", said)


def test_a_demo_that_fails_is_no_end_of_the_site(tmp_path: Path) -> None:
    demo = start("demo", ["timeit", "raise SystemExit('no disk left')"], tmp_path)
    said = Told(until="The site goes on").watch_until_interrupted([], demo)
    assert re.search(r"no disk left\nThe demo process ended with 1; .*demo.log\. The site goes on", said), said


def test_a_demo_that_fails_because_the_database_died_goes_on(tmp_path: Path) -> None:
    demo = start("demo", ["timeit", "raise SystemExit('no database')"], tmp_path)
    demo.process.wait()
    command = Told(until="The site goes on")
    said = command.watch_until_interrupted([Watched(Fragile(tmp_path, "database", is_dead=True), command.say)], demo)
    assert re.search(r"The database process ended(.|\n)*no database\nThe demo process ended, too, and goes on", said)
    assert said.count("SystemExit: no database") == 2, "once more, and then no more"


def test_a_taken_port_is_said_clearly() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(CommandError, match=rf"Port {port} cannot be used \(.+\)\..* make run PORT=8001"):
            call_command("run", port=port)
