"""A dictionary by paste or file: previewed, then saved."""

from typing import Any
from unittest import mock

import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test import Client
from django.test.client import FakePayload
from django.test.utils import CaptureQueriesContext

from ldpsite.body_sizes import SMALL_BODY_BYTES
from reports.definitions import Entry, change_draft, revise_dictionary
from reports.definitions.use_case_lock import locked
from reports.models import DictionaryDraft, Version
from reports.web.admin import dictionary_pages
from reports.web.admin.dictionary_admin import entries_address
from reports.web.definition_forms.dictionary_form import MAX_FILE_BYTES, DictionaryForm
from tests.reports.found_words import define_search
from tests.reports.small_fleet import define
from tests.reports.web.admin.dictionary_page import entries, field_error, paste, save, upload
from tests.reports.web.admin.forms import change, history, page
from tests.worlds import once

pytestmark = [pytest.mark.exact, pytest.mark.django_db]

LINES = "kiwi\r\n\r\napple\r\nkiwi\r\n"


@pytest.fixture
@once
def version(db: None) -> Version:
    return define(dictionary=["apple", "banana"])


def test_preview_then_save(as_alice: Client, version: Version) -> None:
    shown = paste(as_alice, version, LINES)
    counts = shown.context["comparison"]  # type: ignore[attr-defined]
    assert (counts.new, counts.gone, counts.unchanged) == (1, 1, 1)
    assert "Save as revision 2" in shown.content.decode()
    assert "line 4" in shown.content.decode()  # merged with line 1
    assert entries(version) == [("apple", "apple", ""), ("banana", "banana", "")]
    said = save(as_alice, version).content.decode()
    assert "Dictionary revision 2: 2 elements, 1 new and 1 gone." in said
    assert entries(version) == [("kiwi", "kiwi", ""), ("apple", "apple", "")]
    assert history(version)[0].startswith("Dictionary revision 2")
    assert history(version.use_case)[0].startswith("Version 1: Dictionary revision 2")
    assert not DictionaryDraft.objects.exists()


def test_what_waits_can_be_corrected(as_alice: Client, as_root: Client, version: Version) -> None:
    text, form = "element\r\nkiwi\r\n", "csv"
    paste(as_alice, version, text, form)
    again = as_alice.get(page("version_dictionary", version.pk))
    assert (again.context["form"]["text"].value(), again.context["form"]["form"].value()) == (text, form)
    assert "Below is what you pasted" in again.content.decode()
    assert as_root.get(page("version_dictionary", version.pk)).context["form"]["text"].value().startswith("element,d")
    as_alice.post(page("version_preview", version.pk), {"discard": "1"})
    said = as_alice.get(page("version_dictionary", version.pk))
    assert "banana" in said.context["form"]["text"].value()
    assert "Below is what you pasted" not in said.content.decode()


def test_what_is_too_large_to_correct_is_not_shown(as_alice: Client, version: Version) -> None:
    upload(as_alice, version, "x.txt", b"kiwi " * 80 + b"\n" + b"\n" * 200_000)
    response = as_alice.get(page("version_dictionary", version.pk))
    assert len(response.content) < 100_000
    assert "Below is what you pasted" not in response.content.decode()
    assert page("version_preview", version.pk) in response.content.decode()


def test_what_is_no_csv_stays_in_the_field(as_alice: Client, version: Version) -> None:
    text = 'element,category\nkiwi,"green\n'
    response = paste(as_alice, version, text, "csv")
    assert "line 2: quotes are opened here and never closed" in field_error(response, "text")
    assert response.context["form"]["text"].value() == text  # type: ignore[attr-defined]
    assert not DictionaryDraft.objects.exists()


def test_what_normalisation_does_is_shown(as_alice: Client) -> None:
    version = define(slug="sites", normalization="domain", dictionary=[])
    text = "element,display,category\nExample.ORG,Example,news\nexample.org,,\nlocalhost,,\n"
    text += "=HYPERLINK(1),,\nbücher.example,,shops\n"
    shown = paste(as_alice, version, text, "csv")
    proposal = shown.context["proposal"]  # type: ignore[attr-defined]
    assert [len(proposal.entries), proposal.changed.total, proposal.merged.total, proposal.refused.total] == [
        2,
        2,
        1,
        2,
    ]
    assert shown.context["comparison"].categories == [("news", 1), ("shops", 1)]  # type: ignore[attr-defined]
    assert "is no host name" in shown.content.decode()
    save(as_alice, version)
    assert entries(version) == [
        ("example.org", "Example", "news"),
        ("xn--bcher-kva.example", "bücher.example", "shops"),
    ]


def test_a_dictionary_is_edited_as_text(as_alice: Client, version: Version) -> None:
    form = as_alice.get(page("version_dictionary", version.pk)).context["form"]
    assert form["text"].value() == "element,display,category\napple,apple,\nbanana,banana,\n"
    paste(as_alice, version, form["text"].value(), form["form"].value())
    assert "already the same" in save(as_alice, version).content.decode()
    assert version.dictionary_revisions.count() == 1


UNREADABLE = [
    ("x.txt", b"a\nb\n\xff\n", "Line 3 is not UTF-8"),
    ("x.txt", "apple".encode("utf-16"), "Line 1 is not UTF-8"),
    ("x.txt", b"a\n\0\n", "Line 2 holds a NUL"),
    ("x.txt", b"\n \n", "empty"),
    ("x.txt", b"", "empty"),
    ("x.xlsx", b"kiwi", "must end in .txt or .csv"),
    ("x.csv", b"kiwi\n", "line 1 must be"),
    ("x.txt", b"apple\n" * 2_796_203, "larger than 16 MiB"),  # by one line
]


def test_files_that_cannot_be_read_are_refused_in_words(alice: User) -> None:
    for name, content, words in UNREADABLE:
        form = DictionaryForm(alice, {"text": "", "form": "lines"}, {"file": SimpleUploadedFile(name, content)})
        assert words in form.errors["file"][0], words


def test_a_file_that_is_far_too_large_is_not_read(as_alice: Client, as_bob: Client, version: Version) -> None:
    content = b"x" * (MAX_FILE_BYTES + SMALL_BODY_BYTES)
    with mock.patch.object(FakePayload, "read", side_effect=AssertionError("it is read")):
        response = upload(as_alice, version, "x.txt", content)
        assert "larger than 16 MiB" in field_error(response, "file")
        assert response.status_code == 413
        assert upload(as_bob, version, "x.txt", content).status_code in (403, 404)


def test_too_large_a_paste_is_answered_in_words(as_alice: Client, version: Version) -> None:
    assert "Save it as a file" in field_error(paste(as_alice, version, "x" * 2_700_000), "text")


def test_nothing_pasted_and_columns_among_lines(alice: User) -> None:
    assert "Paste elements" in DictionaryForm(alice, {"text": " \n", "form": "lines"}).errors["text"][0]
    form = DictionaryForm(alice, {"text": "element,category\na,b", "form": "lines"})
    assert "this is CSV" in form.errors["form"][0]


def test_a_line_of_ten_megabytes_is_cut_short(as_alice: Client, version: Version) -> None:
    said = upload(as_alice, version, "x.txt", b"apple\n" + b"x" * 10_000_000 + b"\n").content.decode()
    assert len(said) < 100_000
    assert "line 2" in said
    assert "too long" in said


def test_a_dictionary_too_large_to_edit_is_uploaded(as_alice: Client, version: Version) -> None:
    upload(as_alice, version, "x.TXT", "\n".join(f"site-{number}.example" for number in range(1001)).encode())
    assert "1,001 elements" in save(as_alice, version).content.decode()
    assert len(entries(version)) == 1001
    assert as_alice.get(page("version_dictionary", version.pk)).context["form"]["text"].value() in (None, "")


def test_what_was_not_previewed_is_not_saved(as_alice: Client, as_root: Client, version: Version) -> None:
    paste(as_alice, version, "kiwi")
    preview = page("version_preview", version.pk)
    seen = as_alice.get(preview).context["token"]
    paste(as_root, version, "cherry")
    save(as_root, version)
    response = as_alice.post(preview, {"save": "1", "token": seen}, follow=True)
    assert "Look at it again" in response.content.decode()
    assert entries(version) == [("cherry", "cherry", "")]
    save(as_alice, version)
    assert entries(version) == [("kiwi", "kiwi", "")]


def count_domains(draft: Version) -> None:
    """Count domains, as a colleague does meanwhile."""
    parameters = draft.parameters
    change_draft(draft, algorithm=draft.algorithm, parameters=parameters, normalization="domain", locales=["und"])


@pytest.mark.parametrize("at_the_last_moment", [False, True])
def test_rules_that_changed_since_the_preview(
    as_alice: Client, draft: Version, monkeypatch: pytest.MonkeyPatch, at_the_last_moment: bool
) -> None:
    draft.dictionary_revisions.all().delete()
    paste(as_alice, draft, "Example.ORG")
    preview = page("version_preview", draft.pk)
    seen = as_alice.get(preview).context["token"]

    def too_late(version: Version) -> Any:
        count_domains(draft)
        return locked(version)

    if at_the_last_moment:
        monkeypatch.setattr(dictionary_pages, "locked", too_late)
    else:
        count_domains(draft)
    response = as_alice.post(preview, {"save": "1", "token": seen}, follow=True)
    assert "Look at it again" in response.content.decode()
    assert entries(draft) == []
    assert as_alice.get(preview).context["proposal"].entries == [Entry("example.org", "Example.ORG")]


def test_categories_are_listed_up_to_fifty(as_alice: Client, version: Version) -> None:
    rows = [f"{number},kind {number}" for number in range(1000)] + ["more,kind 7"]
    said = paste(as_alice, version, "element,category\n" + "\n".join(rows), "csv").content.decode()
    assert said.count("kind ") == 50
    assert said.index("kind 7") < said.index("kind 0")
    assert "And 950 more." in said


def test_entries_are_listed_and_searched_without_looking_at_other_revisions(as_alice: Client, version: Version) -> None:
    revise_dictionary(version, [Entry(f"kiwi {number}", f"kiwi {number}") for number in range(300)])
    revision = version.current_dictionary()
    assert revision is not None
    address = entries_address(revision)
    with CaptureQueriesContext(connection) as asked:
        response = as_alice.get(address)
    said = response.content.decode()
    assert "300 dictionary entries" in said
    assert "kiwi 99" in said
    assert str(revision) in said
    assert response.context["cl"].full_result_count is None
    queries = [query["sql"] for query in asked.captured_queries if "reports_dictionaryentry" in query["sql"]]
    assert len(queries) == 2  # how many there are, and one page of them
    assert "JOIN" not in queries[1].partition("ORDER BY")[2]
    assert 'ORDER BY "reports_dictionaryentry"."revision_id" ASC' in queries[1]
    found = as_alice.get(f"{address}&q=299").content.decode()
    assert "1 dictionary entry" in found
    assert f'name="revision__id__exact" value="{revision.pk}"' in found


def test_the_title_of_a_list_of_entries_does_not_name_those_of_others(as_gardener: Client, version: Version) -> None:
    define(slug="vegetables", title="Vegetables", owner_group="gardeners", viewer_groups=[])
    revision = version.current_dictionary()
    assert revision is not None
    said = as_gardener.get(entries_address(revision)).content.decode()
    assert str(revision) not in said
    assert "0 dictionary entries" in said


def test_drafts_are_of_one_person(as_alice: Client, as_root: Client, version: Version) -> None:
    paste(as_alice, version, "kiwi")
    assert "No dictionary is waiting" in as_root.get(page("version_preview", version.pk), follow=True).content.decode()
    paste(as_alice, version, "cherry")
    assert DictionaryDraft.objects.get().text == "cherry"


def test_dictionaries_are_saved_in_every_state_but_closed(as_alice: Client, version: Version) -> None:
    for state, text, saved in (("superseded", "kiwi", True), ("closed", "cherry", False)):
        paste(as_alice, version, text)
        token = as_alice.get(page("version_preview", version.pk)).context["token"]
        Version.objects.update(state=state)
        as_alice.post(page("version_preview", version.pk), {"save": "1", "token": token})
        assert entries(version) == [("kiwi", "kiwi", "")]
        paste(as_alice, version, "plum")
        assert DictionaryDraft.objects.get().text == ("plum" if saved else text)
        assert (
            "cannot be changed" in as_alice.get(page("version_preview", version.pk), follow=True).content.decode()
            or saved
        )


def test_a_version_that_finds_its_words_has_no_dictionary(as_alice: Client) -> None:
    version = define_search()
    for name in ("version_dictionary", "version_preview"):
        for ask in (as_alice.get, as_alice.post):
            response = ask(page(name, version.pk), {"text": "kiwi", "form": "lines"}, follow=True)
            assert response.redirect_chain == [(change(version), 302)]
            assert "finds its words itself" in response.content.decode()
    large = as_alice.post(page("version_dictionary", version.pk), {"text": "x" * 2_700_000}, follow=True)
    assert large.status_code == 200
    assert not DictionaryDraft.objects.exists()
    assert not version.dictionary_revisions.exists()
