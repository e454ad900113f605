"""The figure of a histogram: what is drawn where, in shares and in numbers, on both kinds of axis."""

import json
import math
from typing import Any

import plotly.graph_objects as go
import pytest
from django.test import Client

from reports.models import Histogram
from reports.results import HistogramQuery, histogram_view
from reports.templatetags.figures import figure_script
from reports.web.pages.figures import Chart, label
from reports.web.pages.histogram.histogram_chart import figure
from tests.reports.entries import change_entries
from tests.reports.small_fleet import days_ago, define
from tests.reports.web.pages.reading import PAGE, chart, make_histogram, table, words
from tests.worlds import once

pytestmark = [pytest.mark.exact, pytest.mark.django_db]

# n = 10,000 and T = 50; 1,000 reports less the rank, from 880 to 1,120.
N = 10_000


@pytest.fixture
@once
def histogram(db: None) -> Histogram:
    version = define(dictionary_complete=True)
    make_histogram(version, ["apple", "fig", "date"])
    found = Histogram.objects.get()
    Histogram.objects.update(f2=1.0)
    change_entries(consistent=800.0)
    # One of these is so small that its interval reaches below zero, and one just above.
    change(rank=2, estimate=60.0, adjusted_lower=-30.0, adjusted_upper=150.0)
    change(rank=3, estimate=55.0, adjusted_lower=8.0, adjusted_upper=102.0, consistent=0.0)
    return found


def change(rank: int, **values: Any) -> None:
    change_entries(lambda entry: entry.rank == rank, **values)


def drawn(histogram: Histogram, **query: str) -> dict[str, Any]:
    day = histogram.first_day
    parameters = {"from": str(day), "to": str(day)} | query
    view = histogram_view(histogram.version.use_case, HistogramQuery.from_parameters(parameters))
    assert view.histogram is not None
    return figure(view.histogram, view.rows, view.query)


def ends(trace: dict[str, Any]) -> list[tuple[float, float]]:
    """Return the ends of the intervals, on the axis."""
    bars = trace["error_x"]
    return [
        (x - below, x + above) for x, below, above in zip(trace["x"], bars["arrayminus"], bars["array"], strict=True)
    ]


def test_bars_are_shares_in_percent_or_numbers(histogram: Histogram) -> None:
    for query, scale in (({}, 100 / N), ({"unit": "count"}, 1)):
        shaped = drawn(histogram, **query)
        (trace,) = shaped["data"]
        assert (trace["type"], trace["meta"]) == ("bar", {"role": "bar"})
        assert trace["x"] == pytest.approx([999 * scale, 60 * scale, 55 * scale])
        found = [end for pair in ends(trace) for end in pair]
        assert found == pytest.approx([value * scale for value in (880, 1120, -30, 150, 8, 102)])
        (line,) = shaped["layout"]["shapes"]
        (note,) = shaped["layout"]["annotations"]
        assert (line["x0"], line["x1"], note["x"]) == pytest.approx([50 * scale] * 3)
        assert "type" not in shaped["layout"]["xaxis"]
        assert line["name"] == note["name"] == "threshold", "for its colour"
    assert shaped["layout"]["xaxis"]["title"]["text"] == "Estimated number of reports"


@pytest.mark.parametrize(("unit", "scale"), [("", 100 / N), ("count", 1)])
def test_on_a_logarithmic_axis_intervals_that_reach_zero_leave_the_chart(
    histogram: Histogram, unit: str, scale: float
) -> None:
    shaped = drawn(histogram, scale="log", unit=unit)
    (trace,) = shaped["data"]
    axis = shaped["layout"]["xaxis"]
    # There is no zero from which a bar could begin.
    assert (trace["type"], trace["mode"], axis["type"]) == ("scatter", "markers", "log")
    assert trace["x"] == pytest.approx([999 * scale, 60 * scale, 55 * scale])
    left, right = (10**end for end in axis["range"])
    first, below_zero, small = ends(trace)
    assert first == pytest.approx((880 * scale, 1120 * scale))
    assert small == pytest.approx((8 * scale, 102 * scale)), "small, but on the axis"
    assert 0 < below_zero[0] < left, "a logarithm has to exist, and lie outside"
    assert left < 8 * scale
    assert right > 1120 * scale
    assert all(left <= tick <= right for tick in axis["tickvals"])
    assert 3 <= len(axis["tickvals"]) <= 6
    # Plotly takes the value of a line, but the logarithm of a text's place.
    assert shaped["layout"]["shapes"][0]["x0"] == pytest.approx(50 * scale)
    assert shaped["layout"]["annotations"][0]["x"] == pytest.approx(math.log10(50 * scale))


def test_ticks_of_a_logarithmic_axis_are_round_and_in_full(histogram: Histogram) -> None:
    axis = drawn(histogram, scale="log")["layout"]["xaxis"]
    assert axis["ticktext"] == ["0.1\u00a0%", "0.3\u00a0%", "1\u00a0%", "3\u00a0%", "10\u00a0%"]
    axis = drawn(histogram, scale="log", unit="count")["layout"]["xaxis"]
    assert axis["ticktext"] == ["10", "30", "100", "300", "1,000"]
    change(rank=1, adjusted_upper=1e9)
    assert drawn(histogram, scale="log", unit="count")["layout"]["xaxis"]["ticktext"][-1] == "1,000,000,000"


def test_a_lower_end_next_to_zero_does_not_stretch_a_logarithmic_axis(histogram: Histogram) -> None:
    change(rank=3, adjusted_lower=1e-9)
    shaped = drawn(histogram, scale="log", unit="count")
    assert shaped["layout"]["xaxis"]["range"][0] > 0
    assert ends(shaped["data"][0])[2][0] < 10 ** shaped["layout"]["xaxis"]["range"][0]


def test_consistent_values_have_no_intervals(histogram: Histogram) -> None:
    for scale in ("", "log"):
        (trace,) = drawn(histogram, values="consistent", scale=scale)["data"]
        assert trace["x"] == pytest.approx([8, 8, 0])
        assert "error_x" not in trace
        assert "consistent: about 800 reports, 8.00\u00a0% of all" in trace["hovertext"][0]
        assert "about 999 reports, 9.99\u00a0% of all" in trace["hovertext"][0]
        assert "880 to 1,120" in trace["hovertext"][0]


def test_the_page_draws_and_says_what_was_chosen(histogram: Histogram, as_bob: Client) -> None:
    day = f"from={days_ago(1)}&to={days_ago(1)}"
    page = as_bob.get(f"{PAGE}?{day}")
    assert "With n = 10,000 reports, an element needs a share of about 0.50 % to be seen." in words(page)
    assert "Chart of estimated shares" in words(page)
    page = as_bob.get(f"{PAGE}?{day}&unit=count&scale=log")
    assert chart(page)["layout"]["xaxis"]["type"] == "log"
    assert "The axis of the chart is logarithmic and has no zero" in words(page)
    assert "led by apple with 999;" in words(page)
    # The form brings along what links have chosen.
    assert '<input type="hidden" name="unit" value="count">' in words(page)
    page = as_bob.get(f"{PAGE}?{day}&values=consistent")
    assert chart(page)["data"][0]["x"] == pytest.approx([8, 8, 0])
    for text in ("95 % interval, raw", "have no interval of their own", "Norm-Sub"):
        assert text in words(page), text
    page = as_bob.get(f"{PAGE}?{day}&values=consistent&unit=count")
    assert "Consistent estimate" in words(page)
    assert words(page).count('<td role="cell" class="number value">800</td>') == 2


def test_what_cannot_be_chosen_is_not_offered(histogram: Histogram, as_bob: Client) -> None:
    day = f"from={days_ago(1)}&to={days_ago(1)}"
    assert "values=consistent" in words(as_bob.get(f"{PAGE}?{day}"))
    use_case = histogram.version.use_case
    use_case.dictionary_complete = False
    use_case.save()
    assert "values=consistent" not in words(as_bob.get(f"{PAGE}?{day}"))
    # A link from before still works: without what is not there.
    assert as_bob.get(f"{PAGE}?{day}&values=consistent").headers["Location"] == f"{PAGE}?{day}"
    assert len(table(as_bob.get(f"{PAGE}?{day}"))) == 3


def test_the_figure_is_one_that_plotly_knows(histogram: Histogram) -> None:
    for query in ({}, {"scale": "log", "unit": "count"}, {"values": "consistent", "scale": "log"}):
        shaped = drawn(histogram, **query)
        # It refuses what it does not know, and what has the wrong type.
        assert json.loads(go.Figure(shaped).to_json()) == json.loads(json.dumps(shaped))


def test_labels_are_no_markup() -> None:
    assert label('<a href="x">&amp;') == '&lt;a href="x"&gt;&amp;amp;'


def test_a_picture_says_where_its_numbers_come_from() -> None:
    chart = Chart({}, "Summary", "file", provenance=[("n", "10"), ("α", "0.05")])
    assert chart.origin == "n: 10 · α: 0.05"


def test_what_is_written_in_a_picture_is_in_the_page(histogram: Histogram, as_bob: Client) -> None:
    day = days_ago(1)
    page = as_bob.get(f"{PAGE}?from={day}&to={day}").content.decode()
    assert 'data-title="Fruits: English (United States), ' in page
    assert 'data-caption="Estimated share of reports, not of people' in page
    assert 'data-origin="Use case: fruits · Version: 1 · Algorithm: Count Mean Sketch · ε: 8' in page
    exactly = f"http://testserver{PAGE}?locale=en_US&amp;from={day}&amp;to={day}&amp;version=1&amp;top=20"
    assert f'data-address="{exactly}"' in page
    assert f'href="{exactly}"' in page


def test_nothing_in_a_figure_ends_its_element() -> None:
    figure = {"data": [{"name": "</script><!--&\u2028\u00e9", "y": [1.5, None]}]}
    script = figure_script(figure, "days-figure")
    text = script.removeprefix('<script id="days-figure" type="application/json">').removesuffix("</script>")
    assert not set("<>&") & set(text)
    assert json.loads(text) == figure
