"""Pausing, archiving and resuming a use case, and deleting its raw reports."""

import re

import pytest
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from reports.collection import seal_days
from reports.collection.ingest import UploadRefused
from reports.models import Batch, Deletion, DeviceRecord, Shard, UseCase, Version
from reports.models.uploads import utc_today
from reports.retention import delete_all
from reports.runs import NothingToAggregate, start_run
from reports.web.admin import use_case_steps
from tests.reports.retention.helpers import quarantine, raw_files, wait_from_device
from tests.reports.small_fleet import aggregate, days_ago, define, send
from tests.reports.web.admin.forms import change, history, page

pytestmark = [pytest.mark.exact, pytest.mark.django_db]


def step(use_case: UseCase, state: str) -> str:
    return page("usecase_state", use_case.pk, state)


def without_token(page: str) -> str:
    return re.sub(r'name="csrfmiddlewaretoken" value="\w+"', "", page)


def text(client: Client, address: str) -> str:
    response = client.get(address)
    assert response.status_code == 200
    return " ".join(response.content.decode().split())


def state_of(version: Version) -> str:
    return UseCase.objects.get(pk=version.use_case_id).state


def test_an_owner_pauses_archives_and_resumes_and_is_asked_before(as_alice: Client, version: Version) -> None:
    use_case = version.use_case
    for state, words in (("paused", "refused"), ("archived", "list of its own"), ("running", "accepted")):
        assert step(use_case, state) in text(as_alice, change(use_case))
        assert words in text(as_alice, step(use_case, state))
        assert state_of(version) != state  # only asked yet
        response = as_alice.post(step(use_case, state), follow=True)
        assert response.redirect_chain == [(change(use_case), 302)]
        assert state_of(version) == state
        assert step(use_case, state) not in response.content.decode()
    assert history(use_case) == ["State: archived → running", "State: paused → archived", "State: running → paused"]


def test_a_step_taken_twice_is_one(as_alice: Client, version: Version) -> None:
    for _ in range(2):
        as_alice.post(step(version.use_case, "paused"))
    assert as_alice.get(step(version.use_case, "paused")).status_code == 302
    assert history(version.use_case) == ["State: running → paused"]
    assert as_alice.post(step(version.use_case, "gone")).status_code == 404


def test_looking_changes_nothing_and_what_is_not_noted_is_not_done(
    as_alice: Client, version: Version, monkeypatch: pytest.MonkeyPatch
) -> None:
    use_case = version.use_case
    with CaptureQueriesContext(connection) as seen:
        assert as_alice.get(step(use_case, "running")).status_code == 302
    assert not [query["sql"] for query in seen if "UPDATE" in query["sql"] and "reports_usecase" in query["sql"]]

    def fail(*_args: object, **_kwargs: object) -> None:
        raise RuntimeError("cut off")

    monkeypatch.setattr(use_case_steps, "note", fail)
    with pytest.raises(RuntimeError, match="cut off"):
        as_alice.post(step(use_case, "paused"))
    assert state_of(version) == "running"


def test_the_person_who_ordered_a_deletion_is_noted_even_if_it_is_cut_off(
    as_alice: Client, version: Version, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_args: object) -> None:
        raise RuntimeError("cut off")

    monkeypatch.setattr(use_case_steps, "delete_all", fail)
    with pytest.raises(RuntimeError, match="cut off"):
        as_alice.post(page("usecase_delete_reports", version.use_case_id))
    assert history(version.use_case) == ["Ordered that all raw reports be deleted."]


def test_what_is_said_of_reports_to_come_depends_on_the_state(as_alice: Client, version: Version) -> None:
    taken, refused = "from now on are accepted; to stop them, pause", "from now on are refused"
    for state, said, unsaid in (("running", taken, refused), ("paused", refused, taken), ("archived", refused, taken)):
        UseCase.objects.update(state=state)
        asked = text(as_alice, page("usecase_delete_reports", version.use_case_id))
        assert (said in asked, unsaid in asked) == (True, False), state


def test_owners_are_not_offered_what_is_refused(version: Version, as_alice: Client) -> None:
    offers = ("Upload reports", "What devices send by themselves waits", "Aggregate now", "Aggregating seals")
    address = "/use-cases/fruits/"

    def offered() -> list[bool]:
        page = text(as_alice, address).partition('<main id="main"')[2]
        return [offer in page for offer in offers]

    assert offered()[0]
    send(version, 150, day=days_ago(1))
    aggregate(version)
    assert offered() == [True] * 4
    send(version, 150, day=days_ago(0))
    UseCase.objects.update(state=UseCase.State.PAUSED)
    assert offered() == [False, False, True, True]  # what has arrived can still be counted
    aggregate(version)
    assert offered() == [False] * 4


def test_reports_of_a_use_case_that_does_not_run_are_refused_in_words(version: Version) -> None:
    other = define(slug="pears")
    for state in ("paused", "archived"):
        UseCase.objects.filter(pk=version.use_case_id).update(state=state)
        with pytest.raises(UploadRefused) as refused:
            send(version, 10)
        assert refused.value.rejected == {"version_closed": 10}
        assert refused.value.problems[0].detail == f"The use case is {state} and accepts no reports."
        assert refused.value.problems[0].pointer == "/segments/0/use_case"
    assert not Batch.objects.exists()
    send(other, 10)
    assert Shard.objects.get().version == other
    assert not Version.objects.get(pk=version.pk).accepts_reports(utc_today())


def test_results_stay_and_what_has_arrived_is_counted(version: Version, as_bob: Client) -> None:
    send(version, 150, day=days_ago(1))
    UseCase.objects.update(state=UseCase.State.ARCHIVED)
    aggregate(version)
    shown = text(as_bob, "/use-cases/fruits/")
    assert "This use case is archived" in shown
    assert "apple" in shown


@pytest.mark.django_db(transaction=True)
def test_raw_reports_are_deleted_after_a_page_that_says_what_goes(
    as_alice: Client, alice: User, version: Version
) -> None:
    use_case, address = version.use_case, page("usecase_delete_reports", version.use_case_id)
    before = [without_token(text(as_alice, path)) for path in (change(use_case), address)]
    figure = '<dd class="figure"> none </dd>'
    assert figure in before[0]
    assert "Records of single devices may wait, fewer than 100 for each day" in before[0]
    wait_from_device(version, 99, days_ago(2))
    # A device that sends changes neither.
    assert [without_token(text(as_alice, path)) for path in (change(use_case), address)] == before
    # Nor is it told afterwards that some were deleted.
    as_alice.post(address)
    assert not DeviceRecord.objects.exists()
    assert not Deletion.objects.exists()
    assert history(use_case)[0] == "Deleted all raw reports: fewer than 100."
    LogEntry.objects.all().delete()
    send(version, 150, day=days_ago(3))
    aggregate(version)
    send(version, 20, day=days_ago(1))
    wait_from_device(version, 4, days_ago(1))
    quarantine(days_ago(2), fruits=(version, 5))
    assert "fewer than 100 of them are not counted yet." in text(as_alice, change(use_case))
    asked = text(as_alice, address)
    uncounted = "fewer than 100 reports that are not counted yet will never be counted."
    for words in ('<th scope="row">1</th>', "3 days", "at least 100", uncounted, "Back-ups"):
        assert words in asked
    assert len(raw_files()) == 3
    response = as_alice.post(address, follow=True)
    told = "Deleted all raw reports: at least 100 of 3 days, fewer than 100 of them never counted."
    assert told in response.content.decode()
    assert history(use_case) == [told, "Ordered that all raw reports be deleted."]
    assert not raw_files()
    assert {each.deleted_by for each in Deletion.objects.all()} == {alice}
    shown = " ".join(response.content.decode().split())
    assert figure in shown  # nothing is left that is disclosed
    for words in ("What was deleted", "deleted on demand, alice", "3 days", '<td class="number">fewer than 100</td>'):
        assert words in shown
    owners = text(as_alice, "/use-cases/fruits/")
    assert "Reports were deleted before they were counted: fewer than 100." in owners
    assert "apple" in owners
    as_alice.post(address)
    assert history(use_case)[0] == "Deleted all raw reports: fewer than 100."


def test_a_page_without_results_says_that_reports_were_deleted(as_alice: Client, as_bob: Client) -> None:
    version = define()
    send(version, 20)
    as_alice.post(page("usecase_delete_reports", version.use_case_id))
    assert "Reports were deleted before they were counted: fewer than 100." in text(as_alice, "/use-cases/fruits/")
    assert "deleted before" not in text(as_bob, "/use-cases/fruits/")
    with pytest.raises(NothingToAggregate):
        start_run(version)


def test_deletions_are_listed_for_owners(as_alice: Client, as_gardener: Client, version: Version) -> None:
    for day in range(1, 13):
        Deletion.objects.create(
            version=version, day=days_ago(day), reports=7, reason="expired", deleted_on=days_ago(day - 1)
        )
    every = f"{page('deletion_changelist')}?version__use_case__id__exact={version.use_case_id}"
    assert every in text(as_alice, change(version.use_case))
    assert as_alice.get(every).context["cl"].result_count == 12
    assert as_gardener.get(page("deletion_changelist")).status_code == 403
    rows = Deletion.objects.filter(day=days_ago(1))
    rows.update(reports=1_250, fewest=1_250)
    assert ">1,250<" in text(as_alice, every)
    # Without the seven the others are published.
    rows.update(fewest=7, never_counted=7, fewest_uncounted=7)
    listed = text(as_alice, every)
    assert ">1,250<" not in listed
    assert ">at least 100<" in listed
    assert listed.count(">fewer than 100<") == 12


def two_locales(version: Version, day: int) -> None:
    """Send the reports of two locales, of which the first alone may be disclosed."""
    for locale, reports in (("en_US", 150), ("fr_FR", 37)):
        send(version, reports, locale=locale, day=days_ago(day))


def test_a_deletion_does_not_disclose_a_locale_with_too_few(as_alice: Client, version: Version) -> None:
    two_locales(version, 3)
    aggregate(version)
    delete_all(version.use_case)
    deletion = Deletion.objects.get()
    for path in (page("deletion_changelist"), change(deletion), change(version.use_case)):
        shown = text(as_alice, path)
        assert "at least 100" in shown, path
        assert "187" not in shown, path


def test_a_deletion_of_reports_that_no_run_counted_does_not_disclose_it_either(
    as_alice: Client, version: Version
) -> None:
    """Also where it was not yet recorded which parts a deletion had."""
    use_case, address = version.use_case, page("usecase_delete_reports", version.use_case_id)
    two_locales(version, 3)
    assert text(as_alice, address).count("at least 100") == 3
    response = as_alice.post(address, follow=True)
    told = "Deleted all raw reports: at least 100 of 1 day, at least 100 of them never counted."
    assert told in response.content.decode()
    assert history(use_case)[0] == told
    assert "187" not in response.content.decode()
    for unknown in ({}, {"fewest": None, "fewest_uncounted": None}):
        Deletion.objects.update(deleted_on=days_ago(0), **unknown)
        owners = text(as_alice, "/use-cases/fruits/")
        assert "Reports were deleted before they were counted: at least 100." in owners
        assert "187" not in owners
        for path in (page("deletion_changelist"), change(Deletion.objects.get()), change(use_case)):
            shown = text(as_alice, path)
            assert "187" not in shown
            assert shown.count("at least 100") >= 2, path


def test_what_may_still_grow_is_rounded_to_the_minimum(as_alice: Client, version: Version) -> None:
    """As on the page about operations: looking twice does not disclose the moment at which a report came."""
    addresses = (change(version.use_case), page("usecase_delete_reports", version.use_case_id))
    send(version, 150)
    before = [without_token(text(as_alice, path)) for path in addresses]
    assert "100 of them are not counted yet." in before[0]
    assert "100 reports that are not counted yet will never be counted." in before[1]
    for shown in before:
        assert "150" not in shown
    send(version, 49, seed=1)
    assert [without_token(text(as_alice, path)) for path in addresses] == before
    send(version, 1, seed=2)
    assert "200 of them are not counted yet." in text(as_alice, addresses[0])
    # A finished day gets no more reports.
    send(version, 123, day=days_ago(1), seed=3)
    assert "300 of them are not counted yet." in text(as_alice, addresses[0])
    seal_days(version, days_ago(1), days_ago(1))
    assert "323 of them are not counted yet." in text(as_alice, addresses[0])
    response = as_alice.post(addresses[1], follow=True)
    told = "Deleted all raw reports: 323 of 2 days, 323 of them never counted."
    assert told in response.content.decode()
