"""The file that the Plotly package brings."""

from pathlib import Path

import pytest
from django.contrib.staticfiles import finders

from reports.pages.staticfiles import PlotlyFinder

pytestmark = pytest.mark.exact


def test_the_script_of_the_plotly_package_is_found_and_nothing_else_of_it() -> None:
    found = finders.find("plotly/plotly.min.js")
    assert isinstance(found, str)
    assert Path(found).stat().st_size > 1_000_000
    assert not finders.find("plotly/widgetbundle.js")
    assert [path for path, _storage in PlotlyFinder().list(None)] == ["plotly.min.js"]
