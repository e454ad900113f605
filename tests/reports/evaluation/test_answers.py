"""Answers of evaluations: which parameters are recommended, from documents that are written by hand or were kept."""

import json
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from scipy.stats import norm, t

from ldpsite.env import BASE_DIR
from reports.evaluation.answers import answers, usual_epsilon
from reports.evaluation.cell_facts import CellFacts, facts_of

pytestmark = pytest.mark.exact

ONE_INPUT = {"input": {"distributions": [{"name": "harmonic", "n": 10**6, "N": 2000}]}}
SMALL, LARGE = {"k": 65535, "m": 32}, {"k": 256, "m": 1024}


def cell(
    parameters: dict[str, int],
    delta_r: Sequence[float] = (0.1, 0.2, 0.3),
    *,
    error: float = 0.01,
    delta_e: float = 0.02,
    counts: Sequence[int] = (900, 500, 300),
    in_order: Sequence[int] = (100, 95, 34),
    epsilon: float = 4,
    name: str = "harmonic",
    in_any_order: Sequence[int] = (100, 97, 67),
) -> dict[str, Any]:
    rows = zip(counts, delta_r, strict=True)
    return {
        "input": name,
        "mechanism": "CountMeanSketch",
        "parameters": parameters,
        "epsilon": epsilon,
        "top": [
            {"count": count, "delta_r": moved, "delta_e": delta_e, "mse": 400.0, "variance": 400.0}
            for count, moved in rows
        ],
        "delta_r_error": [error] * len(counts),
        "expected_mse": [400.0] * len(counts),
        "mean_mse_error": 1.0,
        "first_in_order": list(in_order),
        "first_in_any_order": list(in_any_order),
    }


def said(*cells: dict[str, Any], first: int = 3, epsilon: float | None = None, repetitions: int = 100) -> str:
    """Return the answer for an ε, or for the one that is opened."""
    inputs = [{"name": name, "n": 10**6, "N": 2000} for name in {cell["input"] for cell in cells}]
    facts = facts_of({"input": {"distributions": inputs}, "R": repetitions, "cells": list(cells)}, first)
    found = answers(facts, usual_epsilon(facts) if epsilon is None else epsilon)
    return " ".join(found).replace("\u00a0", " ")


def test_chances_with_their_intervals_come_with_what_to_take() -> None:
    shown = said(cell(SMALL), cell(LARGE))
    assert "take Count Mean Sketch, k = 65,535, m = 32; a report takes 14 B." in shown
    assert "first 3 exactly in order is 34 % (25 % to 44 %); that it shows the right 3, in any order, 67 %" in shown
    assert "first 2 exactly in order is 95 % (89 % to 98 %)" in said(cell(SMALL), cell(LARGE), first=2)


def test_the_smaller_report_is_cheaper_whatever_tenths_of_seconds_it_takes() -> None:
    """Counting takes the server 0.1 s longer with the many hash functions, and a report is a nineteenth as long."""
    assert "take Count Mean Sketch, k = 65,535, m = 32" in said(cell(LARGE), cell(SMALL))


def test_a_place_at_the_line_does_not_hold_by_luck() -> None:
    at_line, below = (cell(SMALL, (0.1, 0.5, last), error=0.05) for last in (0.9, 0.89))
    assert "none of these. With Count Mean Sketch, k = 65,535, m = 32 most do, the first 2." in said(
        at_line, cell(LARGE, (2, 2, 2))
    )
    assert "take Count Mean Sketch, k = 65,535, m = 32" in said(below, cell(LARGE, (2, 2, 2)))
    unknown: Any = None
    assert "no place holds" in said(cell(SMALL, error=unknown), cell(LARGE, error=unknown))


def test_repetitions_that_agree_are_as_uncertain_as_a_mean_of_so_many_whole_numbers() -> None:
    for repetitions, holds in ((2, 0), (3, 0), (5, 3), (20, 3)):
        agreeing = cell(SMALL, (0.4, 0.4, 0.4), error=0)
        (facts,) = facts_of({**ONE_INPUT, "R": repetitions, "cells": [agreeing]}, 3)
        assert facts.held == holds
    unlikely = cell(SMALL, (0.1, 0.5, 0.99), error=0)
    assert "the first 2 hold" in said(unlikely)
    assert "the first 3 hold" in said(unlikely, repetitions=1000)


def test_the_margin_of_few_repetitions_is_of_student() -> None:
    for repetitions in (5, 10, 20, 50, 100):
        exact = t.ppf(norm.cdf(2), repetitions - 1) * 0.25
        for side, holds in ((-1, 3), (1, 2)):
            at_line = cell(SMALL, (0.1, 0.1, 1 - exact + side * 0.02), error=0.25)
            facts = facts_of({**ONE_INPUT, "R": repetitions, "cells": [at_line]}, 3)
            assert facts[0].held == holds, repetitions


def test_of_few_repetitions_nothing_is_recommended() -> None:
    cells = [
        cell(each, epsilon=e, in_order=(19, 19, 19), in_any_order=(19, 19, 19))
        for each in (SMALL, LARGE)
        for e in (2, 4)
    ]
    assert said(*cells, repetitions=19) == (
        "19 repetitions are too few to recommend anything: repeat 20 times or more."
    )
    assert "take Count Mean Sketch, k = 65,535, m = 32" in said(*cells, repetitions=20)
    alone = cell(SMALL, in_order=(2, 2, 2), in_any_order=(2, 2, 2))
    shown = said(alone, repetitions=2)
    assert "with Count Mean Sketch, k = 65,535, m = 32: The chance that" in shown
    assert "exactly in order is 100 % (34 % to 100 %)" in shown
    assert "hold" not in shown
    unknown: Any = None
    once = cell(SMALL, error=unknown, in_order=(1, 1, 1), in_any_order=(1, 1, 1))
    assert said(once, repetitions=1).startswith("A single repetition is too few")


def test_sure_is_what_the_whole_interval_is_enough_for() -> None:
    for times, sure in ((90, False), (95, False), (96, True), (100, True)):
        shown = said(cell(SMALL, in_order=(100, 98, times)))
        assert ("It is sure that the first 3 are exactly in order in 9 of 10 histograms." in shown) == sure
    for repetitions, sure in ((34, False), (35, True)):
        every = [repetitions] * 3
        cells = [cell(SMALL, epsilon=each, in_order=every, in_any_order=every) for each in (2, 4)]
        shown = said(*cells, repetitions=repetitions)
        assert ("enough: ε = 2 for 9 of 10 histograms" in shown) == sure
        assert ("It takes 35 repetitions or more to be sure of 9 of 10 histograms." in shown) != sure


def test_an_epsilon_that_is_enough_by_what_was_seen_but_not_surely_is_named() -> None:
    for seen, named in ((89, False), (90, True), (95, True), (96, False)):
        smaller, larger = (cell(SMALL, epsilon=e, in_order=(100, 99, n)) for e, n in ((2, seen), (4, 99)))
        shown = said(smaller, larger)
        words = "For the exact order ε = 2 may be enough: 100 repetitions cannot tell, more would."
        assert (words in shown) == named
        assert "ε = 4 may be enough" not in shown


def test_places_whose_counts_are_off_over_many_histograms_do_not_hold() -> None:
    assert "take Count Mean Sketch, k = 256, m = 1,024" in said(cell(SMALL, delta_e=0.11), cell(LARGE))


def test_parameters_that_have_the_order_right_are_named_beside_the_cheapest() -> None:
    better = "The best chance of the exact order, 60 % (50 % to 69 %), has Count Mean Sketch, k = 256, m = 1,024"
    assert better in said(cell(SMALL), cell(LARGE, in_order=(100, 99, 60)))
    assert "The best chance" not in said(cell(SMALL), cell(LARGE, in_order=(100, 99, 40)))
    sure = "surely shows the exact order in 9 of 10 histograms is Count Mean Sketch, k = 256, m = 1,024: its chance"
    exact = cell(LARGE, in_order=(100, 99, 96))
    assert sure in said(cell(SMALL), exact)
    assert said(cell(SMALL), exact).count("take ") == 1
    assert "surely shows" not in said(cell(SMALL), cell(LARGE, in_order=(100, 99, 95)))
    assert "surely shows" not in said(cell(SMALL, in_order=(100, 96, 34)), exact, first=2)


def test_of_equal_reports_at_about_the_same_cost_the_surest_of_the_order_is_recommended() -> None:
    likely, surest = ({"k": k, "m": 32} for k in (60000, 65535))
    found = facts_of({**ONE_INPUT, "R": 100, "cells": [cell(likely), cell(surest)]}, 3)
    assert found[0].report_bytes == found[1].report_bytes
    assert found[0].cost < found[1].cost
    shown = said(cell(likely, in_order=(100, 100, 94)), cell(surest, in_order=(100, 100, 100)))
    assert "take Count Mean Sketch, k = 65,535, m = 32" in shown
    assert "Of the cheapest with which the first 3 places hold, it has the best chance of the exact order." in shown
    assert shown.count("take ") == 1
    assert "take Count Mean Sketch, k = 60,000, m = 32" in said(cell(likely), cell(surest))
    # The answer that holds comes first, and a report of another size is another cost.
    assert "take Count Mean Sketch, k = 60,000" in said(cell(likely), cell(surest, (3, 3, 3), in_order=(100, 100, 100)))
    assert "take Count Mean Sketch, k = 65,535" in said(cell(SMALL), cell(LARGE, in_order=(100, 100, 100)))


COLLIDE = "More ε will not help here: elements collide. Take more hash functions (k), or the corrected estimates."


def test_where_collisions_are_the_limit_no_larger_epsilon_is_suggested() -> None:
    few = {"k": 256, "m": 32}
    most_of_error = {**cell(few, (3, 3, 3)), "expected_mse": [2e6] * 3}
    for cells in ([most_of_error], [most_of_error, most_of_error]):
        assert COLLIDE in said(*cells)
        assert "Take a larger ε" not in said(*cells)
    # A count that is off for good is as hopeless; one that may be off by luck is not.
    assert COLLIDE in said({**cell(few, delta_e=0.3), "expected_mse": [1.0] * 3})
    lucky = cell(few, delta_e=0.3)
    for row in lucky["top"]:
        row["variance"] = 1e6
    assert "Take a larger ε" in said(lucky)
    # With many hash functions, or corrected, noise is what is left.
    assert "Take a larger ε" in said(most_of_error, cell(SMALL, (3, 3, 3)))
    assert "Take a larger ε" in said({**most_of_error, "parameters": {**few, "estimator": "corrected"}})
    assert COLLIDE in said({**most_of_error, "delta_r_error": [0.01] * 3, "top": cell(few, (0.1, 3, 3))["top"]})
    assert COLLIDE not in said({**most_of_error, "top": cell(few)["top"]})


@pytest.mark.parametrize("name", ["harmonic", "exponential"])
def test_collisions_limit_few_buckets_and_hash_functions_of_the_paper_at_any_epsilon(name: str) -> None:
    for epsilon in (1, 2, 4, 8):
        few, *_others, many = paper(20)[name, epsilon]
        assert few.is_limited_by_collisions
        assert not many.is_limited_by_collisions


def test_the_smallest_epsilon_for_all_counts_is_named_and_opened() -> None:
    lost, right = (0.1, 0.2, 3.0), (100, 97, 96)
    cells = [
        # Each of them is enough with other parameters.
        *(cell(SMALL, epsilon=2, in_order=right), cell(LARGE, lost, epsilon=2)),
        *(cell(SMALL, lost, epsilon=2, name="exponential"), cell(LARGE, epsilon=2, name="exponential", in_order=right)),
        *(cell(each, epsilon=e, in_order=right) for each in (SMALL, LARGE) for e in (4, 8)),
        *(cell(each, epsilon=e, in_order=right, name="exponential") for each in (SMALL, LARGE) for e in (4, 8)),
    ]
    shown = said(*cells)
    assert "ε = 4 (2 gives 34 %) for 9 of 10 histograms to show the first 3 exactly in order, none for the" in shown
    assert "and ε = 4 for these places to hold. This is for all counts with the same parameters." in shown
    assert "At ε = 4, exponential counts: take" in shown
    assert "(2 gives 95 %) for 9 of 10 histograms to show the first 2 exactly in order, ε = 2 for the right 2" in said(
        *cells, first=2
    )
    none = said(cell(SMALL, lost, epsilon=1), cell(SMALL, lost, epsilon=2))
    assert "and none for these places to hold. At ε = 2, harmonic counts" in none


def test_of_one_set_of_parameters_it_is_said_how_much_holds() -> None:
    shown = said(cell({"k": 256, "m": 32}, (0.1, 0.5, 3), name="published", in_order=(100, 96, 34)))
    assert "At ε = 4, the published chart, with Count Mean Sketch, k = 256, m = 32: of the first 3 places" in shown
    assert "the first 2 hold. It is sure that the first 2 are exactly in order in 9 of 10 histograms." in shown
    assert "off by 20 reports in a single histogram (place 3 has 300), and by 2.00 % on average over many." in shown
    assert "none of the first 3 places holds. Take a larger ε" in said(cell({"k": 256, "m": 32}, (3, 3, 3)))


def test_counts_that_are_alike_have_no_order() -> None:
    shown = said(cell(SMALL, counts=(5, 5, 5), name="even"), cell(SMALL))
    assert "At ε = 4, even counts: all are equally frequent, so that no order is right." in shown


def test_the_paper_is_named() -> None:
    same = "k = 65,535, m = 32 is also what the paper of the evaluation model chose (Baidu’s security lab, 2018)."
    assert same in said(cell(SMALL), cell(LARGE))
    other = said(
        cell(SMALL, (0.1, 3, 3)), cell(LARGE), cell(SMALL, name="exponential"), cell(LARGE, name="exponential")
    )
    assert same not in other
    assert "(Baidu’s security lab, 2018) chose k = 65,535, m = 32: with these the first 1 of 3 places hold." in other


def paper(first: int) -> dict[tuple[str, float], list[CellFacts]]:
    """The paper's experiment as it is kept: by kind of counts and ε, its four sets of parameters."""
    document = json.loads((BASE_DIR / "docs" / "evaluation" / "fixed.json").read_text(encoding="utf-8"))
    found: dict[tuple[str, float], list[CellFacts]] = {}
    for each in facts_of(document, first):
        found.setdefault((each.distribution, each.epsilon), []).append(each)
    return found


@pytest.mark.parametrize("first", [10, 20])
def test_few_buckets_and_hash_functions_are_never_enough_for_the_paper(first: int) -> None:
    cells = [each for own in paper(first).values() for each in own if each.cell["parameters"] == {"k": 256, "m": 32}]
    assert [each.holds for each in cells] == [False] * 8


def held(each: CellFacts) -> str:
    return f"{each.held} · {each.root_mse:,.0f}"


def shares(each: CellFacts) -> str:
    return " · ".join(f"{each.chance(name)['share']:.0%}" for name in ("first_in_order", "first_in_any_order"))


@pytest.mark.parametrize(("first", "write"), [(20, held), (10, shares)])
def test_tables_of_the_documentation_say_what_the_page_says(first: int, write: Callable[[CellFacts], str]) -> None:
    lines = (BASE_DIR / "docs" / "evaluation.md").read_text(encoding="utf-8").replace("*", "").splitlines()
    for (name, epsilon), own in paper(first).items():
        assert f"| {epsilon:g} | {name} | {' | '.join(map(write, own))} |" in lines
