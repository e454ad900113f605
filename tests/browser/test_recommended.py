"""Recommended on your device: nothing is asked for or sent once the page is there, and the ranking is Python's."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from django.contrib.auth.models import User
from playwright.sync_api import Request, expect

from aggregation import training
from reports.training import model_of, parameters_of
from tests.browser.conftest import Visit
from tests.browser.test_looks import assert_fits_and_reads
from tests.reports.trained import trained

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

SCRIPT = Path("reports/static/reports/recommended.js")


def test_marks_are_ranked_as_python_ranks_them_without_a_request(bob: User, visit: Callable[..., Visit]) -> None:
    run = trained()
    items = model_of(run)["items"]
    known = {2: 5.0, 5: 1.0, 9: 5.0}
    expected = training.foretold_on_device(parameters_of(run.version), items.astype(np.float64), known)
    best = [item for item in np.argsort(-expected, kind="stable").tolist() if item not in known]

    # Its attempt to send is refused with an error on the console.
    window = visit(width=390, dark=True)
    page = window.page
    window.log_in("bob")
    page.goto(f"{window.site}/training/films/recommended/")
    expect(page.locator("#live")).to_be_visible()
    asked: list[str] = []

    def note(request: Request) -> None:
        asked.append(request.url)

    page.on("request", note)
    for item, rating in known.items():
        page.get_by_role("searchbox").fill(run.item_names[item])
        # From the search down to the first title, and across to its second button: without a mouse.
        for key in ("ArrowDown", *(["ArrowRight"] if rating == 1 else []), "Enter"):
            page.keyboard.press(key)
        label = "Like" if rating == 5 else "Dislike"
        marked = page.get_by_role("button", name=f"{label}: {run.item_names[item]}", exact=True)
        expect(marked).to_have_attribute("aria-pressed", "true")
    page.get_by_role("searchbox").fill("")
    expect(page.locator("#ranked .film")).to_have_text([run.item_names[item] for item in best])
    scores = page.evaluate(
        """(known) => {
            const given = JSON.parse(document.getElementById("model").textContent);
            const model = recommending.modelOf(given);
            return recommending.scores(model, recommending.localParameters(model, new Map(known)));
        }""",
        [[item, rating] for item, rating in known.items()],
    )
    np.testing.assert_allclose(scores, expected, rtol=1e-9)
    expect(page.locator("#sent")).to_have_text("0")
    assert asked == []
    assert_fits_and_reads(page)
    page.get_by_role("button", name="Forget all").click()
    expect(page.locator("#hint")).to_be_visible()
    assert window.faults == []
    page.get_by_role("button", name="Let the page try").click()
    expect(page.locator("#tried")).to_have_text("Your browser refused: connect-src.")
    expect(page.locator("#refused")).to_have_text("1")
    expect(page.locator("#sent")).to_have_text("0")
    refused = [fault for fault in window.faults if "Content Security Policy" in fault or "CSP" in fault]
    assert refused == window.faults
    window.faults.clear()


def test_choices_are_solved_as_python_solves_them(visit: Callable[..., Visit]) -> None:
    """The script alone, with a model of choices, in which every item counts a little."""
    rng = np.random.default_rng(4)
    items = rng.normal(size=(9, 3)).astype(np.float32)
    task = training.TrainingTask.from_mapping(
        {
            "slug": "films", "title": "Films", "population": 60, "model": {"kind": "factored", "dimension": 2},
            "algorithm": "dpam", "rounds": 1, "target_epsilon": 1, "delta": 1e-3, "rating_range": [1, 5],
            "implicit_weight": 0.3,
        }
    )  # fmt: skip
    model = training.device_model(task, items)
    page = visit().page
    page.goto("about:blank")
    page.add_script_tag(content=SCRIPT.read_text(encoding="utf-8"))
    scores = page.evaluate(
        """({ rows, gramian, known, ...given }) => {
            const width = given.width;
            const model = { ...given, gramian, rowOf: (item) => rows.slice(item * width, (item + 1) * width) };
            return recommending.scores(model, recommending.localParameters(model, new Map(known)));
        }""",
        {
            "names": [""] * 9,
            "rows": items.astype(float).ravel().tolist(),
            "width": 3,
            "middle": model.middle,
            "constant": model.constant,
            "ridge": model.ridge.tolist(),
            "implicit": model.implicit_weight,
            "gramian": model.gramian.ravel().tolist(),
            "known": [[1, 1], [4, 1]],
        },
    )
    expected = training.foretold_on_device(task, items.astype(np.float64), {1: 1.0, 4: 1.0})
    np.testing.assert_allclose(scores, expected, rtol=1e-9)
