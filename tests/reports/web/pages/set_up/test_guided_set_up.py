"""Guided set-up: from a question to devices that are asked, by an owner who has no access to the admin."""

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from reports.models import Simulation, UseCase, Version
from tests.conftest import logged_in
from tests.reports.web.pages.reading import text_of as text

pytestmark = [pytest.mark.exact, pytest.mark.django_db]

EMOJI = {"kind": "emoji", "title": "Emoji in chats", "description": ""}
PEOPLE = {"locales": "en_US", "daily_limit": "1", "minimum_reports": "1000", "retention_days": "30"}


@pytest.fixture
def as_alice(version: Version, alice: User) -> Client:
    """An owner of another use case, who is no staff."""
    return logged_in(alice)


def at(name: str, use_case: UseCase) -> str:
    return reverse(name, args=[use_case.slug])


def begun(client: Client, **changes: str) -> UseCase:
    client.post(reverse("set_up"), {**EMOJI, **changes})
    return UseCase.objects.latest("pk")


def test_an_owner_goes_from_a_question_to_devices_that_are_asked(as_alice: Client, alice: User) -> None:
    assert reverse("set_up") in as_alice.get("/").content.decode()
    use_case = begun(as_alice)
    assert (use_case.slug, use_case.owner_group) == ("emoji-in-chats", alice.groups.get(name="keyboard-owners"))
    answers = as_alice.get(at("set_up_answers", use_case))
    assert answers.context["form"]["named"].value() == "shipped emoji"
    as_alice.post(at("set_up_answers", use_case), {"named": "shipped emoji", "text": ""})
    # Reloaded, or come back to, it is still there.
    preview = as_alice.get(at("set_up_answers", use_case))
    size = len(preview.context["proposal"].entries)
    assert f"{size} answers would be counted" in text(preview)
    assert preview.context["first"][0] == ("🥇", "1st place medal")
    planning = as_alice.post(at("set_up_answers", use_case), {"use": preview.context["token"]})
    assert planning.headers["Location"] == at("set_up_plan", use_case)
    draft = use_case.versions.get()
    assert (draft.state, draft.current_dictionary().size) == (Version.State.DRAFT, size)  # type: ignore[union-attr]
    wanted = "?n=71428&days=7&epsilon=&share=0.5"
    assert "is enough to see an element with 0.50 % of the reports 9 times of 10" in text(
        as_alice.get(at("set_up_plan", use_case) + wanted)
    )
    as_alice.post(at("set_up_plan", use_case) + wanted)
    draft.refresh_from_db()
    assert draft.parameters["epsilon"] == 2.5
    assert as_alice.get(at("set_up_plan", use_case)).context["form"]["share"].value() == "0.5"
    group = str(use_case.owner_group_id)
    people = as_alice.post(at("set_up_people", use_case), {**PEOPLE, "owner_group": group})
    review = as_alice.get(people.headers["Location"])
    for words in (
        "At most 1 report a day",
        "ε = 2.5 a report",
        "1,000 reports",
        "after 30 days",
        "English (United States)",
    ):
        assert words in text(review)
    assert as_alice.get("/api/v1/device-configuration/").json()["use_cases"][0]["slug"] == "fruits"
    begin = as_alice.post(at("set_up_review", use_case), follow=True)
    assert 'device.observe("emoji-in-chats", "😀", "en_US")' in text(begin)
    asked = as_alice.get("/api/v1/device-configuration/").json()["use_cases"]
    assert [each["slug"] for each in asked] == ["emoji-in-chats", "fruits"]
    # A use case that has begun is past the steps.
    for name in ("question", "answers", "plan", "people", "review"):
        assert as_alice.get(at(f"set_up_{name}", use_case)).headers["Location"] == at("set_up_begin", use_case)


def test_a_draft_is_resumed_where_it_was_left_and_another_kind_begins_its_answers_anew(as_alice: Client) -> None:
    use_case = begun(as_alice, kind="answers", title="Tea")
    assert use_case.dictionary_complete
    assert "Tea" in text(as_alice.get(reverse("set_up")))
    as_alice.post(at("set_up_answers", use_case), {"text": "green\nblack\nblack\n", "form": "lines"})
    preview = as_alice.get(at("set_up_answers", use_case))
    assert "1 is there twice, and counts once." in text(preview)
    as_alice.post(at("set_up_answers", use_case), {"use": preview.context["token"]})
    assert "2 answers are counted" in text(as_alice.get(at("set_up_answers", use_case)))
    as_alice.post(at("set_up_question", use_case), {"kind": "words", "title": "Words of tea", "description": ""})
    use_case.refresh_from_db()
    assert (use_case.title, use_case.slug, use_case.dictionary_complete) == ("Words of tea", "tea", False)
    version = use_case.versions.get()
    assert (version.normalization, version.current_dictionary()) == ("word", None)
    assert "Take" in text(as_alice.get(at("set_up_plan", use_case) + "?n=1000000"))
    as_alice.post(at("set_up_answers", use_case), {"alphabet": "abc"})
    version.refresh_from_db()
    assert version.alphabet == "abc"


def test_what_is_wrong_is_said_on_its_step(as_alice: Client) -> None:
    use_case = begun(as_alice)
    for step, values, words in (
        ("question", {"kind": "emoji", "title": " "}, "This field is required."),
        ("question", {"title": "Tea"}, "Choose one."),
        ("answers", {"text": " "}, "Paste elements, or choose a file."),
        ("people", {**PEOPLE, "locales": "english"}, "has not the form of a locale"),
        ("people", {**PEOPLE, "minimum_reports": "0"}, "Must be a whole number of at least 1, not 0."),
        ("people", PEOPLE, "This field is required."),
        ("review", {}, "There are no answers yet."),
    ):
        has_group = "locales" in values and words != "This field is required."
        group = {"owner_group": str(use_case.owner_group_id)} if has_group else {}
        page = as_alice.post(at(f"set_up_{step}", use_case), {**values, **group})
        assert (page.status_code, words in text(page)) == (422, True)


def test_what_no_plan_shows_is_not_taken(as_alice: Client) -> None:
    use_case = begun(as_alice)
    before = use_case.versions.get().parameters
    page = as_alice.post(at("set_up_plan", use_case) + "?n=1000&epsilon=&share=0.001&days=1")
    assert (page.status_code, "The best that is possible is" in text(page)) == (422, True)
    assert use_case.versions.get().parameters == before
    assert as_alice.get(at("set_up_plan", use_case) + "?n=many").status_code == 400


def test_viewers_set_nothing_up(as_alice: Client, bob: User, charlie: User) -> None:
    use_case = begun(as_alice)
    for person in (bob, charlie):
        client = logged_in(person)
        assert client.get(reverse("set_up")).status_code == 404
        assert client.post(reverse("set_up"), EMOJI).status_code == 404
        assert reverse("set_up") not in client.get("/").content.decode()
        for name in ("question", "answers", "plan", "people", "review", "begin"):
            assert client.get(at(f"set_up_{name}", use_case)).status_code == 404
    assert UseCase.objects.count() == 2


def test_a_simulation_is_ordered_from_a_draft_and_refused_in_words(as_alice: Client) -> None:
    use_case = begun(as_alice, kind="answers", title="Tea")
    refused = as_alice.post(at("simulate", use_case), {"reports": "5", "days": "7"})
    assert (refused.status_code, "Nothing would be shown of fewer than 10,000 reports" in text(refused)) == (422, True)
    empty = as_alice.post(at("simulate", use_case), {"reports": "20000", "days": "7"})
    assert "There is nothing to simulate yet" in text(empty)
    as_alice.post(at("set_up_answers", use_case), {"text": "green\nblack\n", "form": "lines"})
    token = as_alice.get(at("set_up_answers", use_case)).context["token"]
    as_alice.post(at("set_up_answers", use_case), {"use": token})
    ordered = as_alice.post(at("simulate", use_case), {"reports": "20000", "days": "7"}, follow=True)
    assert "Simulated reports are on their way" in text(ordered)
    assert "data-finished" not in as_alice.get(at("simulation_progress", use_case)).content.decode()
    simulation = Simulation.objects.get()
    assert (simulation.reports, simulation.version.use_case.title) == (20_000, "Tea (simulation)")
    assert "These reports are simulated" in text(as_alice.get(at("use_case", simulation.version.use_case)))
    as_alice.post(at("remove_simulation", use_case))
    assert not Simulation.objects.exists()
