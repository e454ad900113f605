"""Making and changing use cases and budget groups."""

import pytest
from django.contrib.auth.models import Group, User
from django.test import Client

from reports.definitions import Entry, revise_dictionary
from reports.models import BudgetGroup, DictionaryDraft, UseCase, Version, WordDecision
from reports.web.admin.dictionary_admin import entries_address
from reports.web.admin.use_case_form import UseCaseForm
from tests.reports.small_fleet import define
from tests.reports.web.admin.forms import USE_CASE, change, history, page, use_case_form

pytestmark = [pytest.mark.exact, pytest.mark.django_db]


def test_a_superuser_makes_one_and_stays_on_its_page(as_root: Client) -> None:
    assert page("usecase_add") in as_root.get("/admin/").content.decode()
    assert as_root.get(page("usecase_changelist")).status_code == 200
    group = Group.objects.create(name="browser")
    response = as_root.post(page("usecase_add"), USE_CASE | {"viewer_groups": [group.pk]}, follow=True)
    made = UseCase.objects.get()
    assert response.redirect_chain[-1][0] == change(made)
    assert (made.title, made.minimum_reports, list(made.viewer_groups.all())) == ("Loud domains", 1000, [group])
    assert history(made) == ["Added."]
    assert f"{page('version_add')}?use_case=loud-domains" in response.content.decode()


@pytest.mark.usefixtures("db")
def test_problems_stand_beside_their_field() -> None:
    for wrong, words in (
        ({"slug": "Loud"}, "lower-case letters and digits"),
        ({"title": "  "}, "required"),
        ({"minimum_reports": "many"}, "whole number"),
        ({"false_positive_rate": "1"}, "Must be a number above 0 and below 1, not 1.0."),
    ):
        form = UseCaseForm(USE_CASE | wrong)
        assert [*form.errors] == [*wrong]
        assert words in str(form.errors)


def test_what_is_refused_is_not_shown_as_what_is_in_force(as_root: Client, version: Version) -> None:
    said = as_root.post(change(version.use_case), use_case_form(version.use_case, daily_limit="0")).content.decode()
    assert "Must be a whole number of at least 1, not 0." in said
    assert "1 report a day, its own" in said


def test_an_identifier_is_made_of_the_title(as_root: Client, version: Version) -> None:
    """By a script where there is one, and else by the form."""
    script = "admin/js/prepopulate_init.js"
    assert "#id_title" in as_root.get(page("usecase_add")).content.decode().split(script)[1]
    assert "#id_title" not in as_root.get(change(version.use_case)).content.decode()
    UseCase.objects.update(slug="use-case-1")
    for title, slug in (
        ("Lieux très bruyants", "lieux-tres-bruyants"),
        ("a_b  c!", "a-b-c"),
        ("x" * 79 + " y", "x" * 79),
        ("絵文字", "use-case-2"),
        ("…", "use-case-2"),
    ):
        form = UseCaseForm(USE_CASE | {"title": title, "slug": ""})
        assert (form.is_valid(), form.instance.slug) == (True, slug)


def test_an_identifier_that_is_made_may_be_taken(version: Version) -> None:
    form = UseCaseForm(USE_CASE | {"title": version.use_case.slug, "slug": ""})
    assert "already exists" in form.errors["slug"][0]


def test_without_an_active_version_no_device_is_asked(as_root: Client, version: Version) -> None:
    asked, silent = "Devices are asked, and reports are accepted.", "No version is active: devices are not asked"
    for state, said, unsaid in ((Version.State.ACTIVE, asked, silent), (Version.State.DRAFT, silent, asked)):
        Version.objects.update(state=state)
        shown = as_root.get(change(version.use_case)).content.decode()
        assert (said in shown, unsaid in shown) == (True, False)


def test_every_field_says_what_it_does(as_root: Client, version: Version) -> None:
    for address in (page("usecase_add"), page("version_add"), page("budgetgroup_add")):
        form = as_root.get(address).context["adminform"].form
        assert [name for name, field in form.fields.items() if len(str(field.help_text)) < 30] == []


def test_an_owner_changes_it_and_history_says_from_what_to_what(as_alice: Client, version: Version) -> None:
    """The publication of its privacy page is one of the fields."""
    use_case = version.use_case
    changed = {"title": "Fresh fruits", "minimum_reports": 500, "viewer_groups": [], "privacy_published": "on"}
    assert as_alice.post(change(use_case), use_case_form(use_case, **changed)).status_code == 302
    (said,) = history(use_case)
    for words in (
        "Title: Fruits → Fresh fruits",
        "100 → 500",
        "keyboard → (empty)",
        "Everybody may read its privacy page: no → yes",
    ):
        assert words in said
    assert "Fresh fruits" in as_alice.get(page("usecase_history", use_case.pk)).content.decode()
    assert Client().get("/use-cases/fruits/privacy/").status_code == 200
    use_case.refresh_from_db()
    as_alice.post(change(use_case), use_case_form(use_case))
    assert history(use_case)[0] == "Everybody may read its privacy page: yes → no"
    assert Client().get("/use-cases/fruits/privacy/").status_code == 302


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


def test_texts_are_no_markup(as_root: Client, admin_user: User, version: Version) -> None:
    attack = "<script>alert(1)</script>"
    body = use_case_form(version.use_case, title=attack, description=attack)
    as_root.post(change(version.use_case), body)
    UseCase.objects.update(budget_group=BudgetGroup.objects.create(name=attack))
    define(slug="vegetables", title=attack)
    WordDecision.objects.create(use_case=version.use_case, word="x", verdict="rejected", note=attack)
    revise_dictionary(version, [Entry("apple", attack, attack)])
    revision = version.current_dictionary()
    assert revision is not None
    DictionaryDraft.objects.create(version=version, person=admin_user, text=f"{attack}\n{attack * 30}\n", form="lines")
    addresses = [change(version), change(version.use_case), change(revision.entries.get()), entries_address(revision)]
    addresses += [page(f"{model}_changelist") for model in ("usecase", "version", "budgetgroup", "worddecision")]
    addresses += [page("usecase_history", version.use_case.pk)]
    addresses += [page(f"version_{name}", version.pk) for name in ("dictionary", "preview")]
    for address in addresses:
        said = as_root.get(address).content.decode()
        assert attack not in said, address
        assert "&lt;script&gt;" in said, address
