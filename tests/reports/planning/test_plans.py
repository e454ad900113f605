"""Plans: parameters, figures, and what is recommended."""

import dataclasses
import json
from decimal import Decimal
from typing import Any

import pytest

from aggregation.mechanisms import MECHANISMS, mechanism_for
from aggregation.planning import expect
from reports.models import UseCase
from reports.planning import NotPossible, Plan, Question, advice, for_share, plan_document, plans
from reports.planning.plan import may_see_share

pytestmark = pytest.mark.exact

USUAL = Question()


def possible(question: Question) -> dict[str, Plan]:
    return {plan.algorithm: plan for plan in plans(question) if isinstance(plan, Plan)}


def of_sketches(question: Question) -> list[Plan | NotPossible]:
    return [plan for plan in plans(question) if not MECHANISMS[plan.algorithm].needs_dictionary]


def test_every_mechanism_has_a_plan_of_the_same_privacy() -> None:
    found = possible(USUAL)
    assert list(found) == list(MECHANISMS)
    for plan in found.values():
        assert plan.per_report == 4
        known = MECHANISMS[plan.algorithm]
        given = {**plan.parameters, **({"seed": "0" * 32} if known.has_seed else {})}
        mechanism = mechanism_for(plan.algorithm, known.for_dictionary(given, None))
        assert plan.report_bytes == mechanism.report_characters
        if not plan.finds_words:
            assert plan.expectation == expect(mechanism, 100_000, 2600, 1, 0.05)


def test_what_one_person_can_lose_adds_up() -> None:
    plan = possible(dataclasses.replace(USUAL, epsilon=Decimal("2.5"), limit=3, days=7, retention=30))[
        "CountMeanSketch"
    ]
    assert (plan.per_report, plan.per_day, plan.over_window) == (Decimal("2.5"), Decimal("7.5"), Decimal("52.5"))
    assert plan.days_held == UseCase(retention_days=30).days_held
    assert plan.over_retention == plan.per_day * plan.days_held


def test_words_share_epsilon_with_their_letters() -> None:
    for epsilon in ("4", "8", "0.01", "15.999", "0.03"):
        plan = possible(dataclasses.replace(USUAL, epsilon=Decimal(epsilon)))["SequenceFragmentPuzzle"]
        words, letters = (Decimal(plan.parameters[name]) for name in ("epsilon", "fragment_epsilon"))
        assert words + letters == Decimal(epsilon)
        assert words <= letters


def test_a_report_about_a_word_or_its_letters_spends_all_of_epsilon() -> None:
    found = possible(dataclasses.replace(USUAL, n=1_000_000, epsilon=Decimal(8)))
    plan, other = found["SampledFragmentPuzzle"], found["SequenceFragmentPuzzle"]
    assert (plan.per_report, other.per_report) == (Decimal(8), Decimal(8))
    assert (plan.parameters["g"], plan.parameters["fragment_share"]) == (2982, Decimal("0.8"))
    assert plan.expectation.visible > 3 * other.expectation.visible


def test_parameters_that_are_asked_for_are_taken() -> None:
    asked: dict[str, Any] = {"m": 512, "k": 300, "g": 40, "w": 9}
    for plan in possible(dataclasses.replace(USUAL, **asked)).values():
        own = plan.parameters.keys() & asked.keys()
        assert own
        assert {name: plan.parameters[name] for name in own} == {name: asked[name] for name in own}
    one = possible(dataclasses.replace(USUAL, algorithm="HadamardCountMeanSketch"))
    assert list(one) == ["HadamardCountMeanSketch"]


def test_more_reports_need_more_rows_and_then_more_buckets() -> None:
    sizes = [possible(dataclasses.replace(USUAL, n=n, size=250_000)) for n in (10**4, 10**6, 10**8)]
    for algorithm in ("CountMeanSketch", "HadamardCountMeanSketch"):
        rows = [Decimal(found[algorithm].parameters["k"]) for found in sizes]
        buckets = [Decimal(found[algorithm].parameters["m"]) for found in sizes]
        assert rows[0] < rows[1]
        assert buckets[1] < buckets[2]
    assert all(plan.expectation.visible > 100 for plan in sizes[2].values() if not plan.finds_words)


def test_of_one_bit_more_buckets_do_what_more_rows_would_and_cost_the_server_less() -> None:
    asked = dataclasses.replace(USUAL, algorithm="HadamardCountMeanSketch", n=10**6, size=10_000)
    (suggested,) = possible(asked).values()
    (many_rows,) = possible(dataclasses.replace(asked, m=32)).values()
    assert Decimal(suggested.parameters["k"]) <= 1024 < Decimal(many_rows.parameters["k"])
    assert suggested.expectation.standard_error <= many_rows.expectation.standard_error
    assert suggested.cost.seconds < many_rows.cost.seconds / 2


@pytest.mark.parametrize("epsilon", ["0.01", "1", "16"])
@pytest.mark.parametrize("n", [1, 1000, 10**9])
@pytest.mark.parametrize("size", [1, 10**7])
def test_what_is_suggested_is_always_possible_but_for_dictionaries_of_devices(n: int, size: int, epsilon: str) -> None:
    for days in (1, 100):
        found = plans(dataclasses.replace(USUAL, n=n, size=size, epsilon=Decimal(epsilon), days=days))
        assert all(isinstance(plan, Plan) != MECHANISMS[plan.algorithm].needs_dictionary for plan in found)


def test_what_cannot_be_is_left_out_with_a_reason() -> None:
    question = dataclasses.replace(USUAL, m=1024, k=70_000)
    found = plans(question)
    assert list(possible(question)) == ["CountMeanSketch", "HadamardCountMeanSketch", "SubsetSelection"]
    said = {plan.algorithm: str(plan.error) for plan in found if isinstance(plan, NotPossible)}
    assert "at most 16384" in said["SequenceFragmentPuzzle"]
    assert "from 2 to 65536, not 70000" in said["LocalHashing"]
    alone = dataclasses.replace(question, algorithm="SequenceFragmentPuzzle")
    assert advice(alone, plans(alone)).best is None


@pytest.mark.parametrize("epsilon", ["0.5", "1", "2", "4", "8"])
@pytest.mark.parametrize("size", [3000, 250_000])
def test_the_mechanism_with_the_least_noise_is_recommended(epsilon: str, size: int) -> None:
    question = dataclasses.replace(USUAL, n=10**6, epsilon=Decimal(epsilon), size=size)
    found = advice(question, plans(question))
    assert found.best is not None
    assert found.words is not None
    counting = [plan for plan in possible(question).values() if not plan.finds_words]
    assert found.best.noise <= 1.05 * min(plan.noise for plan in counting)
    # Of small dictionaries and a large ε, no hash function makes elements share noise.
    known = epsilon == "8" and size == 3000
    assert found.best.algorithm == ("SubsetSelection" if known else "LocalHashing")
    assert (found.needed, found.minimum, found.much) == (None, None, False)
    # Said beside it: the next best, and the one that crafted reports change least.
    others = [plan for plan in counting if plan != found.best]
    assert found.second == max(others, key=lambda plan: plan.expectation.visible)
    assert found.safest is not None
    assert 1.05 * found.safest.raised < found.best.raised


def test_of_two_that_are_as_good_the_one_with_smaller_reports_is_recommended() -> None:
    """Without local hashing and subsets: at a small ε one bit tells as much as many."""
    for epsilon, better in (("0.2", "HadamardCountMeanSketch"), ("4", "CountMeanSketch")):
        question = dataclasses.replace(USUAL, epsilon=Decimal(epsilon), n=10**7)
        found = [plan for plan in of_sketches(question) if plan.algorithm != "LocalHashing"]
        best = advice(question, found).best
        assert best is not None
        assert best.algorithm == better


def test_epsilon_is_as_small_as_the_wanted_share_allows() -> None:
    """Half a million reports a week about 3,000 elements, of which one with 0.5 % is to be seen."""
    asked = dataclasses.replace(USUAL, n=500_000 // 7, days=7, size=3000, share=Decimal("0.5"))
    question = for_share(asked)
    best = advice(question, plans(question)).recommended
    assert best is not None
    assert (best.algorithm, best.parameters["epsilon"]) == ("LocalHashing", Decimal("2.5"))
    assert best.expectation.limit.likely <= 0.005
    less = dataclasses.replace(question, epsilon=Decimal("2.4"))
    assert advice(less, plans(less)).recommended is None
    assert for_share(USUAL) == USUAL


@pytest.mark.parametrize("size", [2, 500, 3000, 10**6])
@pytest.mark.parametrize("n", [42_857, 10**6])
def test_recommended_mechanism_sees_the_wanted_share_at_the_smallest_epsilon_of_all(n: int, size: int) -> None:
    for share in ("0.5", "1", "1.47", "1.5", "2", "40"):
        wanted = for_share(dataclasses.replace(USUAL, n=n, days=7, size=size, share=Decimal(share)))
        best = advice(wanted, plans(wanted)).recommended
        assert best is not None
        assert 100 * best.expectation.limit.likely <= Decimal(share)
        if wanted.epsilon == (step := Decimal("0.1")):
            continue
        less = possible(dataclasses.replace(wanted, epsilon=wanted.epsilon - step))
        likely = min(plan.expectation.limit.likely for plan in less.values() if not plan.finds_words)
        assert 100 * likely > Decimal(share)


def test_smallest_epsilon_is_found_where_a_larger_one_sees_less() -> None:
    question = dataclasses.replace(USUAL, n=300, size=3000, share=Decimal("5.6"))
    found = for_share(question)
    more = dataclasses.replace(found, epsilon=Decimal(7))
    assert (found.epsilon < more.epsilon, advice(found, plans(found)).reached) == (True, True)
    assert not advice(more, plans(more)).reached


def test_no_share_is_seen_of_one_report() -> None:
    question = for_share(dataclasses.replace(USUAL, n=1, share=Decimal(100), algorithm="CountMeanSketch"))
    assert advice(question, plans(question)).reached is False


def test_a_share_that_is_out_of_reach_is_no_recommendation() -> None:
    question = for_share(dataclasses.replace(USUAL, n=10_000, share=Decimal("0.01")))
    found = advice(question, plans(question))
    assert (question.epsilon, found.reached, found.recommended) == (Decimal(16), False, None)
    alone = for_share(dataclasses.replace(USUAL, share=Decimal(5), algorithm="SequenceFragmentPuzzle"))
    assert advice(alone, plans(alone)).reached
    assert alone.epsilon > 1


@pytest.mark.parametrize("algorithm", ["CountMeanSketch", "HadamardCountMeanSketch", "LocalHashing"])
def test_a_complete_dictionary_needs_few_hash_functions(algorithm: str) -> None:
    question = dataclasses.replace(USUAL, n=10**7, epsilon=Decimal(8), algorithm=algorithm, m=64)
    (plain,) = possible(question).values()
    (found,) = possible(dataclasses.replace(question, complete=True)).values()
    assert (plain.corrected, found.corrected) == (False, True)
    assert Decimal(found.parameters["k"]) <= Decimal(plain.parameters["k"]) / 16
    # By at most 5 % above the noise, where collisions add more than they may without.
    assert found.expectation.standard_error * question.reports < 1.051 * (found.noise * question.reports) ** 0.5
    assert found.cost.seconds < plain.cost.seconds
    (large,) = possible(dataclasses.replace(question, complete=True, size=10**6)).values()
    assert not large.corrected, "too many to be gone through"


def test_with_too_few_reports_it_says_how_many_are_needed() -> None:
    for question in (dataclasses.replace(USUAL, n=100), dataclasses.replace(USUAL, n=2000, epsilon=Decimal("0.1"))):
        few = advice(question, plans(question))
        assert few.best is not None
        assert few.needed is not None
        assert few.minimum == UseCase().minimum_reports
        alone = dataclasses.replace(question, algorithm=few.best.algorithm)
        enough = dataclasses.replace(alone, n=round(1.6 * few.needed))
        assert advice(enough, plans(enough)).needed is None
        half = dataclasses.replace(alone, n=few.needed // 3)
        assert advice(half, plans(half)).needed is not None


@pytest.mark.parametrize("days", [1, 7])
def test_a_prescribed_threshold_hides_what_it_hides_in_histograms(days: int) -> None:
    free = dataclasses.replace(USUAL, days=days)
    bound = dataclasses.replace(free, prescribed_threshold=5_000)
    for algorithm, plan in possible(bound).items():
        before = possible(free)[algorithm]
        assert plan.expectation.limit.likely * bound.reports > 5_000
        assert plan.expectation.visible <= before.expectation.visible
        assert plan.parameters == before.parameters
    assert possible(bound)["CountMeanSketch"].expectation.limit.half == pytest.approx(5_000 / bound.reports, rel=0.01)
    below_noise = dataclasses.replace(free, prescribed_threshold=1)
    assert possible(below_noise) == possible(free)


def test_with_too_few_reports_for_a_prescribed_threshold_it_says_how_many_are_needed() -> None:
    question = dataclasses.replace(USUAL, n=10_000, algorithm="CountMeanSketch", prescribed_threshold=50_000)
    few = advice(question, plans(question))
    assert few.needed is not None
    assert few.needed * few.largest_share == pytest.approx(50_000, rel=0.05)
    enough = dataclasses.replace(question, n=round(1.05 * few.needed))
    assert advice(enough, plans(enough)).needed is None
    less = dataclasses.replace(question, n=round(0.9 * few.needed))
    assert advice(less, plans(less)).needed is not None


def test_much_epsilon_is_warned_of() -> None:
    for limit, much in ((2, False), (3, True)):
        question = dataclasses.replace(USUAL, limit=limit)
        assert advice(question, plans(question)).much == much


def test_the_document_has_every_figure() -> None:
    question = dataclasses.replace(USUAL, epsilon=Decimal("0.5"), n=2_000_000, m=1024, k=70_000)
    found = plans(question)
    written = json.loads(json.dumps(plan_document(question, found, advice(question, found))))
    assert written["question"]["epsilon"] == 0.5
    counting, _, local, _subsets, words, sampled = written["plans"]
    plan = found[0]
    assert isinstance(plan, Plan)
    assert counting["parameters"] == {"epsilon": 0.5, "k": 70_000, "m": 1024}
    assert counting["visible"] == plan.expectation.visible
    assert counting["smallest_share"]["likely"] == plan.expectation.limit.likely
    assert counting["epsilon"] == {"report": 0.5, "day": 0.5, "window": 0.5, "held": 52}
    assert "at most 16384" in words["problem"]
    assert "from 2 to 65536" in sampled["problem"]
    assert "from 2 to 65536" in local["problem"]
    assert written["recommended"] in MECHANISMS


def test_addresses_leave_out_what_is_usual() -> None:
    assert USUAL.parameters() == {}
    question = dataclasses.replace(USUAL, epsilon=Decimal("2.50"), n=7, m=64, algorithm="CountMeanSketch")
    assert question.parameters() == {"epsilon": "2.5", "n": "7", "algorithm": "CountMeanSketch", "m": "64"}


@pytest.mark.parametrize("algorithm", ["", "LocalHashing", "SampledFragmentPuzzle"])
def test_no_epsilon_that_is_enough_for_a_share_is_passed_over(algorithm: str) -> None:
    """Looking at the share alone finds every ε that whole plans find."""
    question = dataclasses.replace(USUAL, share=Decimal("0.6"), algorithm=algorithm)
    for tenths in range(8, 160, 12):
        one = dataclasses.replace(question, epsilon=Decimal(tenths) / 10)
        assert may_see_share(one) == bool(advice(one, plans(one)).reached), tenths
