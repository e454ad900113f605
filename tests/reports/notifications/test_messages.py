"""Messages, and what words chosen by strangers cannot make of them."""

import json
import re

import pytest
from django.contrib.auth.models import User
from django.core import mail
from django.utils import translation

from reports.formatting import written_day
from reports.models import UseCase, Version
from reports.notifications import delivery, messages
from reports.notifications.composing import undelivered
from reports.notifications.news import news_of
from tests.reports.entries import change_entries
from tests.reports.notifications.conftest import publish, publish_shares, subscribe
from tests.reports.small_fleet import days_ago

pytestmark = [pytest.mark.exact, pytest.mark.django_db, pytest.mark.usefixtures("mail_server")]

HOSTILE = "evil\r\nBcc: all@example.org\r\n\r\n\u2028<b>\u202eolleh\x00\x1b[31m"


def test_a_mail_in_words(version: Version, bob: User) -> None:
    publish(version, 2, ["banana"])
    subscription = subscribe(bob, version)
    publish(version, 1, ["apple", "banana"])
    delivery.deliver(subscription.pk)
    (sent,) = mail.outbox
    assert sent.subject.startswith("Fruits: news up to ")
    assert sent.content_subtype == "plain"
    assert not getattr(sent, "alternatives", [])
    assert sent.extra_headers["Auto-Submitted"] == "auto-generated"
    lines = sent.body.splitlines()
    assert lines[0] == sent.subject
    assert "- apple: rank 1, 9.99\u00a0% (8.80\u00a0% to 11.20\u00a0%)" in lines
    day = days_ago(1).isoformat()
    link = f"https://reports.example.org/use-cases/fruits/?locale=en_US&from={day}&to={day}"
    assert f"All of it: {link}" in lines
    assert lines[-1].endswith("https://reports.example.org/subscriptions/")
    assert "banana" not in sent.body
    assert "differences" not in sent.body


def test_a_change_in_words_tells_no_value_below_t(version: Version, bob: User) -> None:
    publish_shares(version, 2, [0.7, 0.3])
    subscription = subscribe(bob, version, new_in_top=False)
    publish_shares(version, 1, [0.3, 0.3, 0.4])
    delivery.deliver(subscription.pk)
    body = str(mail.outbox[0].body)
    assert f"Significant changes ({written_day(days_ago(1))}, compared with {written_day(days_ago(2))})" in body
    assert "The intervals of differences also allow for who happened to report." in body
    assert re.search(r"- apple falls: before 7\d\.\d+\s%.*, now [23]\d\.\d+\s%.*; difference -\d", body)
    before = r"before too rare to be told from noise \(at most \d+\.\d+\s%\)"
    assert re.search(rf"- cherry rises: {before}, now [34]\d\.\d+\s% \([^)]*\)\n", body)
    for element in ("date", "elderberry", "fig"):
        assert element not in body.replace("update", "")
    document = json.loads(messages.document(subscription, news_of(subscription, undelivered(subscription))))
    cherry = next(item for item in document["news"] if item["element"] == "cherry")
    assert cherry["before"]["first_day"] == cherry["before"]["last_day"] == days_ago(2).isoformat()
    assert (cherry["before"]["share"], cherry["difference"], cherry["difference_lower"]) == (None, None, None)


def test_hostile_words_stay_in_their_line(version: Version, bob: User) -> None:
    publish(version, 2, ["banana"])
    subscription = subscribe(bob, version)
    publish(version, 1, ["word", "banana"])
    change_entries(lambda entry: entry.display == "word", display=HOSTILE.replace("\0", ""))
    UseCase.objects.update(title="Fruits\r\nBcc: all@example.org")
    delivery.deliver(subscription.pk)
    (sent,) = mail.outbox
    message = sent.message()
    assert "\n" not in sent.subject
    assert sent.recipients() == ["bob@example.org"]
    assert message["Bcc"] is None
    assert message.get_content_type() == "text/plain"
    (line,) = [line for line in sent.body.splitlines() if "evil" in line]
    assert line.startswith("- evil Bcc: all@example.org <b> olleh [31m: rank 1, ")
    assert not any(line.startswith("Bcc") for line in sent.body.splitlines())


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("👩\u200d💻 at\twork", "👩\u200d💻 at work"),
        ("نعم", "نعم"),
        ("a\u2066b\u2069\u200f", "a b"),
        ("\x85\x0b  ", ""),
    ],
)
def test_one_line(text: str, line: str) -> None:
    assert messages.one_line(text) == line


def test_long_lists_are_cut(version: Version, bob: User, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(messages, "MOST_LISTED", 2)
    publish(version, 2, ["banana"])
    subscription = subscribe(bob, version)
    publish(version, 1, ["apple", "cherry", "date", "fig"])
    with translation.override("en"):
        body = messages.mail(subscription, news_of(subscription, undelivered(subscription))).body
    assert [line for line in body.splitlines() if line.startswith("- ")][2:] == ["- and 2 more"]
