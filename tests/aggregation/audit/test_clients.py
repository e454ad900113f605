"""Clients as programs: what they are asked, and what is said when they fail."""

import itertools
import sys
from pathlib import Path

import pytest

from aggregation.audit import Client, ClientError, Device, browser_client, python_client
from aggregation.mechanisms import Mechanism, SubsetSelection
from tests.aggregation.audit.broken import SCRIPT
from tests.aggregation.helpers import count_mean, fragment_puzzle, hadamard_count_mean, local_hashing, sampled_puzzle

pytestmark = pytest.mark.exact

ANY = count_mean("4", 8, 16)
CLIENTS = [pytest.param(python_client, id="python"), pytest.param(lambda: browser_client(SCRIPT), id="browser")]


MECHANISMS: list[tuple[Mechanism, str]] = [
    (count_mean("4", 8, 16), "❤"),
    (hadamard_count_mean("0.5", 8, 16), "a.example"),
    (fragment_puzzle("2", "6"), "été_"),
    (local_hashing("4", 8, 56), "❤"),
    (SubsetSelection.of(2, ["é", "a", "\U0001f600", "\uffee"], 2), "\U0001f600"),
    (SubsetSelection.of(2, ["é", "a"], other=True), "\uffee"),
    (sampled_puzzle("4"), "été_"),
]


@pytest.mark.parametrize("client", CLIENTS)
def test_a_client_sends_as_many_records_of_any_mechanism_as_it_is_asked_for(client) -> None:  # type: ignore[no-untyped-def]
    with Device(client()) as device:
        for (mechanism, element), runs in itertools.product(MECHANISMS, (1, 300, 2)):
            lines = device.records(mechanism, element, runs)
            assert len(lines) == runs
            assert mechanism.parse_records(lines).rejected == [], (mechanism.algorithm, element)


def test_a_client_that_stops_is_quoted() -> None:
    program = "import sys; input(); print('1,ff'); sys.exit('no more ink')"
    with Device(Client("python", (sys.executable, "-c", program))) as device:
        with pytest.raises(
            ClientError, match=r"python client stopped before it had sent all reports(?s:.*)no more ink"
        ):
            device.records(ANY, "d", 2)


def test_half_a_line_is_no_record() -> None:
    with Device(Client("python", (sys.executable, "-c", "input(); print('1,f', end='')"))) as device:
        with pytest.raises(ClientError, match="stopped"):
            device.records(ANY, "d", 1)


def test_a_program_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(ClientError, match="nothing"), Device(Client("browser", (str(tmp_path / "nothing"),))):
        pass


def test_without_node_it_is_said_what_to_install(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(ClientError, match=r"apt-get install nodejs\), or .* --client python"):
        browser_client(SCRIPT)
