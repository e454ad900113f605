"""A uniform sample of what is due leaves, within the limits of use cases and groups; the rest is dropped."""

import datetime
import itertools
import json
from collections import Counter

import pytest
from scipy.stats import binom

from aggregation.device import Delivery, Dropped, Sending, read_configuration
from aggregation.device.holding import observe
from aggregation.device.sampling import take_due
from aggregation.device.state import HeldDay, State
from aggregation.mechanisms import MECHANISMS, mechanism_for
from tests.aggregation.device.helpers import AGREED, CONFIGURATION, DAY, NOON, SERVER, Bench, document, use_case

exact = pytest.mark.exact


@exact
def test_nothing_leaves_before_it_is_due(bench: Bench) -> None:
    bench.ready().observe("energy")
    (held,) = bench.device.stored()
    bench.clock.now = datetime.datetime.fromisoformat(held["due"]) - datetime.timedelta(seconds=1)
    assert bench.device.send(SERVER) == Delivery(Sending.NOTHING_DUE)
    assert bench.device.stored() == [held]
    bench.clock.now += datetime.timedelta(seconds=1)
    assert bench.device.send(SERVER) == Delivery(Sending.ACCEPTED, 1, 202)
    assert bench.device.stored() == []


@exact
def test_what_is_due_leaves_or_is_dropped_and_the_rest_stays(bench: Bench) -> None:
    bench.ready().observe("energy", 10)
    bench.clock.next_days(2)
    bench.observe("energy", 4)
    later = bench.device.stored()[1:]
    assert bench.device.send(SERVER) == Delivery(Sending.ACCEPTED, 2, 202, {Dropped.OVER_LIMIT: 8})
    assert bench.device.stored() == later


@exact
def test_limits_are_those_of_the_use_case_or_of_its_group(bench: Bench) -> None:
    bench.ready()
    for slug in ("energy", "memory"):
        bench.observe(slug, 10)
    bench.observe("emoji", 10, "😂", "en_US")
    bench.observe("emoji", 10, "😂", "fr_FR")
    bench.observe("words", 10, "wyd", "en")
    sent = bench.send_all_due()
    assert sent.pop("energy", 0) + sent.pop("memory", 0) == 2
    assert sent == {"emoji": 3, "words": 1}
    bench.clock.next_days()
    bench.observe("memory")
    assert bench.send_now() == {"memory": 1}


@exact
def test_documents_have_the_form_of_uploads_and_nothing_else(bench: Bench) -> None:
    bench.ready().observe("energy", 10)
    bench.observe("emoji", 10, "😂", "en_US")
    bench.observe("emoji", 10, "😂", "fr_FR")
    bench.observe("words", 10, "wyd", "en")
    held = {
        (segment["use_case"], segment["locale"], record)
        for day in bench.device.stored()
        for segment in day["segments"]
        for record in segment["records"]
    }
    bench.send_all_due()
    (sent,) = bench.server.documents()
    assert sent.keys() == {"version", "segments"}
    assert sent["version"] == 1
    asked = {item["slug"]: item for item in json.loads(CONFIGURATION)["use_cases"]}
    assert len({(segment["use_case"], segment["locale"]) for segment in sent["segments"]}) == len(sent["segments"])
    for segment in sent["segments"]:
        assert segment.keys() == {"use_case", "locale", "algorithm", "parameters", "records"}
        assert segment["parameters"] == asked[segment["use_case"]]["parameters"]
        assert {(segment["use_case"], segment["locale"], record) for record in segment["records"]} <= held
        own = mechanism_for(segment["algorithm"], segment["parameters"])
        assert own.parse_records(segment["records"]).rejected == []
    assert (
        {segment["algorithm"] for segment in sent["segments"]}
        == {
            "HadamardCountMeanSketch",
            "SequenceFragmentPuzzle",
        }
        <= set(MECHANISMS)
    )
    # The owner sees exactly this.
    assert [entry["document"] for entry in bench.device.sent()] == [sent]


@exact
def test_a_document_has_at_most_64_segments(bench: Bench) -> None:
    bench.device.opt_in(1000)
    bench.device.configure(document(*[use_case(f"a{number}") for number in range(70)]))
    for number in range(70):
        bench.observe(f"a{number}")
    assert bench.device.send(SERVER, at_once=True) == Delivery(Sending.ACCEPTED, 64, 202, {Dropped.OVER_LIMIT: 6})
    assert bench.device.stored() == []


@exact
def test_records_of_other_versions_are_dropped(bench: Bench) -> None:
    def version(epsilon: float, **changes: object) -> bytes:
        parameters = use_case()["parameters"] | {"epsilon": epsilon}
        return document(use_case("a", daily_limit=9, parameters=parameters, **changes), use_case("b"))

    bench.ready(version(4)).observe("a", 3)
    bench.clock.next_days()
    bench.device.configure(version(2))
    bench.observe("a", 2)
    assert bench.device.send(SERVER, at_once=True) == Delivery(Sending.ACCEPTED, 2, 202, {Dropped.OTHER_VERSION: 3})
    bench.observe("a", 2)
    bench.observe("b")
    bench.clock.next_days()
    bench.device.configure(version(2, locales=["en"]))
    assert bench.send_now() == {"b": 1}
    bench.observe("b")
    bench.clock.next_days()
    bench.device.configure(document(use_case("c")))
    assert bench.device.send(SERVER, at_once=True) == Delivery(Sending.NOTHING_DUE, dropped={Dropped.OTHER_VERSION: 1})
    assert bench.device.stored() == []


@exact
def test_what_is_too_old_is_dropped_and_told(bench: Bench) -> None:
    bench.ready().observe("energy", 3)
    bench.clock.next_days(31)
    bench.observe("words", 1, "wyd", "en")
    # Forgotten when something new was observed: only a look at what is held tells.
    assert [held["day"] for held in bench.device.stored()] == ["2026-12-22"]
    bench.clock.next_days(31)
    assert bench.device.send(SERVER) == Delivery(Sending.NOTHING_DUE, dropped={Dropped.TOO_OLD: 1})
    assert bench.device.send(SERVER) == Delivery(Sending.NOTHING_DUE)


@exact
def test_what_is_dropped_for_two_reasons_is_counted_once(bench: Bench) -> None:
    """All that was observed is sent, or dropped for one reason: also with a document that waits for its answer."""
    bench.ready().observe("energy", 5)
    bench.server.answers = [OSError()] * 5
    first = bench.device.send(SERVER, at_once=True)
    assert (first.reports, first.dropped) == (2, {Dropped.OVER_LIMIT: 3})
    again = bench.device.send(SERVER, at_once=True)
    assert (again.reports, again.dropped) == (2, {})


@exact
def test_two_versions_of_one_day_are_held_apart(bench: Bench) -> None:
    """Also where they differ in the algorithm alone."""
    bench.ready(document(use_case("a", daily_limit=9)))
    bench.clock.next_days()
    bench.observe("a")
    bench.device.configure(document(use_case("a", daily_limit=9, algorithm="CountMeanSketch")))
    bench.observe("a")
    (held,) = bench.device.stored()
    assert [segment["algorithm"] for segment in held["segments"]] == ["HadamardCountMeanSketch", "CountMeanSketch"]
    assert bench.send_now() == {"a": 1}
    assert next(bench.server.documents())["segments"][0]["algorithm"] == "CountMeanSketch"


def held_records(count: int, slugs: tuple[str, ...] = ("energy",)) -> State:
    """Due, with records that can be told apart: the number of each is its row."""
    state = State(agreed=AGREED, configuration=CONFIGURATION)
    configuration = read_configuration(CONFIGURATION)
    segments = []
    for place, slug in enumerate(slugs):
        asked = configuration.use_cases[slug]
        numbers = range(place * count, (place + 1) * count)
        segments.append(
            {
                "use_case": slug,
                "locale": asked.locales[0],
                "algorithm": asked.mechanism.algorithm,
                "parameters": asked.parameters,
                "records": [f"{number},0,1" for number in numbers],
            }
        )
    state.held = [HeldDay(NOON.date(), NOON, {}, segments)]
    return state


def taken(state: State) -> list[int]:
    sent, _dropped = take_due(state, read_configuration(CONFIGURATION), NOON + DAY, at_once=False)
    return [int(record.split(",")[0]) for segment in sent["segments"] for record in segment["records"]]


@pytest.mark.statistical
def test_samples_of_a_group_are_uniform_over_all_that_is_due() -> None:
    """Every pair of 6 records of two use cases, in either order of one segment: a false alarm 1e-6 for each of 15."""
    repetitions = 3000
    counts = Counter(frozenset(taken(held_records(3, ("energy", "memory")))) for _ in range(repetitions))
    pairs = {frozenset(pair) for pair in itertools.combinations(range(6), 2)}
    assert set(counts) == pairs
    low, high = binom.ppf([5e-7, 1 - 5e-7], repetitions, 1 / 15)
    assert all(low <= counts[pair] <= high for pair in pairs), counts


@pytest.mark.statistical
def test_records_are_shuffled() -> None:
    """All 24 ordered choices of 3 out of 4; a false alarm 1e-6 for each."""
    repetitions = 3000
    counts = Counter(tuple(taken(held_records(4, ("emoji",)))) for _ in range(repetitions))
    low, high = binom.ppf([5e-7, 1 - 5e-7], repetitions, 1 / 24)
    assert len(counts) == 24
    assert all(low <= count <= high for count in counts.values()), counts


@pytest.mark.statistical
def test_however_often_the_device_sends_every_event_of_a_day_has_the_same_chance() -> None:
    """Events at 0, 6, 12 and 18 o'clock, sending every hour; false alarms 1e-6 for each."""
    repetitions, counts = 1500, [0] * 4
    configuration = document(use_case("a"))
    for _ in range(repetitions):
        state = State(agreed=AGREED, configuration=configuration)
        numbers: dict[str, int] = {}
        for number in range(4):
            time = NOON.replace(hour=6 * number)
            observe(state, "a", "x", "und", (), time, DAY)
            (fresh,) = set(state.held[0].segments[0]["records"]) - set(numbers) or {None}
            if fresh is None:
                break
            numbers[fresh] = number
        else:
            chosen = first_sent(state, configuration)
            counts[numbers[chosen]] += 1
    # Two of the four records may be equal, and then cannot be told apart.
    total = sum(counts)
    assert total > repetitions / 2
    low, high = binom.ppf([5e-7, 1 - 5e-7], total, 1 / 4)
    assert all(low <= count <= high for count in counts), counts


def first_sent(state: State, configuration: bytes) -> str:
    for hour in range(48):
        now = NOON.replace(hour=0) + datetime.timedelta(hours=hour + 1)
        sent, _dropped = take_due(state, read_configuration(configuration), now, at_once=False)
        if sent["segments"]:
            record: str = sent["segments"][0]["records"][0]
            return record
    raise AssertionError("nothing was due in two days")
