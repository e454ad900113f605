"""Rules for device configurations that are followed."""

import hashlib
import json
from decimal import Decimal
from typing import Any

import pytest

from aggregation.device import DeviceError, Lapsed, Observed, Sending, read_configuration
from tests.aggregation.device.helpers import CONFIGURATION, DAY, SERVER, Bench, document, use_case, words

pytestmark = pytest.mark.exact


def test_what_is_read() -> None:
    configuration = read_configuration(CONFIGURATION)
    assert configuration.sha256 == hashlib.sha256(CONFIGURATION).hexdigest()
    assert set(configuration.use_cases) == {"emoji", "energy", "memory", "words"}
    assert configuration.use_cases["words"].mechanism.report_epsilon == 8
    # 3 · 4 for emoji, 2 · 4 for the group as a whole, 8 for a word.
    assert configuration.epsilon_per_day == 28


def test_a_group_costs_its_limit_times_its_dearest_report() -> None:
    dear = use_case("b", budget_group="g", parameters=use_case()["parameters"] | {"epsilon": 0.5})
    both = document(use_case("a", budget_group="g", daily_limit=9), dear, groups={"g": 3})
    assert read_configuration(both).epsilon_per_day == 12
    assert read_configuration(document(dear, groups={"g": 3})).epsilon_per_day == Decimal("1.5")
    assert read_configuration(document()).epsilon_per_day == 0


def changed(**changes: Any) -> bytes:
    return document(use_case("emoji") | changes)


@pytest.mark.parametrize(
    "wrong",
    [
        b"",
        b"\xff",
        b"[]",
        b"{}",
        b"[" * 100_000,
        document().replace(b'"version": 1', b'"version": 2'),
        document().replace(b'"version": 1', b'"version": true'),
        document().replace(b'"version": 1', b'"version": 1, "device": 7'),
        document().replace(b"1", b"NaN"),
        document(use_case("emoji"), use_case("emoji")),
        document(use_case("emoji")).replace(b'"daily_limit": 1', b'"daily_limit": 1, "daily_limit": 1'),
        document(use_case("emoji")).replace(b'"k": 64', b'"k": 64, "k": 64'),
        document(use_case("emoji", budget_group="g")),
        document(groups={"g": 0}),
        document(groups={"g": 1, "h": 2}).replace(b'"h"', b'"g"'),
        document(words(daily_limit=0)),
        document(words() | {"normalization": "raw"}),
        changed(daily_limit=True),
        changed(slug=""),
        changed(slug=None),
        changed(algorithm="Nothing"),
        changed(parameters={"epsilon": 4}),
        changed(parameters=use_case()["parameters"] | {"epsilon": 17}),
        changed(parameters=use_case()["parameters"] | {"device": 7}),
        changed(normalization="none"),
        changed(normalization=[]),
        changed(keep_case=None),
        changed(alphabet=["a"]),
        changed(alphabet={"und": 1}),
        changed(locales=[]),
        changed(locales="und"),
        changed(seed="for this device alone"),
    ],
)
def test_what_cannot_be_used_is_refused(bench: Bench, wrong: bytes) -> None:
    bench.device.opt_in(100)
    before = bench.text
    with pytest.raises(DeviceError, match="device configuration"):
        bench.device.configure(wrong)
    assert bench.text == before


def test_one_that_costs_more_than_agreed_is_refused_in_plain_words(bench: Bench) -> None:
    bench.device.opt_in("27.999")
    with pytest.raises(DeviceError, match=r"costs up to ε = 28 a day, and you agreed to 27\.999\. It is refused"):
        bench.device.configure(CONFIGURATION)
    assert bench.device.observe("energy", "www.example.org", "und") is Observed.NOT_CONFIGURED
    bench.device.opt_in(28)
    assert bench.device.configure(CONFIGURATION).epsilon_per_day == 28


def test_a_refused_one_leaves_the_one_before_in_force(bench: Bench) -> None:
    bench.device.opt_in(4)
    bench.device.configure(document(use_case("emoji")))
    bench.clock.next_days()
    with pytest.raises(DeviceError, match="refused"):
        bench.device.configure(CONFIGURATION)
    assert bench.device.observe("emoji", "x", "und") is Observed.HELD


def test_a_second_different_one_is_refused_on_the_same_day_and_both_hashes_are_named(bench: Bench) -> None:
    bench.ready(document(use_case("emoji")))
    bench.clock.now += DAY / 2 - DAY / 10**6
    with pytest.raises(DeviceError) as caught:
        bench.device.configure(CONFIGURATION)
    for each in (document(use_case("emoji")), CONFIGURATION):
        assert hashlib.sha256(each).hexdigest() in str(caught.value)
    bench.device.configure(document(use_case("emoji")))
    bench.clock.next_days()
    # Seen again today: so this is today's.
    bench.device.configure(document(use_case("emoji")))
    with pytest.raises(DeviceError, match="another device configuration"):
        bench.device.configure(CONFIGURATION)
    bench.clock.next_days()
    bench.device.configure(CONFIGURATION)


def test_a_clock_set_back_makes_no_room_for_a_second_one(bench: Bench) -> None:
    first = document(use_case("emoji"))
    bench.clock.next_days()
    bench.ready(first)
    bench.clock.next_days(-1)
    with pytest.raises(DeviceError, match="another device configuration"):
        bench.device.configure(CONFIGURATION)
    bench.device.configure(first)
    bench.clock.next_days()
    with pytest.raises(DeviceError, match="another device configuration"):
        bench.device.configure(CONFIGURATION)


def test_who_agrees_to_less_than_it_costs_sends_nothing_more(bench: Bench) -> None:
    bench.ready().observe("energy")
    bench.server.answers = [OSError()] * 10
    bench.clock.next_days(2)
    assert bench.device.send(SERVER).outcome is Sending.UNANSWERED
    bench.observe("energy")
    assert bench.device.opt_in(27) == Lapsed(Decimal(28), 1)
    asked = len(bench.server.requests)
    assert bench.device.stored() == []
    assert bench.device.state().configuration is None
    assert [sent["answer"] for sent in bench.device.sent()] == ["given up"]
    assert bench.device.send(SERVER).outcome is Sending.NOT_CONFIGURED
    assert bench.device.observe("energy", "www.example.org", "und") is Observed.NOT_CONFIGURED
    assert len(bench.server.requests) == asked
    # Agreed again: the same configuration is taken, and what was dropped does not come back.
    assert bench.device.opt_in(28) is None
    assert bench.device.send(SERVER).outcome is Sending.NOT_CONFIGURED
    bench.device.configure(CONFIGURATION)
    assert bench.device.send(SERVER).outcome is Sending.SENT_TODAY
    bench.clock.next_days()
    assert bench.device.send(SERVER).outcome is Sending.NOTHING_DUE


@pytest.mark.parametrize("epsilon", [28, 29])
def test_who_agrees_to_enough_drops_nothing(bench: Bench, epsilon: int) -> None:
    bench.ready().observe("energy")
    before = bench.device.stored()
    assert bench.device.opt_in(epsilon) is None
    assert bench.device.stored() == before


@pytest.mark.parametrize("toggle", ["opt out", "agree to less"])
def test_toggling_lets_no_second_one_in(bench: Bench, toggle: str) -> None:
    """The hash and the day of the dropped one are left."""
    first = document(use_case("emoji"))
    bench.ready(first)
    if toggle == "opt out":
        bench.device.opt_out()
    else:
        bench.device.opt_in(1)
    bench.device.opt_in(100)
    with pytest.raises(DeviceError, match="another device configuration") as caught:
        bench.device.configure(CONFIGURATION)
    assert hashlib.sha256(first).hexdigest() in str(caught.value)
    bench.device.configure(first)
    bench.device.opt_out()
    bench.clock.next_days()
    bench.ready()


def test_it_is_fetched_without_anything_that_could_carry_a_mark(bench: Bench) -> None:
    bench.device.opt_in(28)
    assert bench.device.fetch_configuration(SERVER + "/").sha256 == hashlib.sha256(CONFIGURATION).hexdigest()
    bench.device.fetch_configuration(f"{SERVER}/api/v1/device-configuration/")
    # No entity tag either, though the same was fetched before.
    assert bench.server.requests == [("GET", f"{SERVER}/api/v1/device-configuration/", {}, None)] * 2


@pytest.mark.parametrize("answer", [301, 304, 404, 500, OSError("no route to host")])
def test_what_is_no_configuration_is_none(bench: Bench, answer: int | Exception) -> None:
    bench.device.opt_in(28)
    bench.server.answers = [answer]
    with pytest.raises(DeviceError, match="no route to host" if isinstance(answer, OSError) else str(answer)):
        bench.device.fetch_configuration(SERVER)


def test_the_document_is_kept_byte_for_byte(bench: Bench) -> None:
    spaced = json.dumps(json.loads(CONFIGURATION), indent=3, ensure_ascii=False).encode()
    bench.ready(spaced)
    assert bench.device.state().configuration == spaced
