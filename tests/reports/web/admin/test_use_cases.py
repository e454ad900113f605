"""Making and changing use cases and budget groups."""

import pytest
from django.contrib.auth.models import Group
from django.test import Client

from reports.models import BudgetGroup, UseCase, Version
from reports.web.admin.use_case_form import UseCaseForm
from tests.reports.small_fleet import define
from tests.reports.web.admin.forms import USE_CASE, change, history, page, use_case_form

pytestmark = [pytest.mark.exact, pytest.mark.django_db]


def test_the_first_page_leads_a_superuser_to_the_first_use_case(as_root: Client) -> None:
    assert page("usecase_add") in as_root.get("/admin/").content.decode()
    assert as_root.get(page("usecase_changelist")).status_code == 200


def test_a_superuser_makes_one_and_stays_on_its_page(as_root: Client) -> None:
    group = Group.objects.create(name="browser")
    response = as_root.post(page("usecase_add"), USE_CASE | {"viewer_groups": [group.pk]}, follow=True)
    made = UseCase.objects.get()
    assert response.redirect_chain[-1][0] == change(made)
    assert (made.title, made.minimum_reports, list(made.viewer_groups.all())) == ("Loud domains", 1000, [group])
    assert history(made) == ["Added."]
    assert f"{page('version_add')}?use_case=loud-domains" in response.content.decode()


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"slug": "Loud"}, "lower-case letters and digits"),
        ({"title": "  "}, "required"),
        ({"minimum_reports": "many"}, "whole number"),
        ({"false_positive_rate": "1"}, "Must be a number above 0 and below 1, not 1.0."),
    ],
)
@pytest.mark.usefixtures("db")
def test_what_is_refused_is_said_beside_the_field(wrong: dict[str, str], words: str) -> None:
    form = UseCaseForm(USE_CASE | wrong)
    assert [*form.errors] == [*wrong]
    assert words in str(form.errors)


def test_what_is_refused_is_not_shown_as_what_is_in_force(as_root: Client, version: Version) -> None:
    said = as_root.post(change(version.use_case), use_case_form(version.use_case, daily_limit="0")).content.decode()
    assert "Must be a whole number of at least 1, not 0." in said
    assert "1 report a day, its own" in said


def test_the_identifier_is_made_of_the_title_while_there_is_none(as_root: Client, version: Version) -> None:
    script = "admin/js/prepopulate_init.js"
    assert "#id_title" in as_root.get(page("usecase_add")).content.decode().split(script)[1]
    assert "#id_title" not in as_root.get(change(version.use_case)).content.decode()


@pytest.mark.parametrize(
    ("title", "slug"),
    [
        ("Lieux très bruyants", "lieux-tres-bruyants"),
        ("a_b  c!", "a-b-c"),
        ("x" * 79 + " y", "x" * 79),
        ("絵文字", "use-case-2"),
        ("…", "use-case-2"),
    ],
)
def test_an_identifier_that_is_left_empty_is_chosen(version: Version, title: str, slug: str) -> None:
    UseCase.objects.update(slug="use-case-1")
    form = UseCaseForm(USE_CASE | {"title": title, "slug": ""})
    assert (form.is_valid(), form.instance.slug) == (True, slug)


def test_an_identifier_that_is_chosen_may_be_taken(version: Version) -> None:
    form = UseCaseForm(USE_CASE | {"title": version.use_case.slug, "slug": ""})
    assert "already exists" in form.errors["slug"][0]


def test_without_an_active_version_no_device_is_asked(as_root: Client, version: Version) -> None:
    asked, silent = "Devices are asked, and reports are taken in.", "No version is active: devices are not asked"
    said = as_root.get(change(version.use_case)).content.decode()
    assert asked in said
    assert silent not in said
    Version.objects.update(state=Version.State.DRAFT)
    said = as_root.get(change(version.use_case)).content.decode()
    assert asked not in said
    assert silent in said


def test_every_field_says_what_it_does(as_root: Client, version: Version) -> None:
    for address in (page("usecase_add"), page("version_add"), page("budgetgroup_add")):
        form = as_root.get(address).context["adminform"].form
        assert [name for name, field in form.fields.items() if len(str(field.help_text)) < 30] == []


def test_an_owner_changes_it_and_history_says_from_what_to_what(as_alice: Client, version: Version) -> None:
    body = use_case_form(version.use_case, title="Fresh fruits", minimum_reports=500, viewer_groups=[])
    assert as_alice.post(change(version.use_case), body).status_code == 302
    (said,) = history(version.use_case)
    assert "Title: Fruits → Fresh fruits" in said
    assert "100 → 500" in said
    assert "keyboard → (empty)" in said
    assert "Fresh fruits" in as_alice.get(page("usecase_history", version.use_case.pk)).content.decode()


def test_the_identifier_stays_once_devices_know_it(as_root: Client, version: Version) -> None:
    as_root.post(change(version.use_case), use_case_form(version.use_case, slug="other"))
    assert UseCase.objects.get().slug == "fruits"
    Version.objects.update(state=Version.State.DRAFT)
    as_root.post(change(version.use_case), use_case_form(version.use_case, slug="other"))
    assert UseCase.objects.get().slug == "other"


def test_in_a_budget_group_the_limit_of_the_group_is_shown(as_alice: Client, version: Version) -> None:
    group = BudgetGroup.objects.create(name="Garden", daily_limit=3)
    UseCase.objects.update(budget_group=group, daily_limit=7)
    said = as_alice.get(change(version.use_case)).content.decode()
    assert "3 a day, shared in the budget group “Garden”" in said
    assert "(7) has no effect" in said


def test_a_budget_group_shows_its_loss(as_root: Client, version: Version) -> None:
    other = define(slug="vegetables", title="Vegetables", parameters={"epsilon": 2, "k": 64, "m": 64})
    group = BudgetGroup.objects.create(name="Garden", daily_limit=3)
    UseCase.objects.filter(pk__in=[version.use_case.pk, other.use_case.pk]).update(budget_group=group)
    said = as_root.get(change(group)).content.decode()
    assert "3 reports × ε = 8 → 24" in said
    assert "Fruits, Vegetables" in said


def test_a_budget_group_can_be_deleted_once_it_is_empty(as_root: Client, version: Version) -> None:
    group = BudgetGroup.objects.create(name="Garden")
    UseCase.objects.update(budget_group=group)
    address = page("budgetgroup_delete", group.pk)
    assert as_root.post(address, {"post": "yes"}).status_code == 403
    UseCase.objects.update(budget_group=None)
    as_root.post(address, {"post": "yes"})
    assert not BudgetGroup.objects.exists()


def test_titles_are_no_markup(as_root: Client, version: Version) -> None:
    attack = "<script>alert(1)</script>"
    body = use_case_form(version.use_case, title=attack, description=attack)
    as_root.post(change(version.use_case), body)
    BudgetGroup.objects.create(name=attack)
    UseCase.objects.update(budget_group=BudgetGroup.objects.get())
    define(slug="vegetables", title=attack)
    UseCase.objects.update(budget_group=BudgetGroup.objects.get())
    addresses = [change(version), change(version.use_case), page("usecase_changelist"), page("version_changelist")]
    addresses += [page("usecase_history", version.use_case.pk), page("budgetgroup_changelist")]
    addresses += [page("version_dictionary", version.pk)]
    for address in addresses:
        said = as_root.get(address).content.decode()
        assert attack not in said, address
        assert "&lt;script&gt;" in said, address
