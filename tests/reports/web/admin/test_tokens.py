"""API tokens in the admin: made by owners for their own use cases, shown once, taken back."""

import datetime
import logging
import re
from typing import Any

import pytest
from django.contrib.admin.models import LogEntry
from django.db import connection
from django.test import Client

from reports.accounts.sessions import SessionStore
from reports.models import ApiToken, UseCase, WebSession
from reports.models.uploads import utc_today
from reports.web.admin import token_admin
from tests.reports.small_fleet import define
from tests.reports.trained import define_task
from tests.reports.web.admin.forms import change, history, page
from tests.worlds import once

pytestmark = [pytest.mark.exact, pytest.mark.django_db]

ADD, LIST = page("apitoken_add"), page("apitoken_changelist")
SECRET = re.compile(r'id="secret"[^>]*>([^<]+)</textarea>')


@pytest.fixture
@once
def fruits(db: None) -> UseCase:
    return define().use_case


@pytest.fixture
@once
def vegetables(db: None) -> UseCase:
    """A use case of others, though alice may look at it."""
    viewers = ["keyboard", "keyboard-owners"]
    return define(slug="vegetables", title="Vegetables", owner_group="gardeners", viewer_groups=viewers).use_case


def form(*use_cases: UseCase, **changes: Any) -> dict[str, Any]:
    day = utc_today() + datetime.timedelta(days=30)
    sent = {"name": "collector", "may_ingest": "on", "expires_on": day.isoformat()} | changes
    return {name: value for name, value in sent.items() if value} | {"use_cases": [each.pk for each in use_cases]}


def secret_in(response: Any) -> str:
    found = SECRET.findall(response.content.decode())
    assert [len(secret) >= 43 for secret in found] == [True]
    assert response.content.decode().count(found[0]) == 1
    return str(found[0])


def errors(response: Any) -> set[str]:
    assert response.status_code == 200
    return set(response.context["adminform"].form.errors)


def words(client: Client, address: str) -> str:
    return re.sub(r"\s+", " ", re.sub(r"<[^>]*>", " ", client.get(address, follow=True).content.decode()))


def test_an_owner_makes_a_token(as_alice: Client, fruits: UseCase) -> None:
    response = as_alice.post(ADD, form(fruits, may_read="on"))
    assert response.status_code == 200
    token = ApiToken.objects.get()
    assert (token.name, token.may_ingest, token.may_read, token.every_use_case) == ("collector", True, True, False)
    assert list(token.use_cases.all()) == [fruits]
    assert token.expires_on == utc_today() + datetime.timedelta(days=30)
    assert token.digest == ApiToken.digest_of(secret_in(response))
    assert "no-store" in response.headers["Cache-Control"]
    assert 'href="/api/"' in response.content.decode()


def test_the_secret_is_shown_once_and_kept_nowhere(
    as_alice: Client, fruits: UseCase, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.DEBUG):
        response = as_alice.post(ADD, form(fruits))
    secret = secret_in(response)
    token = ApiToken.objects.get()
    assert secret not in caplog.text
    for address in (LIST, change(token), page("apitoken_history", token.pk), page("usecase_changelist"), "/", ADD):
        answer = as_alice.get(address)
        assert answer.status_code == 200
        assert secret not in answer.content.decode()
        assert token.digest not in answer.content.decode()
    assert secret not in str([SessionStore().decode(session.session_data) for session in WebSession.objects.all()])
    assert secret not in str([(entry.object_repr, entry.change_message) for entry in LogEntry.objects.all()])
    assert secret not in response.cookies.output()
    assert not everywhere(secret)
    assert everywhere(token.digest) == ["reports_apitoken"]


def everywhere(text: str) -> list[str]:
    """The tables that hold a text."""
    found = []
    with connection.cursor() as cursor:
        for table in connection.introspection.table_names(cursor):
            quoted = connection.ops.quote_name(table)
            cursor.execute(f"SELECT count(*) FROM {quoted} AS row WHERE strpos(row::text, %s) > 0", [text])  # noqa: S608
            if cursor.fetchone()[0]:
                found.append(table)
    return found


def test_owners_make_none_for_what_is_not_theirs(as_alice: Client, fruits: UseCase, vegetables: UseCase) -> None:
    fields = as_alice.get(ADD).context["adminform"].form.fields
    assert [str(use_case) for use_case in fields["use_cases"].queryset] == ["Fruits"]
    assert "every_use_case" not in fields
    assert errors(as_alice.post(ADD, form(vegetables))) == {"use_cases"}
    assert errors(as_alice.post(ADD, form(fruits, vegetables))) == {"use_cases"}
    assert errors(as_alice.post(ADD, form(every_use_case="on"))) == {"use_cases"}
    assert not ApiToken.objects.exists()
    as_alice.post(ADD, form(fruits, every_use_case="on"))
    assert not ApiToken.objects.get().every_use_case


def test_superusers_make_tokens_for_every_use_case(as_root: Client, fruits: UseCase, vegetables: UseCase) -> None:
    assert errors(as_root.post(ADD, form(fruits, every_use_case="on"))) == {"use_cases"}
    secret_in(as_root.post(ADD, form(every_use_case="on")))
    secret_in(as_root.post(ADD, form(fruits, vegetables, name="both")))
    assert [(token.every_use_case, token.use_cases.count()) for token in ApiToken.objects.all()] == [
        (False, 2),
        (True, 0),
    ]
    both = ApiToken.objects.get(name="both")
    as_root.post(LIST, {"action": "take_out", "_selected_action": [both.pk]})
    assert both.use_cases.count() == 2  # superusers revoke


def test_forms_that_are_refused(fruits: UseCase) -> None:
    assert token_admin.ApiTokenForm()["expires_on"].initial == utc_today() + datetime.timedelta(days=365)
    today, year_and_a_day = (str(utc_today() + datetime.timedelta(days=days)) for days in (0, 366))
    wrong = [{"may_ingest": ""}, {"name": ""}, {"name": "x" * 81}]
    wrong += [{"expires_on": day} for day in ("never", today, year_and_a_day)]
    for changes in wrong:
        assert [*token_admin.ApiTokenForm(form(fruits, **changes)).errors] == [*changes], changes


def test_owners_see_tokens_of_their_use_cases(
    as_alice: Client, as_bob: Client, as_gardener: Client, as_root: Client, fruits: UseCase, vegetables: UseCase
) -> None:
    for name, use_cases in {"mine": [fruits], "mixed": [fruits, vegetables], "theirs": [vegetables]}.items():
        ApiToken.create(name, may_read=True, use_cases=use_cases)
    ApiToken.create("every", may_ingest=True)
    for client, names in ((as_alice, ["every", "mine", "mixed"]), (as_gardener, ["every", "mixed", "theirs"])):
        shown = client.get(LIST)
        assert [token.name for token in shown.context["cl"].result_list] == names
        for token in ApiToken.objects.exclude(name__in=names):
            assert token.name not in shown.content.decode()
            assert client.get(change(token)).status_code == 302
            assert client.get(page("apitoken_history", token.pk)).status_code == 302
    # The gardener may not see fruits, alice may look at vegetables.
    mixed = ApiToken.objects.get(name="mixed")
    for address in (LIST, change(mixed), page("apitoken_history", mixed.pk)):
        assert "Fruits" not in words(as_gardener, address)
    assert "Vegetables, and others" in words(as_gardener, LIST)
    assert "mixed valid read Fruits, Vegetables " in words(as_alice, LIST)
    assert [token.name for token in as_root.get(LIST).context["cl"].result_list] == ["every", "mine", "mixed", "theirs"]
    assert as_bob.get(LIST).status_code == as_bob.get(ADD).status_code == 403
    assert as_bob.post(ADD, form(fruits)).status_code == 403


def test_the_list_says_what_each_may_and_when_it_was_used(as_root: Client, fruits: UseCase) -> None:
    used, _secret = ApiToken.create("used", may_read=True, use_cases=[fruits])
    ApiToken.objects.filter(pk=used.pk).update(last_used_on=datetime.date(2026, 3, 4))
    ApiToken.create("expired", may_ingest=True, expires_on=datetime.date(2026, 3, 5))
    ApiToken.create("orphan", may_ingest=True, may_read=True, use_cases=[])
    text = words(as_root, LIST)
    assert "expired expired upload every use case Mar 5, 2026 -" in text
    assert "orphan valid upload, read none left" in text
    assert re.search(r"used valid read Fruits \S+ \d+, \d+ Mar 4, 2026", text)


def test_owners_revoke_their_own_and_no_others(as_alice: Client, fruits: UseCase, vegetables: UseCase) -> None:
    mine, secret = ApiToken.create("mine", may_read=True, use_cases=[fruits])
    theirs, _secret = ApiToken.create("theirs", may_read=True, use_cases=[vegetables])
    chosen = {"action": "revoke", "_selected_action": [mine.pk, theirs.pk]}
    assert "1 token is revoked" in as_alice.post(LIST, chosen, follow=True).content.decode()
    assert dict(ApiToken.objects.values_list("name", "revoked")) == {"mine": True, "theirs": False}
    client = Client(headers={"authorization": f"Bearer {secret}"})
    assert client.get("/api/v1/use-cases/fruits/histogram/").status_code == 401
    assert "Revoked." in as_alice.get(page("apitoken_history", mine.pk)).content.decode()
    assert "are revoked already" in as_alice.post(LIST, chosen, follow=True).content.decode()


def test_owners_take_their_own_use_cases_out_of_tokens_that_name_others_too(
    as_alice: Client, as_gardener: Client, fruits: UseCase, vegetables: UseCase
) -> None:
    both, secret = ApiToken.create("both", may_read=True, use_cases=[fruits, vegetables])
    every, _secret = ApiToken.create("every", may_read=True)
    chosen = {"_selected_action": [both.pk, every.pk]}
    answer = as_alice.post(LIST, {"action": "revoke"} | chosen, follow=True).content.decode()
    assert "“both” was not revoked: it is also for use cases of others" in answer
    assert "“every” was not revoked: it is for every use case" in answer
    assert "Nothing to revoke" not in answer
    assert not ApiToken.objects.filter(revoked=True).exists()
    answer = as_alice.post(LIST, {"action": "take_out"} | chosen, follow=True).content.decode()
    assert "“both” is no longer for Fruits." in answer
    assert "Nothing was taken out of “every”: it is for every use case" in answer
    assert list(both.use_cases.all()) == [vegetables]
    client = Client(headers={"authorization": f"Bearer {secret}"})
    assert client.get("/api/v1/use-cases/fruits/histogram/").status_code == 404
    assert "Taken out of the API token “both”." in history(fruits)
    assert history(both) == ["Use cases taken out."]  # the gardener reads that
    as_gardener.post(LIST, {"action": "revoke"} | chosen)
    assert ApiToken.objects.get(revoked=True) == both


@pytest.mark.parametrize("action", ["revoke", "take_out"])
def test_a_step_that_is_not_noted_is_not_done(
    as_alice: Client, fruits: UseCase, action: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    token, _secret = ApiToken.create("one", may_read=True, use_cases=[fruits])

    def fail(*_args: object) -> None:
        raise RuntimeError("cut off")

    monkeypatch.setattr(token_admin, "note", fail)
    with pytest.raises(RuntimeError, match="cut off"):
        as_alice.post(LIST, {"action": action, "_selected_action": [token.pk]})
    token.refresh_from_db()
    assert not token.revoked
    assert list(token.use_cases.all()) == [fruits]


def test_of_two_that_take_one_name_at_once_one_is_told(
    as_alice: Client, fruits: UseCase, monkeypatch: pytest.MonkeyPatch
) -> None:
    ApiToken.create("collector", may_read=True, use_cases=[fruits])
    look = token_admin.ApiTokenForm.validate_unique
    looks: list[None] = []

    def too_early(form: Any) -> None:
        looks.append(None)
        if len(looks) > 1:
            look(form)

    monkeypatch.setattr(token_admin.ApiTokenForm, "validate_unique", too_early)
    assert errors(as_alice.post(ADD, form(fruits))) == {"name"}
    assert len(looks) == 2
    assert ApiToken.objects.count() == 1


def test_a_token_is_neither_changed_nor_deleted(as_root: Client, fruits: UseCase) -> None:
    token, _secret = ApiToken.create("one", may_read=True, use_cases=[fruits])
    before = list(ApiToken.objects.values())
    for address in (change(token), page("apitoken_delete", token.pk)):
        assert as_root.post(address, form(fruits, may_ingest="on", post="yes")).status_code == 403
    chosen = {"action": "delete_selected", "_selected_action": [token.pk], "post": "yes"}
    as_root.post(LIST, chosen)
    assert list(ApiToken.objects.values()) == before


def test_owners_give_access_to_training_tasks_of_theirs_alone(as_alice: Client, as_bob: Client) -> None:
    mine = define_task().task
    theirs = define_task(slug="series", owner_group="gardeners").task
    sent = {"may_ingest": "", "may_read": "on", "training_tasks": [mine.pk]}
    assert errors(as_alice.post(ADD, form(**sent | {"training_tasks": [theirs.pk]}))) >= {"training_tasks"}
    assert errors(as_alice.post(ADD, form(**sent | {"may_ingest": "on", "may_read": ""}))) == {"training_tasks"}
    secret_in(as_alice.post(ADD, form(**sent)))
    token = ApiToken.objects.get()
    assert [*token.training_tasks.all()] == [mine]
    assert "Films to watch" in words(as_alice, LIST)
    token.training_tasks.add(theirs)
    shared = words(as_alice, LIST)
    assert "Films to watch, and others" in shared
    as_alice.post(LIST, {"action": "revoke", "_selected_action": [token.pk]})
    as_alice.post(LIST, {"action": "take_out", "_selected_action": [token.pk]})
    token.refresh_from_db()
    assert not token.revoked
    assert [*token.training_tasks.all()] == [theirs]
