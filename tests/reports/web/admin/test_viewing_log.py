"""Viewings in the admin: read by owners, about their own use cases; and pages of the admin that are viewings."""

from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from reports.models import ApiToken, Histogram, UseCase, Viewing
from reports.viewings import record_viewing
from reports.words import Decided, decide
from tests.reports.found_words import define_search, find
from tests.reports.small_fleet import define
from tests.reports.web.admin.forms import change, make_draft, page

pytestmark = [pytest.mark.exact, pytest.mark.django_db]

LIST = page("viewing_changelist")


@pytest.fixture
def fruits(bob: User, charlie: User) -> UseCase:
    fruits = define().use_case
    vegetables = define(slug="vegetables", title="Vegetables", owner_group="gardeners").use_case
    token, _secret = ApiToken.create("dashboard", may_read=True)
    record_viewing(bob, fruits, "page")
    record_viewing(bob, fruits, "csv")
    record_viewing(token, fruits, "api")
    record_viewing(charlie, vegetables, "json")
    return fruits


def listed(client: Client, **filters: Any) -> list[str]:
    return [viewing.what for viewing in client.get(LIST, filters).context["cl"].result_list]


def test_owners_see_and_filter_viewings_of_their_own(as_alice: Client, as_root: Client, fruits: UseCase) -> None:
    assert listed(as_alice) == ["api", "csv", "page"]
    shown = as_alice.get(LIST).content.decode()
    assert "dashboard" in shown
    assert "download as CSV" in shown
    assert f"{LIST}?use_case__id__exact={fruits.pk}" in as_alice.get(change(fruits)).content.decode()
    assert listed(as_root) == ["json", "api", "csv", "page"]
    assert listed(as_root, use_case__id__exact=fruits.pk) == ["api", "csv", "page"]
    assert listed(as_root, what="csv") == ["csv"]
    assert len(listed(as_root, what="\0")) == len(listed(as_root, what="nothing")) == 4
    assert listed(as_root, user__id__exact=User.objects.get(username="bob").pk) == ["csv", "page"]
    assert listed(as_root, token__id__exact=ApiToken.objects.get().pk) == ["api"]


# --- Pages of the admin that show results ---


def seen() -> list[tuple[str, str]]:
    return list(Viewing.objects.order_by("use_case__slug").values_list("use_case__slug", "what"))


def test_a_list_of_words_is_a_viewing_of_each_use_case_in_it(as_root: Client) -> None:
    for slug in ("slang", "jargon"):
        version = define_search(slug=slug)
        for locale in ("en_US", "fr_FR"):
            find(version, ["lmao"], locale=locale)
    as_root.get(page("histogram_changelist"))
    assert seen() == [("jargon", "admin"), ("slang", "admin")]
    Viewing.objects.all().delete()
    as_root.get(page("histogram_changelist"), {"locale__exact": "de_DE"})  # none
    as_root.get(page("histogram_change", 10**9))
    assert seen() == []
    shown = Histogram.objects.filter(version__use_case__slug="slang")[0]
    as_root.get(change(shown))
    as_root.get(page("histogram_history", shown.pk))
    assert seen() == [("slang", "admin")] * 2


def test_taking_words_into_a_dictionary_is_a_viewing(as_alice: Client, admin_user: User) -> None:
    version = define_search()
    find(version, ["lmao"])
    decide(admin_user, version.use_case, "en_US", [Decided("lmao", "accepted", "chat")])
    draft = make_draft(define())
    as_alice.post(page("version_dictionary", draft.pk), {"named": f"{version.use_case.pk} chat en_US"})
    assert seen() == [("slang", "words")]


def test_decisions_are_searched_and_filtered(as_alice: Client, admin_user: User) -> None:
    version = define_search()
    find(version, ["lmao", "hoe"])
    decide(
        admin_user, version.use_case, "en_US", [Decided("hoe", "rejected"), Decided("lmao", "accepted", "slang", "fun")]
    )
    for filters in ({"verdict__exact": "accepted"}, {"q": "fun"}):
        shown = as_alice.get(page("worddecision_changelist"), filters).context["cl"].result_list
        assert [decision.word for decision in shown] == ["lmao"]
