"""The aggregator counts, refuses with a reason, and lets a sum out once."""

from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from aggregation.training.roles import OpenedRounds, Refusal, RoleError, Statements, task_digest, verified
from aggregation.training.roles.sealing import OVERHEAD, Binding, SealingKey, seal
from tests.aggregation.training.roles.helpers import SHARED, Bench, examples_of
from tests.aggregation.training.roles.tiny import CATALOGUE, MOST, TASK, TinyWork, people_in

pytestmark = pytest.mark.exact

WORK = TinyWork(TASK, CATALOGUE, "train")
ITEMS = CATALOGUE.items


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


def sealed_by_hand(
    bench: Bench,
    statements: Statements,
    *,
    items: Any = (1, 2),
    vector: Any = (0.5,) * 4,
    token: bytes = b"t" * 16,
    task: bytes = task_digest(TASK, CATALOGUE.to_mapping(), "train"),
    number: int = 1,
    purpose: str = "aggregator",
    public: bytes = b"",
    content: bytes | None = None,
) -> bytes:
    """A contribution that no honest device makes."""
    said = verified(statements.aggregator, bench.configuration().aggregator)
    if content is None:
        padded, numbers = np.full(MOST, -1), np.zeros(2 * MOST)
        padded[: len(items)], numbers[: len(vector)] = items, vector
        content = WORK.layout.pack([token], padded, numbers, counts=True)
    return seal(content, public or bytes.fromhex(said.key), Binding(purpose, task, number))


def test_sum_is_that_of_all_contributions(bench: Bench) -> None:
    statements = bench.rounds.open(1, SHARED)
    assert not bench.rounds.relay(bench.many(statements, 25))
    released = bench.rounds.release(1)
    expected = WORK.empty()
    for number in range(25):
        examples = examples_of(number)
        rows = WORK.broadcast(SHARED, examples.items)
        WORK.add(expected, WORK.checked(*WORK.contribution(rows, examples)))
    release = released.releases[0]
    np.testing.assert_allclose(release.array, expected["sum"], atol=1e-6)
    assert (release.name, release.round, people_in(released), released.refused) == ("sum", 1, 25, {})


REFUSED: list[tuple[dict[str, Any], Refusal]] = [
    ({"vector": (np.nan,) * 4}, Refusal.NOT_FINITE),
    ({"vector": (np.inf, 0, 0, 0)}, Refusal.NOT_FINITE),
    ({"vector": (1e30,) * 4}, Refusal.NORM),
    ({"vector": (1.01,) * 4}, Refusal.NORM),
    ({"items": (1, ITEMS)}, Refusal.ITEMS),
    ({"items": (-2, 1)}, Refusal.ITEMS),
    ({"items": (1, 1)}, Refusal.ITEMS),
    ({"items": (-1, 1)}, Refusal.ITEMS),
    ({"purpose": "distributor"}, Refusal.UNOPENABLE),
    ({"task": task_digest(TASK | {"report_goal": 1}, CATALOGUE.to_mapping(), "train")}, Refusal.TASK),
    ({"task": task_digest(TASK, CATALOGUE.to_mapping(), "evaluate")}, Refusal.TASK),
    ({"number": 2}, Refusal.ROUND),
    ({"public": SealingKey().public}, Refusal.KEY),
    ({"content": bytes(WORK.layout.length + 1)}, Refusal.LENGTH),
    ({"content": bytes(WORK.layout.length - 1)}, Refusal.LENGTH),
    ({"content": b""}, Refusal.LENGTH),
]


def test_contributions_are_refused_with_a_reason_and_counted(bench: Bench) -> None:
    statements = bench.rounds.open(1, SHARED)
    honest = list(bench.many(statements, 12))
    by_hand = [sealed_by_hand(bench, statements, **changes) for changes, _refusal in REFUSED]
    outside = bench.rounds.relay([*honest[:6], *by_hand, *honest[6:]])
    released = bench.rounds.release(1)
    assert people_in(released) == 12
    expected = Counter(refusal.value for _changes, refusal in REFUSED)
    # Messages of no round are told at once, and not again.
    assert outside[Refusal.TASK.value] == expected.pop(Refusal.TASK.value)
    assert released.refused == expected
    assert np.isfinite(released.releases[0].array).all()


def test_what_no_role_made_is_refused(bench: Bench) -> None:
    statements = bench.rounds.open(1, SHARED)
    message = bytearray(bench.sealed(bench.device(), statements))
    message[-1] ^= 1
    garbage = [b"", b"x", bytes(OVERHEAD), bytes(len(message)), bytes(2**20), bytes(message)]
    assert bench.rounds.relay(garbage) == {Refusal.LENGTH.value: 2, Refusal.TASK.value: 3}
    bench.rounds.relay(bench.many(statements, 10))
    assert bench.rounds.release(1).refused == {Refusal.UNOPENABLE.value: 1}


def test_inner_reasons_are_told_with_the_release_only(bench: Bench) -> None:
    """The answer to a relayed message says nothing of what is in it."""
    statements = bench.rounds.open(1, SHARED)
    doubled = bench.sealed(bench.device(), statements)
    too_large = sealed_by_hand(bench, statements, vector=(9.0,) * 4)
    answers = {
        bench.aggregator.add(len(message).to_bytes(8, "big") + message) for message in (doubled, doubled, too_large)
    }
    assert answers == {b'{"received": 1, "refused": {}}'}
    bench.rounds.relay(bench.many(statements, 10))
    assert bench.rounds.release(1).refused == {Refusal.DOUBLE.value: 1, Refusal.NORM.value: 1}


def test_nothing_is_released_below_the_goal(bench: Bench) -> None:
    statements = bench.rounds.open(1, SHARED)
    messages = list(bench.many(statements, 10))
    bench.rounds.relay(messages[:9] * 2)
    with pytest.raises(RoleError, match="Below the report goal"):
        bench.rounds.release(1)
    bench.rounds.relay(messages[9:])
    assert people_in(bench.rounds.release(1)) == 10


def test_a_round_takes_twice_what_it_waits_for_and_the_last_one_keeps_no_token(tmp_path: Path) -> None:
    bench = Bench(tmp_path, minimum_separation=2)
    statements = bench.rounds.open(WORK.rounds, SHARED)
    messages = list(bench.many(statements, 85))
    assert bench.rounds.relay(messages) == {Refusal.FULL.value: 5}
    released = bench.rounds.release(WORK.rounds)
    assert (people_in(released), released.refused) == (80, {Refusal.FULL.value: 5})
    assert bench.rounds.relay(messages[:1]) == {Refusal.LATE.value: 1}
    assert [spent._spent for spent in bench.aggregator._spent.values()] == [{}]


def test_a_round_is_released_once(tmp_path: Path) -> None:
    bench = Bench(tmp_path, noise=1.0)
    statements = bench.rounds.open(1, SHARED)
    bench.rounds.relay(bench.many(statements, 12))
    first = bench.rounds.release(1)
    late = bench.sealed(bench.device(30), statements)
    assert bench.rounds.relay([late]) == {Refusal.LATE.value: 1}
    again = bench.rounds.release(1)
    # No second draw of the noise, which two releases would average away.
    np.testing.assert_array_equal(again.releases[0].array, first.releases[0].array)
    assert people_in(again) == people_in(first)
    with pytest.raises(RoleError, match="Round 1 of this task is over"):
        bench.rounds.open(1, SHARED)


def test_an_open_round_goes_on_when_the_server_opens_it_again(bench: Bench) -> None:
    statements = bench.rounds.open(1, SHARED)
    bench.rounds.relay(bench.many(statements, 7))
    assert bench.rounds.open(1, SHARED) == statements
    bench.rounds.relay(bench.sealed(bench.device(number), statements) for number in range(7, 12))
    assert people_in(bench.rounds.release(1)) == 12


def test_a_killed_aggregator_loses_its_round_and_nothing_else(bench: Bench) -> None:
    statements = bench.rounds.open(1, SHARED)
    bench.rounds.relay(bench.many(statements, 12))
    bench.rounds.release(1)
    lost = bench.rounds.open(2, SHARED)
    messages = list(bench.many(lost, 12))
    bench.rounds.relay(messages[:11])
    bench.start()
    with pytest.raises(RoleError, match="not open"):
        bench.rounds.release(2)
    for number in (1, 2):
        with pytest.raises(RoleError, match="is over"):
            bench.rounds.open(number, SHARED)
    statements = bench.rounds.open(3, SHARED)
    # Messages relayed before are closed for good: their key was in memory alone.
    assert bench.rounds.relay(messages) == {Refusal.ROUND.value: 12}
    bench.rounds.relay(bench.many(statements, 12))
    assert people_in(bench.rounds.release(3)) == 12


def test_two_processes_do_not_share_a_folder(bench: Bench) -> None:
    with pytest.raises(RoleError, match="Another process is at work"):
        OpenedRounds(bench.folder / "opened-rounds")


def test_a_line_that_was_cut_off_is_of_no_round(bench: Bench) -> None:
    bench.rounds.open(1, SHARED)
    path = bench.folder / "opened-rounds"
    path.write_bytes(path.read_bytes() + b'{"task": "00')
    bench.start()
    bench.rounds.open(2, SHARED)
    assert path.read_bytes().count(b"\n") == 2


@pytest.mark.parametrize("number", [0, -1, 7])
def test_only_rounds_of_the_task_are_opened(bench: Bench, number: int) -> None:
    with pytest.raises(RoleError, match="has rounds 1 to 6"):
        bench.rounds.open(number, SHARED)


@pytest.mark.parametrize(
    "body", [b"", b"{}", b"[]", b'{"task": 1}', b'{"task": {}, "catalogue": {}, "purpose": "", "round": true}']
)
def test_a_request_that_is_none_is_refused(bench: Bench, body: bytes) -> None:
    for answer in (bench.aggregator.open, bench.aggregator.release):
        with pytest.raises(RoleError):
            answer(body)


def test_last_bits_of_a_release_tell_nothing(tmp_path: Path) -> None:
    bench = Bench(tmp_path, noise=0.3)
    statements = bench.rounds.open(1, SHARED)
    bench.rounds.relay(bench.many(statements, 12))
    array = bench.rounds.release(1).releases[0].array
    assert np.count_nonzero(array) == array.size
    np.testing.assert_array_equal(array, np.round(array * 2**18) / 2**18)
