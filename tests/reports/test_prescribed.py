"""A prescribed threshold: nothing below it is shown, in what comes and in what is published already."""

import datetime
from itertools import pairwise
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from reports.kinds import DISCOVERY, kind_of
from reports.models import Histogram, UseCase, Version
from reports.results import HistogramQuery, histogram_view
from tests.reports.comparing import comparison, counted_locales
from tests.reports.small_fleet import FRUITS, aggregate, days_ago, define, define_words, estimates, send, send_words
from tests.worlds import once

pytestmark = [pytest.mark.exact, pytest.mark.django_db]

# Numbers published anew that must be equal; ranks and elements are their keys.
NUMBERS = ("estimate", "standard_error", "lower", "upper", "adjusted_lower", "adjusted_upper", "threshold")
GROUPED = [{"element": fruit, "category": "early" if fruit < "c" else "late"} for fruit in FRUITS]


def published(version: Version) -> dict[Any, Any]:
    """All that is seen of a version, with its numbers rounded to what is the same on every way to it."""
    found = {}
    for histogram in version.histograms.all():
        key = (histogram.locale, histogram.first_day, histogram.last_day, histogram.grouping)
        rows = [[getattr(entry, name) for name in ("rank", "element", *NUMBERS)] for entry in histogram.entries]
        facts: list[Any] = [histogram.threshold, histogram.prescribed_threshold, histogram.below_threshold]
        if kind_of(version) is DISCOVERY:
            facts.append(_close(histogram.discovery.smallest_share))
        found[key] = (facts, [tuple(map(_close, row)) for row in rows])
    return found


def _close(value: Any) -> Any:
    return pytest.approx(value, rel=1e-9) if isinstance(value, float) else value


@once
def counted(**changes: Any) -> Version:
    """A day of 500 reports."""
    version = define(**changes)
    send(version, 500)
    return aggregate(version).version


def test_an_element_is_shown_above_the_larger_threshold() -> None:
    counted(prescribed_threshold=130)
    histogram = Histogram.objects.get(grouping="")
    assert (histogram.threshold, histogram.prescribed_threshold) == (130, 130)
    assert set(estimates(histogram)) == {"apple", "banana"}
    assert histogram.below_threshold == 4


def test_a_prescribed_threshold_below_the_statistical_one_changes_nothing() -> None:
    counted(prescribed_threshold=1)
    histogram = Histogram.objects.get(grouping="")
    assert set(estimates(histogram)) == {"apple", "banana", "cherry"}
    assert histogram.threshold is not None
    assert histogram.threshold > 1
    assert not histogram.is_prescribed


@once
def searched() -> Version:
    """Words of two days with 500 reports each."""
    version = define_words()
    for day in (2, 1):
        send_words(version, 500, day=days_ago(day), seed=day)
    return aggregate(version).version


def test_raised_it_leaves_of_lists_of_words_what_looking_again_would_find() -> None:
    version = searched()
    before = {histogram.pk: len(estimates(histogram)) for histogram in Histogram.objects.all()}
    generation = version.use_case.generation
    define_words(prescribed_threshold=120)
    assert UseCase.objects.get().generation > generation
    assert any(len(estimates(histogram)) < before[histogram.pk] for histogram in Histogram.objects.all())
    assert all(value >= 120 for histogram in Histogram.objects.all() for value in estimates(histogram).values())
    in_place = published(version)
    Histogram.objects.all().delete()
    version.refresh_from_db()
    aggregate(version)
    assert published(version) == in_place


def test_raised_it_drops_what_is_kept_of_dictionaries() -> None:
    version = define(dictionary=GROUPED)
    send(version, 500)
    aggregate(version)
    assert Histogram.objects.count() == 2
    generation = version.use_case.generation
    define(dictionary=GROUPED, prescribed_threshold=120)
    assert UseCase.objects.get().generation > generation
    assert not Histogram.objects.exists()
    for group in ("", "category"):
        entries = shown(group=group).entries
        assert {entry.threshold for entry in entries} == ({120} if group else {None})
        assert all(entry.estimate >= 120 for entry in entries)


def shown(**query: Any) -> Histogram:
    """Return the histogram that the page of the use case opens with."""
    histogram = histogram_view(UseCase.objects.get(), HistogramQuery(**query)).histogram
    assert histogram is not None
    return histogram


def test_raised_it_names_no_day_on_which_a_word_stood_out_by_less() -> None:
    version = searched()
    assert any(entry.first_day for h in Histogram.objects.all() for entry in h.entries)
    define_words(prescribed_threshold=120)
    assert not any(entry.first_day for h in Histogram.objects.all() for entry in h.entries)
    # Published from then on, days are named on which the word reached what is prescribed by itself.
    send_words(version, 500, day=days_ago(0), seed=5)
    version.refresh_from_db()
    aggregate(version)
    whole = Histogram.objects.get(first_day=days_ago(2), last_day=days_ago(0))
    seen: dict[str, datetime.date | None] = {entry.display: entry.first_day for entry in whole.entries}
    assert seen["lol"] == days_ago(2)
    assert seen["o"] is None  # some fifty a day, and more than 120 of three


def test_lowered_it_holds_at_once_for_dictionaries() -> None:
    counted(prescribed_threshold=130)
    assert set(estimates(shown())) == {"apple", "banana"}
    define()
    assert set(estimates(shown())) == {"apple", "banana", "cherry"}
    assert shown().prescribed_threshold is None


def test_what_a_page_with_an_old_use_case_in_hand_keeps_is_not_shown_by_others() -> None:
    counted()
    old = UseCase.objects.get()
    define(prescribed_threshold=130)
    histogram_view(old, HistogramQuery())
    assert set(estimates(shown())) == {"apple", "banana"}


def test_a_form_of_the_admin_raises_it_too(admin_client: Client) -> None:
    version = counted()
    page = reverse("admin:reports_usecase_change", args=[version.use_case_id])
    form = admin_client.get(page).context["adminform"].form
    data = {name: "" if form[name].value() is None else form[name].value() for name in form.fields}
    data |= {"slug": "fruits", "viewer_groups": [], "privacy_published": "", "dictionary_complete": ""}
    wrong = admin_client.post(page, data | {"prescribed_threshold": "0"})
    assert "Must be a whole number of at least 1, not 0." in wrong.content.decode()
    assert admin_client.post(page, data | {"prescribed_threshold": "130"}).status_code == 302
    assert UseCase.objects.get().prescribed_threshold == 130
    assert set(estimates(shown())) == {"apple", "banana"}


def test_both_sides_of_a_comparison_keep_it() -> None:
    """An element below it on a side has no share there, but a bound that is no smaller."""
    counted_locales()  # 3,000 reports each: cherries are 300 of one side, 1,200 of the other
    free = {row.element: row for row in comparison(locale="en_US", other_locale="fr_FR").rows}
    assert free["cherry"].first.value is not None
    define(prescribed_threshold=600)
    view = comparison(locale="en_US", other_locale="fr_FR")
    rows = {row.element: row for row in view.rows}
    assert rows.keys() == {"apple", "banana", "cherry"}
    assert rows["cherry"].first.value is None
    assert rows["cherry"].first.at_most > 600 / 3000
    assert rows["cherry"].difference is None
    # Cherries are clearly more in French whatever the others are: at least T of one side, at most the bound of other.
    assert (rows["cherry"].lower, rows["cherry"].upper) != (free["cherry"].lower, free["cherry"].upper)
    define(prescribed_threshold=1000)
    assert {row.element for row in comparison(locale="en_US", other_locale="fr_FR").rows} == {"apple", "cherry"}


def test_pages_and_files_say_which_threshold_holds(client: Client, bob: User) -> None:
    version = define(prescribed_threshold=130)
    send(version, 500, day=days_ago(1))
    aggregate(version)
    client.force_login(bob)
    document = client.get(reverse("use_case_json", args=["fruits"])).json()
    assert (document["threshold"], document["prescribed_threshold"]) == (130, 130)
    lines = client.get(reverse("use_case_csv", args=["fruits"])).getvalue().decode().splitlines()
    header, first = (line.split(",") for line in lines[:2])
    assert first[header.index("prescribed_threshold")] == "130"
    assert float(first[header.index("threshold")]) == 130
    point = client.get(reverse("trend_json", args=["fruits"])).json()["points"][-1]
    assert (point["threshold"], point["prescribed_threshold"]) == (130, 130)
    page = client.get(reverse("use_case", args=["fruits"])).content.decode()
    assert "= 26.00 %, prescribed" in page.replace("\u202f", " ").replace("\u00a0", " ")
    assert "T = 130 reports is prescribed: elements below it are not shown" in page
    assert "Prescribed threshold, in reports" in page
    privacy = client.get(reverse("use_case_privacy_json", args=["fruits"])).json()
    assert privacy["threshold"]["prescribed_threshold"] == 130
    assert any("T is never below 130 reports" in rule for rule in privacy["threshold"]["rules"])


def test_higher_thresholds_leave_fewer_elements_and_wider_intervals() -> None:
    counted()
    found = []
    for prescribed in (None, 130, 200):
        define(**({} if prescribed is None else {"prescribed_threshold": prescribed}))
        entries = list(shown().entries)
        apple = entries[0]
        found.append((len(entries), apple.adjusted_upper - apple.adjusted_lower, apple.upper - apple.lower))
    assert [shown for shown, _adjusted, _plain in found] == [3, 2, 1]
    assert all(one < other for (_s, one, _p), (_t, other, _q) in pairwise(found))
    assert len({plain for _shown, _adjusted, plain in found}) == 1
