"""An event is privatised at once; the record is kept, and neither what was observed nor when."""

import datetime
import json
from collections.abc import Iterator

import pytest
from scipy.stats import binom

from aggregation.device import Observed, holding
from aggregation.device.state import State
from aggregation.mechanisms import HadamardCountMeanSketch, mechanism_for
from tests.aggregation.device.helpers import AGREED, CONFIGURATION, DAY, NOON, Bench, document, use_case

exact = pytest.mark.exact


@exact
@pytest.mark.parametrize(
    ("event", "became"),
    [
        (("emoji", "😂", "en_US"), Observed.HELD),
        (("energy", "WWW.Example.org", "und"), Observed.HELD),
        (("words", "Wyd", "en"), Observed.HELD),
        (("words", "é", "fr"), Observed.HELD),
        (("nothing", "😂", "en_US"), Observed.UNKNOWN_USE_CASE),
        (("emoji", "😂", "de_DE"), Observed.UNKNOWN_LOCALE),
        (("energy", "10.0.0.1", "und"), Observed.NOT_REPORTED),
        (("words", "known", "en"), Observed.NOT_REPORTED),
        (("words", "wyd", "fr"), Observed.NOT_REPORTED),
        (("words", "two words", "en"), Observed.NOT_REPORTED),
    ],
)
def test_what_becomes_of_events(bench: Bench, event: tuple[str, str, str], became: Observed) -> None:
    bench.ready()
    before = bench.text
    assert bench.device.observe(*event, local_words={"known"}) is became
    assert (bench.text == before) is (became is not Observed.HELD)
    if became is Observed.HELD:
        slug, _text, locale = event
        ((held,),) = [day["segments"] for day in bench.device.stored()]
        assert (held["use_case"], held["locale"]) == (slug, locale)
        own = mechanism_for(held["algorithm"], held["parameters"])
        assert own.parse_records(held["records"]).rejected == []
        asked = {item["slug"]: item for item in json.loads(CONFIGURATION)["use_cases"]}[slug]
        assert (held["algorithm"], held["parameters"]) == (asked["algorithm"], asked["parameters"])


@exact
def test_the_record_is_the_mechanisms_about_the_normalised_text(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    seen = []

    def privatize(self: HadamardCountMeanSketch, element: str) -> str:
        seen.append(element)
        return "1,2,-1"

    monkeypatch.setattr(HadamardCountMeanSketch, "privatize", privatize)
    bench.ready()
    bench.device.observe("energy", "WWW.Example.org.", "und")
    bench.device.observe("emoji", "❤\ufe0f", "en_US")
    assert seen == ["www.example.org", "❤"]
    assert [segment["records"] for segment in bench.device.stored()[0]["segments"]] == [["1,2,-1"]] * 2


@exact
def test_neither_text_nor_time_is_in_any_file(bench: Bench) -> None:
    bench.clock.now = NOON.replace(hour=17, minute=43, second=29, microsecond=123456)
    bench.ready().observe("energy", text="secretmarker.example.org")
    bench.observe("words", text="markerword", locale="en")
    bench.observe("energy", text="not a host with a marker")
    (held,) = bench.device.stored()
    assert held.keys() == {"day", "due", "seen", "segments"}
    assert {key for segment in held["segments"] for key in segment} == {
        "use_case", "locale", "algorithm", "parameters", "records",
    }  # fmt: skip
    for path in bench.folder.iterdir():
        content = path.read_bytes().replace(held["due"].encode(), b"")
        for mark in (b"marker", b"17:43", b":43:29", b"123456", str(int(bench.clock.now.timestamp())).encode()):
            assert mark not in content
    midnight = bench.clock.now.replace(hour=0, minute=0, second=0, microsecond=0).timestamp()
    for path in (bench.folder, bench.folder / "state.json"):
        assert path.stat().st_mtime == midnight


@exact
def test_the_moment_it_is_due_does_not_depend_on_the_events(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    """One moment a day, after its end, whatever happened when: and the same draw gives the same moment."""
    monkeypatch.setattr("aggregation.device.holding.device_below", lambda n: n // 2)
    bench.ready()
    for hour in (3, 9, 21):
        bench.clock.now = NOON.replace(hour=hour)
        bench.observe("energy")
    (held,) = bench.device.stored()
    assert held["due"] == str(NOON + DAY).replace(" ", "T")
    assert held["day"] == "2026-11-21"


@exact
def test_the_order_of_events_is_not_kept(bench: Bench) -> None:
    bench.ready()
    for slug, text, locale in (("memory", "b.org", "und"), ("emoji", "😂", "fr_FR"), ("emoji", "😂", "en_US")):
        bench.observe(slug, 20, text, locale)
    (held,) = bench.device.stored()
    places = [(segment["use_case"], segment["locale"]) for segment in held["segments"]]
    assert places == [("emoji", "en_US"), ("emoji", "fr_FR"), ("memory", "und")]
    for segment in held["segments"]:
        assert segment["records"] == sorted(segment["records"])


@exact
def test_days_are_held_apart_and_forgotten_after_a_month(bench: Bench) -> None:
    bench.ready()
    for _ in range(3):
        bench.observe("energy")
        bench.clock.next_days()
    assert [held["day"] for held in bench.device.stored()] == ["2026-11-21", "2026-11-22", "2026-11-23"]
    bench.clock.next_days(30)
    bench.observe("energy")
    assert [held["day"] for held in bench.device.stored()] == ["2026-12-24"]
    bench.clock.next_days(-60)
    bench.observe("energy")
    assert [held["day"] for held in bench.device.stored()] == ["2026-10-25"]


@pytest.mark.statistical
def test_delays_are_uniform(bench: Bench) -> None:
    """400 days. The operating system's randomness: the chance of a false alarm is 1e-6 a bound, of 16."""
    bench.ready()
    number, delays = 400, []
    for _ in range(number):
        bench.observe("energy")
        held = bench.device.stored()[-1]
        end = datetime.datetime.fromisoformat(held["day"] + "T00:00Z") + DAY
        delays.append((datetime.datetime.fromisoformat(held["due"]) - end) / DAY)
        bench.clock.next_days()
    assert 0 <= min(delays)
    assert max(delays) <= 1
    low, high = binom.ppf([5e-7, 1 - 5e-7], number, 1 / 16)
    for part in range(16):
        assert low <= sum(part <= 16 * delay < part + 1 for delay in delays) <= high


@pytest.mark.statistical
def test_of_very_many_events_a_uniform_sample_is_held(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ten of 40 events are held, 250 times; false alarms have a chance of 1e-6 for each of 8 groups of events."""
    monkeypatch.setattr(holding, "MOST_HELD", 10)
    numbers: Iterator[int] = iter(())
    monkeypatch.setattr(HadamardCountMeanSketch, "privatize", lambda _self, _element: f"{next(numbers):02},0,1")
    counts = [0] * 8
    for _ in range(250):
        numbers = iter(range(40))
        state = State(agreed=AGREED, configuration=CONFIGURATION)
        for number in range(40):
            holding.observe(state, ("energy", "memory")[number % 2], "a.org", "und", (), NOON, DAY)
        (held,) = state.held
        records = [int(line[:2]) for segment in held.segments for line in segment["records"]]
        assert len(records) == len(set(records)) == 10
        assert sum(held.seen.values()) == 40
        for record in records:
            counts[record // 5] += 1
    # Without replacement, so that counts vary less than these bounds allow.
    low, high = binom.ppf([5e-7, 1 - 5e-7], 250 * 5, 1 / 4)
    assert all(low <= count <= high for count in counts), counts


@exact
def test_the_bound_on_what_is_held_is_one_for_each_limit() -> None:
    both = [use_case("a", budget_group="g"), use_case("b", budget_group="g")]
    state = State(agreed=AGREED, configuration=document(*both, use_case("c"), groups={"g": 1}))
    became = [
        holding.observe(state, slug, "x", "und", (), NOON, DAY)
        for slug in ("a", "b", "a", "c")
        for _ in range(holding.MOST_HELD // 2)
    ]
    assert Observed.DROPPED not in became[: holding.MOST_HELD]
    assert Observed.DROPPED in became
    sizes = {segment["use_case"]: len(segment["records"]) for segment in state.held[0].segments}
    assert sizes["a"] + sizes["b"] == holding.MOST_HELD
    assert sizes["c"] == holding.MOST_HELD // 2
