"""Owners' view of batches in quarantine, and their decisions; no other user sees or does any of it."""

import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from reports.models import Batch, Finding, Run, Version
from reports.models.uploads import utc_today
from reports.privacy import undetectable
from tests.conftest import logged_in, make_user
from tests.reports.factories import batch_of, document, ndjson
from tests.reports.small_fleet import aggregate, days_ago, define, define_words, send
from tests.reports.suspicious import honest_lines, of_version, send_suspicious, suspicious_lines
from tests.reports.web.pages.reading import words
from tests.worlds import once

pytestmark = [pytest.mark.exact, pytest.mark.django_db]

DECISIONS = ("release_batch", "withdraw_batch")


@pytest.fixture
@once
def held(version: Version) -> Batch:
    return batch_of(send_suspicious(version, day=1))


@pytest.fixture
def dave(db: None) -> User:
    """Owns other use cases."""
    return make_user("dave", "weather-owners")


def of_batch(name: str, batch: Batch) -> str:
    return reverse(name, args=[batch.pk])


def test_the_page_of_a_batch_shows_the_evidence_in_words(held: Batch, as_alice: Client) -> None:
    page = words(as_alice.get(of_batch("batch", held)))
    assert "101 times among 300; records of honest devices do not agree so often" in page
    assert "Fruits, version 1, English (United States)" in page
    assert page.count("Of honest batches, at most 1 in 10") == 1
    assert page.count("<h3>") == 1
    assert held.findings.count() > 1
    assert not any(fruit in page for fruit in ("apple", "banana", "cherry"))
    assert "If 1 % of 300 reports are such fakes, they add about 3 to that element." in page
    for name in DECISIONS:
        assert f'href="{of_batch(name, held)}"' in page
    assert 'action="/batches/' not in page
    assert f'href="{reverse("quarantine", args=["fruits"])}"' in page
    assert f'href="{reverse("use_case", args=["fruits"])}"' in page
    assert "Why it is suspicious" in page


@pytest.mark.parametrize(
    ("name", "words_of_it"),
    [
        ("release_batch", ["Release this batch?", "300 reports that look suspicious leave quarantine"]),
        ("withdraw_batch", ["Withdraw this batch?", "300 reports are deleted for good", "cannot be undone"]),
    ],
)
def test_before_a_decision_one_is_asked(name: str, words_of_it: list[str], held: Batch, as_alice: Client) -> None:
    page = words(as_alice.get(of_batch(name, held)))
    assert [each for each in [*words_of_it, "Fruits", str(held.pk)] if each not in page] == []
    assert page.count('method="post" action="/batches/') == 1
    assert f'method="post" action="{of_batch(name, held)}"' in page
    assert f'href="{of_batch("batch", held)}"' in page
    held.refresh_from_db()
    assert held.state == Batch.State.QUARANTINED
    as_alice.post(of_batch("withdraw_batch", held))
    again = as_alice.get(of_batch(name, held), follow=True)
    assert again.redirect_chain[0][0] == of_batch("batch", held)
    assert "any more" in words(again) or "can no longer" in words(again)


def test_released_by_its_owner(held: Batch, as_alice: Client, alice: User) -> None:
    page = words(as_alice.post(of_batch("release_batch", held), follow=True))
    held.refresh_from_db()
    assert (held.state, held.released_by) == ("open", alice)
    assert "The batch is released: it is counted with the reports of" in page
    assert "Released by alice on" in page
    assert "Why it was suspicious" in page
    assert "Why it is suspicious" not in page
    assert of_batch("release_batch", held) not in page
    assert "does not wait in quarantine any more" in words(as_alice.post(of_batch("release_batch", held), follow=True))


def test_withdrawn_by_its_owner(held: Batch, as_alice: Client, alice: User) -> None:
    page = words(as_alice.post(of_batch("withdraw_batch", held), follow=True))
    held.refresh_from_db()
    assert (held.state, held.withdrawn_by, held.withdrawn_on) == ("withdrawn", alice, utc_today())
    assert "The batch is withdrawn; its reports are deleted." in page
    assert 'method="post" action="/batches/' not in page
    assert "Its reports were deleted by alice on" in page
    assert "Released" not in page
    assert f'href="{of_batch("withdraw_batch", held)}"' not in page


@pytest.mark.parametrize("what", ["withdrawn", "deleted on demand"])
def test_who_released_it_stays_known(what: str, held: Batch, as_alice: Client, admin_client: Client) -> None:
    as_alice.post(of_batch("release_batch", held))
    if what == "withdrawn":
        admin_client.post(of_batch("withdraw_batch", held))
    else:
        admin_client.post(reverse("admin:reports_usecase_delete_reports", args=held.use_case_ids))
    for address in (of_batch("batch", held), reverse("admin:reports_batch_change", args=[held.pk])):
        page = words(admin_client.get(address))
        assert "Released by alice on" in page
        assert "Its reports were deleted by admin on" in page
        assert "/history/" not in page.partition('id="content"')[2]


def test_of_ordinary_batches_nobody_is_named(version: Version, as_alice: Client) -> None:
    """Who withdraws one might be who sent it."""
    batch = batch_of(send(version, 20)[0])
    as_alice.post(of_batch("withdraw_batch", batch))
    batch.refresh_from_db()
    assert (batch.state, batch.withdrawn_by, batch.withdrawn_on, batch.released_on) == ("withdrawn", None, None, None)


def test_what_waited_too_long_is_not_released_anywhere(held: Batch, client: Client, alice: User) -> None:
    alice.is_staff = True
    alice.save()
    client.force_login(alice)
    held.quarantined_shards.update(held_since=days_ago(7))
    page = words(client.get(of_batch("batch", held)))
    assert "Nobody decided about the batch in 7 days, so that it can no longer be released." in page
    assert of_batch("release_batch", held) not in page
    said = "Nobody decided about the batch in time: its reports are about to be deleted."
    assert said in words(client.get(of_batch("release_batch", held), follow=True))
    assert said in words(client.post(of_batch("release_batch", held), follow=True))
    body = {"action": "release_batches", "_selected_action": [str(held.pk)]}
    page = words(client.post(reverse("admin:reports_batch_changelist"), body, follow=True))
    assert f"Batch {held.pk} can no longer be released: its reports are about to be deleted." in page
    held.refresh_from_db()
    assert (held.state, held.released_on, held.quarantined_shards.count()) == ("quarantined", None, 1)


def test_repetition_leads_and_explains_the_rest(held: Batch, as_alice: Client) -> None:
    """However unlikely what else follows from it."""
    facts = {"seen": 300, "records": 300, "ones": 40, "expected": 100.0}
    place = {"batch": held, "version": held.findings.all()[0].version, "locale": "en_US", "stream": "element"}
    Finding.objects.create(**place, test="few_ones", p_value=1e-200, facts=facts)
    explained = "Records that were sent again make other tests fail, too"
    for name in ("batch", "release_batch"):
        page = words(as_alice.get(of_batch(name, held)))
        assert "Of honest batches, at most 1 in 10²⁰⁰ would" in page
        first = page.partition("<ul>")[2].partition("</li>")[0]
        assert "Records that were sent again look like this." in first
    assert explained in words(as_alice.get(of_batch("batch", held)))
    # Nearly as many cells as records are the reverse of a repetition.
    held.findings.exclude(test="few_ones").delete()
    Finding.objects.create(**place, test="cells_in_use", p_value=1e-9, facts={**facts, "expected": 250.0, "values": 9})
    page = words(as_alice.get(of_batch("batch", held)))
    assert explained not in page
    assert page.index("the number of ones is at most") < page.index("different pairs of row and coordinate")


def test_not_who_owns_only_one_of_its_use_cases(version: Version, as_alice: Client, dave: User) -> None:
    parameters = {"epsilon": 8, "k": 1024, "m": 64, "seed": "1f" * 16}
    other = define(slug="weather", title="Weather", owner_group="weather-owners", parameters=parameters)
    body = ndjson(
        document(of_version(version, suspicious_lines(version)), of_version(other, honest_lines(other, 10, seed=3)))
    )
    superuser = User.objects.create_superuser("root")
    logged_in(superuser).post(reverse("upload"), {"file": SimpleUploadedFile("reports.ndjson", body)})
    held = Batch.objects.get(state=Batch.State.QUARANTINED)
    for client, slug in ((as_alice, "fruits"), (logged_in(dave), "weather")):
        assert client.get(of_batch("batch", held)).status_code == 404
        for name in DECISIONS:
            assert client.post(of_batch(name, held)).status_code == 404
        assert "in quarantine" not in words(client.get(reverse("use_case", args=[slug])))
        listed = words(client.get(reverse("quarantine", args=[slug])))
        assert str(held.pk) not in listed
        assert "1 batch waits that has reports for use cases of others, too." in listed
        assert "No batch waits." not in listed
    held.refresh_from_db()
    assert held.state == Batch.State.QUARANTINED
    assert logged_in(superuser).post(of_batch("release_batch", held)).status_code == 302


def test_owners_are_led_there_from_the_use_case(held: Batch, as_alice: Client, as_bob: Client) -> None:
    address = reverse("use_case", args=["fruits"])
    listed = reverse("quarantine", args=["fruits"])
    page = words(as_alice.get(address))
    assert "1 batch looks suspicious and waits in quarantine." in page
    assert f'href="{listed}"' in page
    assert f'href="{of_batch("batch", held)}"' in words(as_alice.get(listed))
    assert "quarantine" not in words(as_bob.get(address))
    assert as_bob.get(listed).status_code == 404
    as_alice.post(of_batch("withdraw_batch", held))
    assert "quarantine" not in words(as_alice.get(address))
    assert "No batch waits." in words(as_alice.get(listed))


def test_pages_are_as_if_nothing_had_come(version: Version, as_alice: Client, as_bob: Client) -> None:
    """Home page, use case and histogram of viewers, and owners' hint that something is not counted yet."""
    send(version, 150, day=days_ago(2), seed=5)
    aggregate(version)
    addresses = ("/", reverse("use_case", args=["fruits"]), reverse("use_case_json", args=["fruits"]))
    # Twice, because the front page names the pages that were visited last.
    for _round in range(2):
        before = [as_bob.get(address).content for address in addresses[:2]]
    counted = as_bob.get(addresses[2]).json()
    send_suspicious(version, day=1)
    assert [_without_secrets(each) for each in before] == [
        _without_secrets(as_bob.get(address).content) for address in addresses[:2]
    ]
    after = as_bob.get(addresses[2]).json()
    assert {**after, "generated_at": 0} == {**counted, "generated_at": 0}
    page = words(as_alice.get(addresses[1]))
    assert "All reports that can be counted now are counted. 1 batch waits in quarantine and is not counted." in page


def test_runs_say_what_they_leave_out(version: Version, as_alice: Client, as_bob: Client) -> None:
    send_suspicious(version, day=1)
    address = reverse("start_run", args=["fruits"])
    refused = words(as_alice.post(address, follow=True))
    assert "may be counted, but 1 batch waits in quarantine: release it first." in refused
    assert not Run.objects.exists()
    assert "It can be counted once it has been looked at and released." in refused
    send(version, 150, day=days_ago(2), seed=5)
    send(version, 150, day=days_ago(0), seed=6)
    page = reverse("run", args=[aggregate(version).pk])
    said = "1 batch of these days waits in quarantine and is not counted."
    assert said in words(as_alice.get(page))
    assert f'href="{reverse("quarantine", args=["fruits"])}"' in words(as_alice.get(page))
    assert "quarantine" not in words(as_bob.get(page))
    today = aggregate(version, days_ago(0), days_ago(0))
    assert said not in words(as_alice.get(reverse("run", args=[today.pk])))


def _without_secrets(page: bytes) -> list[bytes]:
    """Leave out the token against forged forms, which differs each time."""
    return [line for line in page.splitlines() if b"csrfmiddlewaretoken" not in line]


def test_people_who_upload_are_told(version: Version, as_alice: Client) -> None:
    """They own what they upload, and decide about it."""
    body = ndjson(document(of_version(version, suspicious_lines(version))))
    form = {"file": SimpleUploadedFile("reports.ndjson", body)}
    page = words(as_alice.post(reverse("upload"), form, follow=True))
    assert "The reports are stored, and wait in quarantine: they look suspicious." in page
    assert "The reports are stored. <" not in page


def test_the_admin_lists_shows_and_decides(held: Batch, version: Version, client: Client, alice: User) -> None:
    alice.is_staff = True
    alice.save()
    client.force_login(alice)
    send(version, 20, seed=8)
    changelist = reverse("admin:reports_batch_changelist")
    (listed,) = client.get(changelist, {"state__exact": "quarantined"}).context["cl"].result_list
    assert listed == held
    page = words(client.get(reverse("admin:reports_batch_change", args=[held.pk])))
    assert "records of honest devices do not agree so often" in page
    assert of_batch("batch", held) in page
    everything = [str(pk) for pk in Batch.objects.values_list("pk", flat=True)]
    body = {"action": "release_batches", "_selected_action": everything}
    page = words(client.post(changelist, body, follow=True))
    assert f"Batch {held.pk} is released" in page
    assert page.count("is not in quarantine.") == 1
    held.refresh_from_db()
    assert (held.state, held.released_by) == ("open", alice)
    body = {"action": "withdraw_batches", "_selected_action": [str(held.pk)]}
    assert f"Batch {held.pk} is withdrawn." in words(client.post(changelist, body, follow=True))


def test_what_cannot_be_seen_is_said_for_every_algorithm(version: Version) -> None:
    """With the numbers of the version: here e⁴/(e⁴ - 1) = 1.0187, with 64 buckets 1.0190."""
    said = " ".join(undetectable(version, 10_000))
    assert "1\u00a0% of 10,000 reports are such fakes, they add about 100 to" in said
    assert "adds at most 1.02 reports to the estimate" in said
    assert "about 2 elements of its choice at once" in said
    assert "on the list" not in said
    assert "put any word on the list" in " ".join(undetectable(define_words(), 10_000))
    parameters = {"epsilon": 4, "k": 64, "m": 64, "seed": "0f" * 16}
    hadamard = define(slug="bits", algorithm="HadamardCountMeanSketch", parameters=parameters)
    said = " ".join(undetectable(hadamard, 10_000))
    assert "one element of its choice" in said
    assert "If every device forgot the noise" in said
