"""No sequence of events, consents, configurations, versions and clocks lets more leave on a day than one document."""

import contextlib
import datetime
import shutil
import tempfile
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test

from aggregation.device import DeviceError, read_configuration
from tests.aggregation.device.helpers import Bench, document, use_case
from tests.aggregation.helpers import UNHURRIED

pytestmark = pytest.mark.exact

WIRE: dict[str, Any] = use_case()["parameters"]
SLUGS = ("a", "b", "c", "d")
CONSENTS = (3, 8, 100)
HOURS = (0, 1, 6, 12, 24, 48, -1, -24, -48, 24 * 40)


def asked(slug: str, limit: int = 1, group: str | None = None, epsilon: float = 1) -> dict[str, Any]:
    return use_case(slug, daily_limit=limit, budget_group=group, parameters=WIRE | {"epsilon": epsilon})


# Versions, limits, groups and memberships change from one to the other.
CONFIGURATIONS = (
    document(asked("a", 2, "g"), asked("b", 2, "g"), asked("c"), groups={"g": 2}),
    document(asked("a", 2, "g", epsilon=2), asked("b", 2, "g"), asked("c", 3), groups={"g": 2}),
    document(asked("a", 3, "g"), asked("b", 1), asked("c", 3, "g"), groups={"g": 3}),
    document(asked("a", 1, "h"), asked("b", 1, "h"), asked("c", 2, "g"), groups={"g": 2, "h": 1}),
    document(asked("a", 5), asked("b", 5), asked("c", 5)),
    # The questions again under another name, to which only the owner's ε sets a bound.
    document(asked("d", 3)),
)


class Budgets(RuleBasedStateMachine):
    """A device and everything that its owner, its server and its clock can do."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp())
        self.bench = Bench(self.folder / "device")
        # Day by the device's clock → use case and ε of each report that left.
        self.left: dict[datetime.date, list[tuple[str, Decimal]]] = {}
        # The latest day on which a configuration was taken, and its hash.
        self.last_day, self.last_sha256 = datetime.date.min, ""

    def teardown(self) -> None:
        shutil.rmtree(self.folder)

    @initialize(configuration=st.sampled_from(CONFIGURATIONS))
    def begin(self, configuration: bytes) -> None:
        self.opt_in(100)
        self.configure(configuration)

    @rule(epsilon=st.sampled_from(CONSENTS))
    def opt_in(self, epsilon: int) -> None:
        self.bench.device.opt_in(epsilon)

    @rule()
    def opt_out(self) -> None:
        self.bench.device.opt_out()

    @rule(configuration=st.sampled_from(CONFIGURATIONS))
    def configure(self, configuration: bytes) -> None:
        today = self.bench.clock.now.date()
        with contextlib.suppress(DeviceError):
            sha256 = self.bench.device.configure(configuration).sha256
            # One a day, whatever the owner and the clock did meanwhile.
            assert today > self.last_day or sha256 == self.last_sha256
            self.last_day, self.last_sha256 = max(today, self.last_day), sha256

    @rule(configuration=st.sampled_from(CONFIGURATIONS), epsilon=st.sampled_from(CONSENTS))
    def toggle(self, configuration: bytes, epsilon: int) -> None:
        """Out and in again, which lets no other configuration in on the same day."""
        self.bench.device.opt_out()
        self.opt_in(epsilon)
        self.configure(configuration)

    @rule(slug=st.sampled_from(SLUGS), count=st.integers(1, 4))
    def observe(self, slug: str, count: int) -> None:
        self.bench.observe(slug, count)

    @rule(hours=st.sampled_from(HOURS))
    def set_clock(self, hours: int) -> None:
        self.bench.clock.now += datetime.timedelta(hours=hours)

    @rule(at_once=st.booleans(), answers=st.lists(st.sampled_from([202, 400, 503, OSError()]), max_size=6))
    def send(self, at_once: bool, answers: list[int | Exception]) -> None:
        keys = set(self.bench.server.keys)
        before = len(self.bench.server.requests)
        self.bench.server.answers = answers
        state, today = self.bench.device.state(), self.bench.clock.now.date()
        self.bench.device.send("https://example.org", at_once=at_once)
        documents = list(self.bench.server.documents())[before:]
        new = self.bench.server.keys[before:]
        if not documents:
            return
        # All attempts of one call are one document; a key that was there before is one that was counted before.
        assert len(set(new)) == 1
        assert all(sent == documents[0] for sent in documents)
        configuration = state.in_force()
        assert configuration is not None
        if new[0] in keys:
            return
        assert today not in self.left, "a second document left"
        for segment in documents[0]["segments"]:
            known = configuration.use_cases[segment["use_case"]]
            report = (known.slug, known.mechanism.report_epsilon)
            self.left.setdefault(today, []).extend([report] * len(segment["records"]))
        left = self.left[today]
        for limit in configuration.limit_of.values():
            members = {known.slug for known in limit.use_cases}
            assert sum(slug in members for slug, _ in left) <= limit.reports, (limit.budget_group, members, left)
        assert state.agreed is not None
        assert sum(epsilon for _, epsilon in left) <= state.agreed

    @invariant()
    def costs_what_was_agreed(self) -> None:
        state = self.bench.device.state()
        configuration = state.in_force()
        assert configuration is None or (state.agreed is not None and configuration.epsilon_per_day <= state.agreed)
        assert state.agreed is not None or (state.held == [] and state.sent == [] and state.configuration is None)


def test_no_sequence_refills_a_budget(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.fsync", lambda _descriptor: None)
    run_state_machine_as_test(Budgets, settings=settings(UNHURRIED, max_examples=60, stateful_step_count=30))


def test_the_configurations_differ_in_what_a_day_costs() -> None:
    assert [read_configuration(each).epsilon_per_day for each in CONFIGURATIONS] == [3, 7, 4, 3, 15, 3]
