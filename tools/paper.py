"""Repeat the experiment of the evaluation model's paper, and draw its figures: `make paper`.

With `--figures` the figures alone are drawn again, of the documents that are kept.
"""

import json
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import django

ROOT: Final = Path(__file__).parent.parent
FOLDER: Final = ROOT / "docs" / "evaluation"
SEED: Final = 2018
# The paper states neither ε nor whether the hash functions are drawn anew.
GRIDS: Final[dict[str, dict[str, Any]]] = {"fixed": {}, "fresh": {"family": "fresh", "epsilon": [4]}}
# Parts of the experiment on one core at each ε, and the figures that are drawn.
DRAWN: Final = (2.0, 4.0, 8.0)
BROWSERS: Final = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
PAGE: Final = """<!DOCTYPE html><html lang="en" data-theme="light"><meta charset="utf-8">
<style>{style} body {{ margin: 0; background: #fff; }} .chart {{ width: 900px; }}</style>
<div id="chart" class="chart" data-figure="figure" style="min-height: {height}px"></div>
<script type="application/json" id="figure">{figure}</script>
<script>{plotly}</script><script>{chart}</script></html>"""


def evaluate() -> None:
    """Run the experiment, some twelve minutes on one core, and keep its documents."""
    from aggregation.evaluation import blocks, do_block, evaluation_document, read_grid

    for name, changes in GRIDS.items():
        grid = read_grid(changes, str)
        done = {}
        for block in blocks(grid):
            done[block] = do_block(grid, block, SEED)
            print(f"{name}: {grid.shapes[block.shape].parameters}, epsilon = {block.epsilon}", file=sys.stderr)
        text = json.dumps(evaluation_document(grid, SEED, done))
        (FOLDER / f"{name}.json").write_text(text + "\n", encoding="utf-8")


def figures() -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield name and figure of each picture, as the page of an evaluation has them."""
    from aggregation.evaluation import read_grid
    from reports.evaluation.cell_facts import facts_of
    from reports.web.pages.evaluation.evaluation_charts import charts

    grid = read_grid({}, str)
    cells = facts_of(json.loads((FOLDER / "fixed.json").read_text(encoding="utf-8")), grid.top)
    for epsilon in DRAWN:
        own = [cell for cell in cells if cell.epsilon == epsilon]
        for _title, chart in charts(grid, own, provenance=[], address=""):
            name = chart.name.removeprefix("evaluation-")
            if name == "ranks" or epsilon == 4:
                yield (name if name == "inputs" else f"{name}-{epsilon:g}"), chart.figure


def draw() -> None:
    """Draw the figures in a browser, by what draws them on pages."""
    from playwright.sync_api import sync_playwright

    program = next(path for name in BROWSERS if (path := shutil.which(name)))
    static = ROOT / "reports" / "static"
    plotly = (static / "plotly" / "plotly-basic.min.js").read_text(encoding="utf-8")
    chart = (static / "reports" / "chart.js").read_text(encoding="utf-8")
    style = (static / "reports" / "site.css").read_text(encoding="utf-8")
    with sync_playwright() as playwright, tempfile.TemporaryDirectory() as folder:
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 900, "height": 700})
        for name, figure in figures():
            file = Path(folder) / "page.html"
            text = json.dumps(figure).replace("<", "\\u003c")
            height = figure["layout"]["height"]
            filled = PAGE.format(style=style, height=height, figure=text, plotly=plotly, chart=chart)
            file.write_text(filled, encoding="utf-8")
            page.goto(file.as_uri())
            page.wait_for_selector("#chart[data-drawn]")
            page.locator("#chart").screenshot(path=FOLDER / f"{name}.png")
            print(FOLDER / f"{name}.png")
        browser.close()


def main(arguments: list[str]) -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "ldpsite.settings")
    django.setup()
    FOLDER.mkdir(exist_ok=True)
    if "--figures" not in arguments:
        evaluate()
    draw()


if __name__ == "__main__":
    main(sys.argv[1:])
