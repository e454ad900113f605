"""Attacks by an administrator who relays all messages, opens rounds and hands out parameters: each door is closed."""

import ast
import json
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from aggregation.training import Examples, Shape, algorithm_for
from aggregation.training.roles import (
    Catalogue,
    Device,
    Distributor,
    Refusal,
    Refused,
    RoleError,
    Statements,
    code_hash,
    device_file,
    taking_part,
    verified,
    works,
)
from aggregation.training.roles.device_file import InMemory
from aggregation.training.roles.frames import pack_arrays
from aggregation.training.roles.sealing import Binding, SealingKey, seal
from aggregation.training.roles.statement import Statement, canonical, sign, task_digest
from tests.aggregation.training.conftest import task_of
from tests.aggregation.training.roles.helpers import SHARED, Bench, examples_of
from tests.aggregation.training.roles.noiseless import work_for
from tests.aggregation.training.roles.tiny import CATALOGUE, TASK, TinyWork, people_in

pytestmark = pytest.mark.exact


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


def said(bench: Bench, statements: Statements) -> Statement:
    return verified(statements.aggregator, bench.configuration().aggregator)


def refuses(bench: Bench, device: Device, statements: Statements, why: str) -> None:
    """A device refuses, and nothing has left it, not even a request for rows."""

    def ask(message: bytes) -> bytes:
        pytest.fail("a request has left the device")

    with pytest.raises(RoleError, match=why):
        device.take_part(statements.aggregator, statements.distributor, ask)


def test_another_key_is_put_into_the_statement(bench: Bench) -> None:
    statements = bench.rounds.open(1, SHARED)
    own = SealingKey()
    forged = replace(said(bench, statements), key=own.public.hex())
    by_another = sign(forged, Ed25519PrivateKey.generate())
    with_the_old_signature = statements.aggregator[:64] + canonical(asdict(forged))
    of_the_distributor = sign(forged, bench.keys["distributor"])
    for signed in (by_another, with_the_old_signature, of_the_distributor, b"", statements.distributor):
        refuses(bench, bench.device(), replace(statements, aggregator=signed), "not signed by the key")
    for signed in (by_another, statements.aggregator):
        refuses(bench, bench.device(), replace(statements, distributor=signed), "not signed by the key")


def test_one_process_cannot_stand_for_the_other(bench: Bench) -> None:
    """An owner may have trusted one key for both."""
    statements = bench.rounds.open(1, SHARED)
    key = bench.configuration().aggregator
    device = bench.device(distributor=key)
    refuses(bench, device, replace(statements, distributor=statements.aggregator), "is of the aggregator")


@pytest.mark.parametrize(
    "changes",
    [{"report_goal": 1}, {"noise": 1e-9}, {"rounds": 1000}, {"minimum_separation": 2}, {"sampling_rate": 0.5}],
)
def test_a_task_of_the_same_slug_has_other_parameters(tmp_path: Path, changes: dict[str, Any]) -> None:
    bench = Bench(tmp_path)
    rounds = bench.rounds_of(TASK | {"report_goal": 10} | changes)
    if "report_goal" in changes:
        with pytest.raises(RoleError, match="below 10 is not served"):
            rounds.open(1, SHARED)
        rounds = bench.rounds_of(TASK | {"report_goal": 11})
    refuses(bench, bench.device(), rounds.open(1, SHARED), "other parameters than this device agreed to")


@pytest.mark.parametrize(
    "changes", [{"rounds": 6.0}, {"report_goal": 10.0}, {"sampling_rate": 1}, {"sampling_rate": True}]
)
def test_equal_numbers_that_are_written_otherwise_are_no_second_task(bench: Bench, changes: dict[str, Any]) -> None:
    """It would have rounds of its own, in each of which a device would take part once more."""
    assert TASK | changes == TASK
    device = bench.device()
    bench.sealed(device, bench.rounds.open(1, SHARED))
    refuses(bench, device, bench.rounds_of(TASK | changes).open(1, SHARED), "other parameters")


def test_a_catalogue_of_few_items_is_another_task(bench: Bench) -> None:
    rounds = bench.rounds_of(TASK, Catalogue(3))
    refuses(bench, bench.device(), rounds.open(1, SHARED), "other parameters")


def test_other_code_is_not_trusted(bench: Bench) -> None:
    statements = bench.rounds.open(1, SHARED)
    refuses(bench, bench.device(code="0" * 64), statements, "runs other code")
    assert len(code_hash()) == 64


def test_a_round_is_opened_again_for_the_same_devices(bench: Bench) -> None:
    device = bench.device()
    bench.rounds.relay([bench.sealed(device, bench.rounds.open(1, SHARED))])
    again = bench.rounds.open(1, SHARED)
    refuses(bench, device, again, "not after round 1, which this device has seen")


def test_the_number_of_the_round_is_set_back(bench: Bench) -> None:
    first = bench.rounds.open(1, SHARED)
    message = bench.sealed(bench.device(2), first)
    device = bench.device()
    bench.sealed(device, bench.rounds.open(3, SHARED))
    refuses(bench, device, first, "not after round 3")
    # Messages sealed under the old statement are sealed to a key that is gone.
    assert bench.rounds.relay([message]) == {Refusal.ROUND.value: 1}


def test_a_device_that_was_not_drawn_is_not_drawn_again(tmp_path: Path) -> None:
    """Rounds count that it has seen, or a round repeated would be a larger sampling rate."""
    bench = Bench(tmp_path, sampling_rate=1e-12)
    device = bench.device()
    statements = bench.rounds.open(1, SHARED)
    bench.sealed(device, statements)
    refuses(bench, device, statements, "has seen")


def test_a_device_is_set_back_to_an_older_state(bench: Bench) -> None:
    statements = bench.rounds.open(1, SHARED)
    remembered = InMemory()
    with remembered.changing() as state:
        state["secret"] = "5a" * 32
    backup = dict(remembered.content)
    messages = []
    for _ in range(2):
        remembered.content = dict(backup)
        device = Device(bench.configuration(), remembered, examples_of(1), TinyWork)
        messages.append(bench.sealed(device, statements))
    assert messages[0] != messages[1]
    bench.rounds.relay([*messages, *bench.many(statements, 12)])
    released = bench.rounds.release(1)
    assert (people_in(released), released.refused) == (13, {Refusal.DOUBLE.value: 1})


def test_a_device_reads_no_clock_that_could_be_set() -> None:
    for module in (taking_part, device_file):
        tree = ast.parse(Path(str(module.__file__)).read_text("utf-8"))
        names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
        assert not names & {"time", "datetime", "monotonic"}


@pytest.mark.parametrize("own", [1, 3])
def test_rounds_closer_than_the_separation_get_what_does_not_count(tmp_path: Path, own: int) -> None:
    """The task's separation, or the device's own if that is larger; the aggregator alone can tell."""
    bench = Bench(tmp_path, minimum_separation=2)
    device = bench.device(minimum_separation=own)
    took_part = []
    for number in (1, 2, 3, 4, 5, 6):
        statements = bench.rounds.open(number, SHARED)
        message = bench.sealed(device, statements)
        others = list(bench.many(statements, 20))
        assert {len(each) for each in (message, *others)} == {len(message)}
        assert not bench.rounds.relay([message, *others])
        released = bench.rounds.release(number)
        took_part.append(people_in(released) == 21)
        assert not released.refused
    assert took_part == [(number % max(own, 2)) == 1 for number in (1, 2, 3, 4, 5, 6)]


def test_who_is_drawn_is_hidden(tmp_path: Path) -> None:
    # 200 draws with a chance of one half: 65 and fewer, or 135 and more, come by less than alpha = 1e-6.
    bench = Bench(tmp_path, sampling_rate=0.5, report_goal=50)
    statements = bench.rounds.open(1, SHARED)
    requests: list[bytes] = []

    def ask(message: bytes) -> bytes:
        requests.append(message)
        return bench.distributor.rows(message)

    devices = map(bench.device, range(200))
    messages = [device.take_part(statements.aggregator, statements.distributor, ask) for device in devices]
    assert len({len(message) for message in messages}) == len({len(request) for request in requests}) == 1
    assert len(requests) == 200
    assert not bench.rounds.relay(messages)
    assert 65 < people_in(bench.rounds.release(1)) < 135


@pytest.mark.parametrize("changes", [{"sampling_rate": 0.5}, {"minimum_separation": 2}])
def test_the_goal_tells_nobody_who_counts(tmp_path: Path, changes: dict[str, Any]) -> None:
    """An administrator fills it up, but for one, with contributions of their own, relays one device's, and asks."""
    released = []
    for is_drawn in (True, False):
        folder = tmp_path / str(is_drawn)
        folder.mkdir()
        bench = Bench(folder, **changes)
        statements = bench.rounds.open(1, SHARED)

        def message(number: int, *, counts: bool, bench: Bench = bench, statements: Statements = statements) -> bytes:
            device = Device(
                bench.configuration(), InMemory(), examples_of(number), TinyWork, takes_part=lambda *_: counts
            )
            return bench.sealed(device, statements)

        bench.rounds.relay([message(number, counts=True) for number in range(9)])
        bench.rounds.relay([message(10, counts=is_drawn)])
        for own in range(11, 40):
            try:
                bench.rounds.release(1)
                released.append(own)
                break
            except RoleError:
                bench.rounds.relay([message(own, counts=False)])
    assert len(released) == 2
    assert released[0] == released[1]


def test_messages_are_relayed_again_later_and_elsewhere(bench: Bench) -> None:
    statements = bench.rounds.open(1, SHARED)
    messages = list(bench.many(statements, 12))
    bench.rounds.relay([*messages, *messages])
    assert bench.rounds.release(1).refused == {Refusal.DOUBLE.value: 12}
    other = bench.rounds_of(TASK | {"slug": "other"})
    other.open(1, SHARED)
    again = bench.rounds.open(2, SHARED)
    assert bench.rounds.relay(messages) == {Refusal.ROUND.value: 12}
    # The part that is in the clear is changed to what is open: it is part of the key.
    header = len(Binding("aggregator", b"\0" * 32, 1).header(b""))
    open_now = bench.sealed(bench.device(20), again)[:header]
    bench.rounds.relay([open_now + message[header:] for message in messages])
    bench.rounds.relay(bench.many(again, 12))
    assert bench.rounds.release(2).refused == {Refusal.ROUND.value: 12, Refusal.UNOPENABLE.value: 12}


def test_one_device_alone_among_an_administrators_own(bench: Bench) -> None:
    """A goal cannot keep out fakes. That one person is hidden by the noise, as ε says; no count tells of them."""
    statements = bench.rounds.open(1, SHARED)
    bench.rounds.relay(bench.many(statements, 12))
    released = bench.rounds.release(1)
    # The tiny task alone has such a release, without noise: real ones release sums only.
    assert [each.name for each in released.releases] == ["sum", "people"]
    assert set(vars(released)) == {"releases", "refused"}


class Films:
    """A device of a real task, and parameters that are chosen against it."""

    def __init__(self) -> None:
        self.task = task_of(report_goal=10)
        self.items = 40
        self.key = Ed25519PrivateKey.generate()
        self.distributor = Distributor(self.key, work_for)
        self.work = work_for(self.task.to_mapping(), Catalogue(self.items), "train")
        self.shared = algorithm_for(self.task).initial(self.task, Shape(self.items), np.random.default_rng(1))
        self.shared = {name: self.shared[name] for name in ("items", "item_means", "item_weights", "item_gramian")}

    def open(self, shared: dict[str, Any]) -> None:
        head = {"task": self.task.to_mapping(), "catalogue": {"items": self.items, "features": 0}}
        self.distributor.open(
            pack_arrays(head | {"purpose": "train", "round": 1, "names": list(shared)}, shared.values())
        )


@pytest.mark.parametrize("value", [np.nan, np.inf, 1e38, -1e38, 1e-38, 0.0])
def test_parameters_are_chosen_so_that_those_who_have_one_item_betray_it(value: float) -> None:
    """A refusal, silence or an error would betray them. All are counted alike instead."""
    films = Films()
    shared = {name: array.copy() for name, array in films.shared.items()}
    shared["items"][7] = value
    if not np.isfinite(value):
        with pytest.raises(RoleError, match="finite"):
            films.open(shared)
    for mine in ([3, 7, 9], [3, 9], [7], []):
        examples = Examples(np.array(mine, np.int32), np.full(len(mine), 4, np.float32))
        broadcast = films.work.broadcast(shared, np.array([*mine, -1, -1]))
        items, numbers = films.work.contribution(broadcast, examples)
        content = films.work.layout.pack([b"t" * 16], items, numbers, counts=True)
        assert len(content) == films.work.layout.length
        films.work.checked(*films.work.layout.unpack(content)[2:])


@pytest.mark.parametrize("change", ["fewer rows", "no rows", "another name", "integers"])
def test_parameters_of_another_form_would_answer_some_devices_only(change: str) -> None:
    films = Films()
    shared = dict(films.shared)
    if change == "fewer rows":
        shared["items"] = shared["items"][:7]
    elif change == "no rows":
        del shared["items"]
    elif change == "another name":
        shared["others"] = shared["items"]
    else:
        shared["item_weights"] = np.ones(films.items, np.int32)
    with pytest.raises(RoleError, match="Shared parameters"):
        films.open(shared)
    films.open(films.shared)


def test_items_that_are_not_in_the_catalogue_stay_on_the_device(bench: Bench) -> None:
    """They would be refused by the distributor, and so be told."""
    statements = bench.rounds.open(1, SHARED)
    examples = Examples(np.array([2, 39, 40, 1000], np.int32), np.full(4, 0.1, np.float32))
    device = Device(bench.configuration(), InMemory(), examples, TinyWork)
    bench.rounds.relay([bench.sealed(device, statements), *bench.many(statements, 10)])
    assert not bench.rounds.release(1).refused


def test_a_noiseless_task_is_not_to_be_had() -> None:
    """The aggregator's noise is its plan's, and a plan over its target is refused."""
    for changes, why in (
        ({"noise_multiplier": 0.01}, "more than its target"),
        ({"noise_multiplier": 0}, "noise_multiplier"),
        ({"target_epsilon": 50}, "target_epsilon"),
        ({"delta": 0.01}, "delta"),
        ({"noise": "off"}, "no field"),
    ):
        with pytest.raises(RoleError, match=why):
            works.work_for(task_of().to_mapping() | changes, Catalogue(40), "train").noise(1)


def test_rows_and_contributions_are_sealed_under_different_purposes(bench: Bench) -> None:
    statements = bench.rounds.open(1, SHARED)
    digest = task_digest(TASK, CATALOGUE.to_mapping(), "train")
    key = bytes.fromhex(verified(statements.distributor, bench.configuration().distributor).key)
    length = 32 + 4 * TinyWork(TASK, CATALOGUE, "train").most_rows
    with pytest.raises(Refused, match=Refusal.UNOPENABLE.value):
        bench.distributor.rows(seal(bytes(length), key, Binding("aggregator", digest, 1)))
    with pytest.raises(Refused, match=Refusal.LENGTH.value):
        bench.distributor.rows(seal(bytes(length + 1), key, Binding("distributor", digest, 1)))
    for message in (b"", b"x" * 2000):
        with pytest.raises(RoleError, match="no open round"):
            bench.distributor.rows(message)


def test_an_answer_that_was_changed_is_refused(bench: Bench) -> None:
    """A relay cannot put other rows in."""
    statements = bench.rounds.open(1, SHARED)

    def changed(message: bytes) -> bytes:
        answer = bytearray(bench.distributor.rows(message))
        answer[-1] ^= 1
        return bytes(answer)

    with pytest.raises(RoleError, match="not the distributor's"):
        bench.device().take_part(statements.aggregator, statements.distributor, changed)


def test_no_error_repeats_what_was_sent(bench: Bench) -> None:
    for answer in (bench.aggregator.open, bench.aggregator.release, bench.distributor.open, bench.distributor.rows):
        with pytest.raises(RoleError, match=r"^(?!.*secret)"):
            answer(json.dumps({"task": "secret"}).encode())
