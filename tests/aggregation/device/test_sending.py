"""Sending: fresh keys, back-off, nothing given back, and the owner sees what left."""

import datetime
import json
import re

import pytest

from aggregation.device import Delivery, Dropped, Sending
from tests.aggregation.device.helpers import SERVER, Bench, document, use_case

pytestmark = pytest.mark.exact


# Two of five records may be sent: the fate of the rest is said once, when the document is made.
REST = {Dropped.OVER_LIMIT: 3}


def due(bench: Bench, *answers: int | Exception) -> Bench:
    """A device that has two reports due, and a server that answers so."""
    bench.ready().observe("energy", 5)
    bench.clock.next_days(2)
    bench.server.answers = list(answers)
    return bench


def test_a_document_is_posted_under_a_random_key_with_nothing_else(bench: Bench) -> None:
    assert due(bench).device.send(SERVER) == Delivery(Sending.ACCEPTED, 2, 202, REST)
    ((method, url, headers, body),) = bench.server.requests
    assert (method, url) == ("POST", f"{SERVER}/api/v1/reports/")
    assert re.fullmatch("[0-9a-f]{32}", headers.pop("Idempotency-Key"))
    assert headers == {"Content-Type": "application/json"}
    assert body is not None
    assert b" " not in body
    assert bench.device.sent()[0]["answer"] == "accepted"
    assert bench.device.sent()[0]["key"] == ""
    assert bench.slept == []


@pytest.mark.parametrize("failure", [429, 500, 503, OSError("unreachable"), TimeoutError(), ConnectionResetError()])
def test_the_same_document_is_sent_again_under_the_same_key(bench: Bench, failure: int | Exception) -> None:
    assert due(bench, failure, failure, failure).device.send(SERVER) == Delivery(Sending.ACCEPTED, 2, 202, REST)
    assert len(bench.server.requests) == 4
    assert len(set(bench.server.keys)) == len(set(bench.server.bodies)) == 1


def test_the_waits_double_and_are_random(bench: Bench) -> None:
    due(bench, *[503] * 10)
    assert bench.device.send(SERVER) == Delivery(Sending.UNANSWERED, 2, 503, REST)
    assert len(bench.slept) == 4
    for attempt, slept in enumerate(bench.slept):
        assert 2**attempt <= slept <= 2 ** (attempt + 1)
    first = list(bench.slept)
    bench.device.send(SERVER)
    assert bench.slept[4:] != first


def test_it_is_the_same_document_in_a_later_attempt_of_the_same_day(bench: Bench) -> None:
    due(bench, *[OSError()] * 5)
    assert bench.device.send(SERVER) == Delivery(Sending.UNANSWERED, 2, dropped=REST)
    bench.observe("emoji", 3, "😂", "en_US")
    assert bench.device.send(SERVER) == Delivery(Sending.ACCEPTED, 2, 202)
    assert len(set(bench.server.keys)) == len(set(bench.server.bodies)) == 1
    assert len(bench.device.sent()) == 1
    # Only now is there a new one, under a key of its own.
    bench.clock.next_days(2)
    assert bench.device.send(SERVER).outcome is Sending.ACCEPTED
    assert len(set(bench.server.keys)) == len(set(bench.server.bodies)) == 2


def test_what_was_sent_is_never_given_back(bench: Bench) -> None:
    due(bench, *[OSError()] * 5)
    bench.device.send(SERVER)
    bench.server.answers = [400]
    assert bench.device.send(SERVER) == Delivery(Sending.REFUSED, 2, 400)
    bench.observe("energy", 5)
    assert bench.device.send(SERVER, at_once=True) == Delivery(Sending.SENT_TODAY)
    assert [sent["answer"] for sent in bench.device.sent()] == ["refused"]


@pytest.mark.parametrize("status", [301, 302, 307, 400, 404, 413, 422])
def test_other_answers_are_final(bench: Bench, status: int) -> None:
    assert due(bench, status).device.send(SERVER) == Delivery(Sending.REFUSED, 2, status, REST)
    assert bench.device.send(SERVER) == Delivery(Sending.SENT_TODAY)
    assert len(bench.server.requests) == 1


def test_a_second_document_waits_for_the_next_day(bench: Bench) -> None:
    """Also where the limits have room for it: two documents of a day say more about when a device sends."""
    bench.ready().observe("energy")
    assert bench.send_now() == {"energy": 1}
    bench.observe("emoji", 1, "😂", "en_US")
    held = bench.device.stored()
    bench.clock.now += datetime.timedelta(hours=11, minutes=59)
    for _ in range(2):
        assert bench.device.send(SERVER, at_once=True) == Delivery(Sending.SENT_TODAY)
    assert bench.device.stored() == held
    bench.clock.now += datetime.timedelta(minutes=1)
    assert bench.send_now() == {"emoji": 1}
    assert len(bench.server.requests) == len(bench.device.sent()) == 2


@pytest.mark.parametrize("days", [1, -1, 40])
def test_an_unanswered_document_is_dropped_with_its_day(bench: Bench, days: int) -> None:
    due(bench, *[OSError()] * 5)
    bench.device.send(SERVER)
    bench.clock.next_days(days)
    expected = Sending.CLOCK_BEHIND if days < 0 else Sending.NOTHING_DUE
    assert bench.device.send(SERVER) == Delivery(expected)
    assert len(bench.server.requests) == 5
    assert [sent["answer"] for sent in bench.device.sent()] == (["given up"] if days != 40 else [])


def test_when_the_day_ends_between_two_attempts_there_is_no_other(bench: Bench) -> None:
    due(bench, *[503] * 5)
    bench.server.before = bench.clock.next_days
    assert bench.device.send(SERVER) == Delivery(Sending.UNANSWERED, 2, 503, REST)
    assert len(bench.server.requests) == 1


def test_when_the_owner_opts_out_between_two_attempts_there_is_no_other(bench: Bench) -> None:
    due(bench, *[503] * 5)
    bench.server.before = bench.device.opt_out
    assert bench.device.send(SERVER).outcome is Sending.UNANSWERED
    assert len(bench.server.requests) == 1
    assert bench.device.sent() == []


def test_a_crash_after_sending_gives_nothing_back(bench: Bench) -> None:
    """Counted before the first byte leaves: whatever happens then."""

    class PowerCut(BaseException):
        pass

    def cut() -> None:
        raise PowerCut

    due(bench)
    bench.server.before = cut
    with pytest.raises(PowerCut):
        bench.device.send(SERVER)
    again = Bench(bench.folder)
    again.clock.now = bench.clock.now
    again.observe("energy", 5)
    assert again.device.state().spent_today(bench.clock.now.date()) == 8
    assert again.send_now() == {"energy": 2}
    (sent,) = again.device.sent()
    assert again.server.bodies == [json.dumps(sent["document"], separators=(",", ":")).encode()]
    assert again.send_now() == {}


def test_sent_documents_are_kept_for_thirty_days(bench: Bench) -> None:
    bench.ready()
    for _ in range(2):
        bench.observe("energy")
        bench.send_now()
        bench.clock.next_days()
    bench.clock.next_days(29)
    bench.observe("emoji", 1, "😂", "en_US")
    assert [sent["day"] for sent in bench.device.sent()] == ["2026-11-22"]


@pytest.mark.parametrize(
    "configuration",
    [
        # The group is another; or the use case is, and there is none.
        document(use_case("a", budget_group="h"), groups={"h": 1}),
        document(use_case("b")),
    ],
)
def test_another_configuration_lets_no_second_document_leave(bench: Bench, configuration: bytes) -> None:
    bench.ready(document(use_case("a", budget_group="g"), groups={"g": 1}))
    # On the next day before the configuration is asked for again.
    bench.clock.next_days()
    bench.observe("a")
    assert bench.send_now() == {"a": 1}
    bench.device.opt_out()
    bench.ready(configuration)
    for slug in ("a", "b"):
        bench.observe(slug)
    assert bench.device.send(SERVER, at_once=True) == Delivery(Sending.SENT_TODAY)


def test_a_clock_set_back_refills_nothing(bench: Bench) -> None:
    bench.ready().observe("energy", 5)
    assert bench.send_now() == {"energy": 2}
    bench.clock.next_days()
    bench.observe("energy")
    assert bench.send_now() == {"energy": 1}
    bench.clock.next_days(-1)
    bench.observe("energy", 5)
    assert bench.device.send(SERVER, at_once=True) == Delivery(Sending.CLOCK_BEHIND)
    bench.device.opt_out()
    bench.ready().observe("energy", 5)
    assert bench.device.send(SERVER, at_once=True) == Delivery(Sending.CLOCK_BEHIND)
    # The day of the last sending comes again: its document has left.
    bench.clock.next_days()
    assert bench.device.send(SERVER, at_once=True) == Delivery(Sending.SENT_TODAY)
    bench.clock.next_days()
    assert bench.send_now() == {"energy": 2}


def test_a_clock_set_forward_and_back_lets_no_second_document_leave(bench: Bench) -> None:
    bench.ready().observe("energy", 5)
    bench.clock.next_days(40)
    bench.observe("energy", 5)
    assert bench.send_now() == {"energy": 2}
    bench.clock.next_days(-40)
    for _ in range(40):
        bench.observe("energy")
        assert bench.device.send(SERVER, at_once=True).outcome is Sending.CLOCK_BEHIND
        bench.clock.next_days()
    assert bench.device.send(SERVER, at_once=True).outcome is Sending.SENT_TODAY
    assert len(bench.server.requests) == 1
