"""Plans: parameters, figures, and what is recommended."""

import dataclasses
import json
from decimal import Decimal
from typing import Any

import numpy as np
import pytest
from scipy.stats import binom

from aggregation.estimation import summarize
from aggregation.mechanisms import MECHANISMS, mechanism_for
from aggregation.mechanisms.subset_selection.distribution import draw
from aggregation.mechanisms.subset_selection.mechanism import SubsetSelection
from aggregation.planning import Prospect, zipf_frequencies
from reports.models import UseCase
from reports.planning import MOST_A_DAY, NotPossible, Plan, Question, advice, curve, plan_document, plans, solve

exact = pytest.mark.exact
USUAL = Question()


def possible(question: Question) -> dict[str, Plan]:
    return {plan.algorithm: plan for plan in plans(question) if isinstance(plan, Plan)}


def of_sketches(question: Question) -> list[Plan | NotPossible]:
    return [plan for plan in plans(question) if not MECHANISMS[plan.algorithm].needs_dictionary]


@exact
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
            assert plan.expectation == Prospect(mechanism, 100_000, 2600, 1, 0.05).expect()


@exact
def test_what_one_person_can_lose_adds_up() -> None:
    plan = possible(dataclasses.replace(USUAL, epsilon=Decimal("2.5"), limit=3, days=7, retention=30))[
        "CountMeanSketch"
    ]
    assert (plan.per_report, plan.per_day, plan.over_window) == (Decimal("2.5"), Decimal("7.5"), Decimal("52.5"))
    assert plan.days_held == UseCase(retention_days=30).days_held
    assert plan.over_retention == plan.per_day * plan.days_held


@exact
def test_words_share_epsilon_with_their_letters() -> None:
    for epsilon in ("4", "8", "0.01", "15.999", "0.03"):
        plan = possible(dataclasses.replace(USUAL, epsilon=Decimal(epsilon)))["SequenceFragmentPuzzle"]
        words, letters = (Decimal(plan.parameters[name]) for name in ("epsilon", "fragment_epsilon"))
        assert words + letters == Decimal(epsilon)
        assert words <= letters


@exact
def test_a_report_about_a_word_or_its_letters_spends_all_of_epsilon() -> None:
    found = possible(dataclasses.replace(USUAL, n=1_000_000, epsilon=Decimal(8)))
    plan, other = found["SampledFragmentPuzzle"], found["SequenceFragmentPuzzle"]
    assert (plan.per_report, other.per_report) == (Decimal(8), Decimal(8))
    assert (plan.parameters["g"], plan.parameters["fragment_share"]) == (2982, Decimal("0.8"))
    assert plan.expectation.visible > 3 * other.expectation.visible


@exact
def test_parameters_that_are_asked_for_are_taken() -> None:
    asked: dict[str, Any] = {"m": 512, "k": 300, "g": 40, "w": 9}
    for plan in possible(dataclasses.replace(USUAL, **asked)).values():
        own = plan.parameters.keys() & asked.keys()
        assert own
        assert {name: plan.parameters[name] for name in own} == {name: asked[name] for name in own}
    one = possible(dataclasses.replace(USUAL, algorithm="HadamardCountMeanSketch"))
    assert list(one) == ["HadamardCountMeanSketch"]


@exact
def test_more_reports_need_more_rows_and_then_more_buckets() -> None:
    sizes = [possible(dataclasses.replace(USUAL, n=n, size=250_000)) for n in (10**4, 10**6, 10**8)]
    for algorithm in ("CountMeanSketch", "HadamardCountMeanSketch"):
        rows = [Decimal(found[algorithm].parameters["k"]) for found in sizes]
        buckets = [Decimal(found[algorithm].parameters["m"]) for found in sizes]
        assert rows[0] < rows[1]
        assert buckets[1] < buckets[2]
    assert all(plan.expectation.visible > 100 for plan in sizes[2].values() if not plan.finds_words)


@exact
def test_of_one_bit_more_buckets_do_what_more_rows_would_and_cost_the_server_less() -> None:
    asked = dataclasses.replace(USUAL, algorithm="HadamardCountMeanSketch", n=10**6, size=10_000)
    (suggested,) = possible(asked).values()
    (many_rows,) = possible(dataclasses.replace(asked, m=32)).values()
    assert Decimal(suggested.parameters["k"]) <= 1024 < Decimal(many_rows.parameters["k"])
    assert suggested.expectation.standard_error <= many_rows.expectation.standard_error
    assert suggested.cost.seconds < many_rows.cost.seconds / 2


@exact
@pytest.mark.parametrize("epsilon", ["0.01", "1", "16"])
@pytest.mark.parametrize("n", [1, 1000, 10**9])
@pytest.mark.parametrize("size", [1, 10**7])
def test_what_is_suggested_is_always_possible_but_for_dictionaries_of_devices(n: int, size: int, epsilon: str) -> None:
    for days in (1, 100):
        found = plans(dataclasses.replace(USUAL, n=n, size=size, epsilon=Decimal(epsilon), days=days))
        assert all(isinstance(plan, Plan) != MECHANISMS[plan.algorithm].needs_dictionary for plan in found)


@exact
def test_what_cannot_be_is_left_out_with_a_reason() -> None:
    question = dataclasses.replace(USUAL, m=1024, k=70_000)
    found = plans(question)
    assert list(possible(question)) == ["CountMeanSketch", "HadamardCountMeanSketch", "SubsetSelection"]
    said = {plan.algorithm: str(plan.error) for plan in found if isinstance(plan, NotPossible)}
    assert "at most 16384" in said["SequenceFragmentPuzzle"]
    assert "from 2 to 65536, not 70000" in said["LocalHashing"]
    alone = dataclasses.replace(question, algorithm="SequenceFragmentPuzzle")
    assert advice(alone, plans(alone)).best is None


@exact
@pytest.mark.parametrize("epsilon", ["0.5", "1", "2", "4", "8"])
@pytest.mark.parametrize("size", [3000, 250_000])
def test_the_mechanism_with_the_least_noise_is_recommended(epsilon: str, size: int) -> None:
    question = dataclasses.replace(USUAL, n=10**6, epsilon=Decimal(epsilon), size=size)
    found = advice(question, plans(question))
    assert found.best is not None
    assert found.words is not None
    counting = [plan for plan in possible(question).values() if not plan.finds_words]
    assert found.best.noise <= 1.05 * min(plan.noise for plan in counting)
    # With small dictionaries and a large ε, no hash function makes elements share noise.
    known = epsilon == "8" and size == 3000
    assert found.best.algorithm == ("SubsetSelection" if known else "LocalHashing")
    assert (found.needed, found.minimum, found.much) == (None, None, False)
    # Said beside it: the next best, and the one that crafted reports change least.
    others = [plan for plan in counting if plan != found.best]
    assert found.second == max(others, key=lambda plan: plan.expectation.visible)
    assert found.safest is not None
    assert 1.05 * found.safest.raised < found.best.raised


@exact
def test_of_two_that_are_as_good_the_one_with_smaller_reports_is_recommended() -> None:
    """Plans without local hashing and subsets: at a small ε one bit tells as much as many."""
    for epsilon, better in (("0.2", "HadamardCountMeanSketch"), ("4", "CountMeanSketch")):
        question = dataclasses.replace(USUAL, epsilon=Decimal(epsilon), n=10**7)
        found = [plan for plan in of_sketches(question) if plan.algorithm != "LocalHashing"]
        best = advice(question, found).best
        assert best is not None
        assert best.algorithm == better


@exact
def test_epsilon_is_as_small_as_the_wanted_share_allows() -> None:
    """Half a million reports a week about 3,000 elements, of which one with 0.5 % is to be seen."""
    asked = dataclasses.replace(USUAL, n=500_000 // 7, days=7, size=3000, find="epsilon", share=Decimal("0.5"))
    question = solve(asked)
    best = advice(question, plans(question)).recommended
    assert best is not None
    assert (best.algorithm, best.parameters["epsilon"]) == ("LocalHashing", Decimal("2.5"))
    assert best.expectation.limit.likely <= 0.005
    less = dataclasses.replace(question, epsilon=Decimal("2.4"))
    assert advice(less, plans(less)).recommended is None
    assert solve(USUAL) == USUAL


@exact
@pytest.mark.parametrize("size", [2, 500, 3000, 10**6])
@pytest.mark.parametrize("n", [42_857, 10**6])
def test_recommended_mechanism_sees_the_wanted_share_at_the_smallest_epsilon_of_all(n: int, size: int) -> None:
    for share in ("0.5", "1", "1.47", "1.5", "2", "40"):
        wanted = solve(dataclasses.replace(USUAL, n=n, days=7, size=size, find="epsilon", share=Decimal(share)))
        best = advice(wanted, plans(wanted)).recommended
        assert best is not None
        assert 100 * best.expectation.limit.likely <= Decimal(share)
        if wanted.epsilon == (step := Decimal("0.1")):
            continue
        less = possible(dataclasses.replace(wanted, epsilon=wanted.epsilon - step))
        likely = min(plan.expectation.limit.likely for plan in less.values() if not plan.finds_words)
        assert 100 * likely > Decimal(share)


@exact
def test_smallest_epsilon_is_found_where_a_larger_one_sees_less() -> None:
    question = dataclasses.replace(USUAL, n=300, size=3000, find="epsilon", share=Decimal("5.6"))
    found = solve(question)
    more = dataclasses.replace(found, epsilon=Decimal(7))
    assert (found.epsilon < more.epsilon, advice(found, plans(found)).reached) == (True, True)
    assert not advice(more, plans(more)).reached


@exact
def test_no_share_is_seen_of_one_report() -> None:
    question = solve(dataclasses.replace(USUAL, n=1, find="epsilon", share=Decimal(100), algorithm="CountMeanSketch"))
    assert advice(question, plans(question)).reached is False


@exact
def test_a_share_that_is_out_of_reach_is_no_recommendation() -> None:
    question = solve(dataclasses.replace(USUAL, n=10_000, find="epsilon", share=Decimal("0.01")))
    found = advice(question, plans(question))
    assert (question.epsilon, found.reached, found.recommended) == (Decimal(16), False, None)
    alone = solve(dataclasses.replace(USUAL, find="epsilon", share=Decimal(5), algorithm="SequenceFragmentPuzzle"))
    assert advice(alone, plans(alone)).reached
    assert alone.epsilon > 1


@exact
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


@exact
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


@exact
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


@exact
def test_with_too_few_reports_for_a_prescribed_threshold_it_says_how_many_are_needed() -> None:
    question = dataclasses.replace(USUAL, n=10_000, algorithm="CountMeanSketch", prescribed_threshold=50_000)
    few = advice(question, plans(question))
    assert few.needed is not None
    assert few.needed * few.largest_share == pytest.approx(50_000, rel=0.05)
    enough = dataclasses.replace(question, n=round(1.05 * few.needed))
    assert advice(enough, plans(enough)).needed is None
    less = dataclasses.replace(question, n=round(0.9 * few.needed))
    assert advice(less, plans(less)).needed is not None


@exact
def test_much_epsilon_is_warned_of() -> None:
    for limit, much in ((2, False), (3, True)):
        question = dataclasses.replace(USUAL, limit=limit)
        assert advice(question, plans(question)).much == much


@exact
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


@exact
def test_addresses_leave_out_what_is_usual() -> None:
    assert USUAL.parameters() == {}
    question = dataclasses.replace(USUAL, epsilon=Decimal("2.50"), n=7, m=64, algorithm="CountMeanSketch")
    assert question.parameters() == {"epsilon": "2.5", "n": "7", "algorithm": "CountMeanSketch", "m": "64"}


@exact
@pytest.mark.parametrize("algorithm", ["", "LocalHashing", "SampledFragmentPuzzle"])
@pytest.mark.parametrize("probability", ["0.5", "0.9", "0.99"])
def test_fewest_reports_see_the_wanted_share_and_one_less_does_not(algorithm: str, probability: str) -> None:
    for share, complete in (("0.5", False), ("3", True)):
        asked = dataclasses.replace(
            USUAL,
            find="n",
            n=1,
            share=Decimal(share),
            complete=complete,
            algorithm=algorithm,
            probability=Decimal(probability),
        )
        found = solve(asked)
        assert advice(found, plans(found)).reached
        less = dataclasses.replace(found, n=found.n - 1)
        assert not advice(less, plans(less)).reached


@exact
@pytest.mark.parametrize("probability", ["0.5", "0.9", "0.99"])
def test_smallest_share_is_seen_and_a_little_less_is_not(probability: str) -> None:
    asked = dataclasses.replace(USUAL, probability=Decimal(probability))
    for algorithm, plan in possible(asked).items():
        for parts, seen in ((0, True), (1, False)):
            share = Decimal(100 * (plan.expectation.limit.likely - parts / 64**7))
            one = dataclasses.replace(asked, share=share, algorithm=algorithm)
            assert advice(one, plans(one)).reached == seen, algorithm


@exact
def test_what_is_out_of_reach_is_said_with_the_best_that_is_possible() -> None:
    """Not even most reports show so little at so small an ε, and the share that they show is shown."""
    asked = dataclasses.replace(USUAL, find="n", share=Decimal("0.001"), epsilon=Decimal("0.01"), k=64)
    found = solve(asked)
    told = advice(found, plans(found))
    assert (found.n, told.reached, told.recommended) == (MOST_A_DAY, False, None)
    best = dataclasses.replace(found, share=Decimal(100 * told.smallest))
    assert advice(best, plans(best)).reached


@exact
def test_curve_has_the_question_and_falls_with_reports_and_epsilon() -> None:
    found = curve(dataclasses.replace(USUAL, epsilon=Decimal(3)), "LocalHashing")
    assert [epsilon for epsilon, _shares in found.lines] == [1, 2, 3, 4, 8]
    assert 100_000 in found.reports
    shares = np.array([line for _epsilon, line in found.lines], float)
    assert (np.diff(shares, axis=1) < 0).all()
    assert (np.diff(shares, axis=0) < 0).all()
    at = shares[2, found.reports.index(100_000)]
    (plan,) = possible(dataclasses.replace(USUAL, epsilon=Decimal(3), algorithm="LocalHashing")).values()
    assert at == plan.expectation.limit.likely


@pytest.mark.statistical
def test_solved_reports_show_the_share_as_often_as_wanted() -> None:
    """Histograms of the planned law, where the fifth element has the wanted share. False alarm: 2e-6, both ways."""
    size, rank, histograms = 100, 4, 300
    law = zipf_frequencies(size, 1).shares
    asked = dataclasses.replace(
        USUAL, find="n", share=Decimal(100 * law[rank]), size=size, epsilon=Decimal(2), algorithm="SubsetSelection"
    )
    found = solve(asked)
    elements = [f"e{number}" for number in range(size)]
    planned = possible(found)["SubsetSelection"].parameters
    mechanism = SubsetSelection.of(found.epsilon, elements, int(planned["w"]))
    counts = np.round(found.n * law).astype(np.int64)
    rngs = [np.random.default_rng([19, number]) for number in range(histograms)]
    drawn = draw(mechanism, mechanism.points(elements), np.tile(counts, (histograms, 1)), rngs)
    n = int(counts.sum())
    seen = sum(bool(summarize(mechanism.debiased, read_out, n, 0.05).above[rank]) for read_out in drawn)
    assert binom.ppf(1e-6, histograms, 0.9) <= seen <= binom.isf(1e-6, histograms, 0.9)
