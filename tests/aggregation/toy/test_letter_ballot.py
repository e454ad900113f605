"""A mechanism that registers from outside goes all ways through the library, without an edit anywhere else."""

import json
from collections.abc import Iterator
from decimal import Decimal

import numpy as np
import pytest

from aggregation import ParameterError, Sketch, estimate, mechanism_for, register, threshold
from aggregation.audit import audit, python_client, runs_needed, sentence
from aggregation.encoding import sort_records
from aggregation.mechanisms import MECHANISMS, Mechanism
from aggregation.planning import Prospect, detection_limit, estimate_cost
from aggregation.screening import effect_of_fakes, is_distinctive, judge_overlap, judge_part, missing_noise, screen
from tests.aggregation.helpers import Z_MILLIONTH
from tests.aggregation.toy import LetterBallot

LETTERS = "abcdefgh"
BALLOT = LetterBallot(Decimal(2), LETTERS)
SHARES = np.array([0.5, 0.3, 0.1, 0.1, 0, 0, 0, 0])

exact = pytest.mark.exact
statistical = pytest.mark.statistical


@pytest.fixture(autouse=True)
def _registered() -> Iterator[None]:
    register(LetterBallot)
    yield
    del MECHANISMS["LetterBallot"]


def fleet(n: int, seed: int = 0) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(seed)
    return BALLOT.privatize_fleet(LETTERS, rng.choice(len(LETTERS), n, p=SHARES), rng)


@exact
def test_it_is_made_of_its_wire_parameters() -> None:
    told = json.loads(json.dumps(BALLOT.encoded_parameters()))
    assert told == {"epsilon": 2, "letters": LETTERS}
    made: Mechanism = mechanism_for("LetterBallot", told)
    assert made == BALLOT
    with pytest.raises(ParameterError, match="seed"):
        mechanism_for("LetterBallot", {**told, "seed": "00" * 16})


@exact
def test_n_is_the_sum_over_both_streams() -> None:
    streams = BALLOT.split(fleet(1000))
    sizes = {name: len(records) for name, records in streams.items()}
    assert min(sizes.values()) > 400
    assert BALLOT.reports_in(sizes) == 1000
    assert BALLOT.reports_in({"tails": 7}) == 7


@exact
def test_lines_records_and_sketches_say_the_same() -> None:
    parts = fleet(1000)
    streams = {name: sort_records(records) for name, records in BALLOT.split(parts).items()}
    points = BALLOT.points(LETTERS)
    by_stream = [BALLOT.read_out([records], points, 0, 1, stream)[0] for stream, records in streams.items()]
    by_lines, by_records = Sketch(BALLOT), Sketch(BALLOT)
    by_lines.update(BALLOT.format_records(parts))
    by_records.add(streams)
    assert by_lines == by_records == Sketch.from_bytes(by_lines.to_bytes())
    assert by_lines.n == 1000
    assert BALLOT.read_state(by_lines.state, points).tolist() == sum(by_stream).tolist()
    assert sum(by_stream).sum() == 1000
    with pytest.raises(ParameterError, match="Record 1 cannot be counted: malformed_record"):
        by_lines.update(["heads,7", "heads,8"])


@statistical
def test_estimates_are_as_far_off_as_stated() -> None:
    n = 20_000
    sketch = Sketch(BALLOT)
    sketch.update(BALLOT.privatize(letter) for letter in "a" * 10_000 + "b" * 6000 + "c" * 4000)
    found = estimate(sketch, LETTERS, false_positives=1e-6)
    truth = np.array([10_000, 6000, 4000, 0, 0, 0, 0, 0])
    assert (np.abs(found.count - truth) < Z_MILLIONTH * found.standard_error).all()
    assert found.significant.tolist() == (truth > 0).tolist()
    assert found.threshold == threshold(BALLOT, n, len(LETTERS), false_positives=1e-6)
    assert 0 < found.threshold < 1000


@exact
def test_it_is_screened() -> None:
    honest = {name: sort_records(records) for name, records in BALLOT.split(fleet(5000)).items()}
    assert screen(BALLOT, honest) == []
    assert [found.test for found in screen(BALLOT, {"heads": honest["heads"]})] == ["uneven_boxes"]
    clear = BALLOT.split({"box": np.arange(500) % 2, "letter": np.zeros(500, np.int64)})
    assert [found.test for found in screen(BALLOT, clear)] == ["too_clear"]
    assert effect_of_fakes(BALLOT).raised > 1
    assert missing_noise(BALLOT, 1e-6) is None
    assert not is_distinctive(BALLOT)
    assert judge_overlap(BALLOT, 10, 10, 10).p_value == 1
    assert (judge_part(BALLOT, 10, 1).stream, judge_overlap(BALLOT, 10, 10, 10).stream) == ("", "")


@exact
def test_it_is_planned() -> None:
    cost = estimate_cost(BALLOT, 10_000, 8)
    assert cost.seconds == pytest.approx(0.002)
    assert cost.memory == pytest.approx(1_000_032)
    assert cost.stored == 40_000
    limit = detection_limit(BALLOT, 10_000, 8, 0.05)
    assert 0 < limit.half < limit.likely < 0.1
    assert 2 < Prospect(BALLOT, 10_000, 8, 1, 0.05).expect().visible <= 8


@statistical
def test_it_is_audited_as_a_device_reports_it() -> None:
    progress: list[tuple[int, int]] = []
    outcome = audit(BALLOT, ["a", "b"], python_client(BALLOT), 8000, lambda *done: progress.append(done))
    assert outcome.faults == (), [sentence(BALLOT, fault) for fault in outcome.faults]
    assert (outcome.runs, outcome.needed, progress[-1]) == (8000, runs_needed(BALLOT), (8000, 8000))
    assert abs(outcome.measured.estimate - 2) < Z_MILLIONTH * outcome.measured.error
    assert sentence(BALLOT, "boxes").startswith("the boxes")
