"""The part of plotly.js that draws charts, which is kept beside the code as npm has it."""

import hashlib
from pathlib import Path

import pytest
from django.contrib.staticfiles import finders
from plotly.offline import get_plotlyjs_version

pytestmark = pytest.mark.exact


def served(name: str) -> Path:
    found = finders.find(f"plotly/{name}")
    assert isinstance(found, str), name
    return Path(found)


def test_script_is_the_basic_part_of_the_version_that_figures_are_shaped_for() -> None:
    head = served("plotly-basic.min.js").read_text(encoding="utf-8")[:200]
    assert f"plotly.js (basic - minified) v{get_plotlyjs_version()}\n" in head, "run `make plotly`"


def test_files_are_as_they_were_fetched() -> None:
    listed = dict(line.split()[::-1] for line in served("SHA256SUMS").read_text(encoding="ascii").splitlines())
    found = {name: hashlib.sha256(served(name).read_bytes()).hexdigest() for name in listed}
    assert found == listed, "run `make plotly`"
    assert set(listed) == {"plotly-basic.min.js", "LICENSE"}


def test_the_whole_of_plotly_is_not_served() -> None:
    assert finders.find("plotly/plotly.min.js") is None
