"""A mechanism that registers from outside goes all ways through the site, without an edit anywhere else.

It has no hash functions, no seed and no rows, and each report lies in one of its two streams.
"""

import io
import json
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.core.management import CommandError, call_command
from django.test import Client

from aggregation.device import read_configuration
from aggregation.mechanisms import MECHANISMS, register
from reports.collection import holdings
from reports.collection.devices import drain, published
from reports.definitions import change_draft, create_draft, draft_from
from reports.definitions.versions import settings_of
from reports.kinds import COUNTING, kind_of
from reports.models import Batch, DeviceRecord, ReadOut, Shard, Version
from reports.planning import Plan, Question, plans, suggest
from reports.simulation import Fleet, Shares
from tests.aggregation.toy import LetterBallot
from tests.conftest import logged_in
from tests.reports import small_fleet
from tests.reports.devices import document_of, post, segment_of
from tests.reports.every_page import assert_shown
from tests.reports.factories import batch_of, of_records
from tests.reports.factories import send as upload
from tests.reports.small_fleet import aggregate, days_ago
from tests.reports.web.admin.forms import VERSION, page

pytestmark = [pytest.mark.exact, pytest.mark.django_db]

LETTERS = "abcdefgh"
SHARES = np.array([0.5, 0.3, 0.2, 0, 0, 0, 0, 0])
PARAMETERS = {"epsilon": 2, "letters": LETTERS}


@pytest.fixture(autouse=True)
def _registered() -> Iterator[None]:
    register(LetterBallot)
    yield
    del MECHANISMS["LetterBallot"]


@pytest.fixture
def version(db: None) -> Version:
    return define()


@pytest.fixture
def as_alice(alice: User) -> Client:
    """Owns the use case, and makes drafts in the admin."""
    alice.is_staff = True
    alice.save()
    return logged_in(alice)


def define(**changes: Any) -> Version:
    """In a definition file."""
    ballot = {"algorithm": "LetterBallot", "parameters": PARAMETERS, "dictionary": list(LETTERS), "slug": "letters"}
    return small_fleet.define(**ballot | {"title": "Letters"} | changes)


def send(version: Version, reports: int, days: int = 1, locale: str = "en_US") -> np.ndarray[Any, Any]:
    """Upload a fleet's reports of some days ago; returns the true counts."""
    fleet = Fleet(version, Shares(locale, tuple(LETTERS), SHARES), np.random.default_rng(days))
    receipt = upload("\n".join(fleet.documents(reports)).encode(), day=days_ago(days))
    assert receipt.accepted == reports
    return fleet.true_counts


def test_a_definition_and_a_draft_have_no_seed(version: Version) -> None:
    assert (version.parameters, kind_of(version)) == (PARAMETERS, COUNTING)
    assert define(title="Other letters") == version, "nothing frozen has changed"
    with pytest.raises(ValidationError, match=r"already has these parameters.*change one of them"):
        draft_from(version)
    draft = create_draft(version.use_case, **settings_of(version) | {"parameters": {**PARAMETERS, "epsilon": 3}})
    assert draft.parameters == {"epsilon": 3, "letters": LETTERS}
    assert change_draft(draft, **settings_of(draft)).parameters == draft.parameters


def test_the_admin_asks_for_its_parameters(as_alice: Client, version: Version) -> None:
    body = VERSION | {"use_case": version.use_case_id, "algorithm": "LetterBallot", "k": "", "m": "", "epsilon": "1"}
    form = as_alice.get(page("version_add")).content.decode()
    assert "Letter Ballot: a letter, or another one" in form
    assert "Only for Letter Ballot" in form
    refused = as_alice.post(page("version_add"), body | {"letters": "aa"}).context["adminform"].form
    assert refused.errors == {"letters": ["Two or more."]}
    refused = as_alice.post(page("version_add"), body | {"letters": "ab", "seed": "00" * 16}).context["adminform"].form
    assert refused.errors == {"seed": ["Letter Ballot has no such parameter; leave it empty."]}
    assert as_alice.post(page("version_add"), body | {"letters": "ab"}).status_code == 302
    draft = Version.objects.get(number=2)
    assert draft.parameters == {"epsilon": 1, "letters": "ab"}
    for name in ("version_change", "version_activate", "version_dictionary"):
        assert as_alice.get(page(name, version.pk if name == "version_change" else draft.pk)).status_code == 200


def test_devices_are_asked_and_their_records_become_shards(version: Version) -> None:
    asked = read_configuration(published().body).use_cases["letters"]
    records = [asked.mechanism.privatize(letter) for letter in 120 * "a"]
    for first in range(0, 120, 10):
        (line, *rest) = records[first : first + 10]
        for each in (line, *rest):
            assert post(document_of(segment_of(version, each))).status_code == 202
    assert {row.stream for row in DeviceRecord.objects.all()} == {"heads", "tails"}
    (waiting,) = holdings.of_devices({version.pk: version})
    assert waiting.reports == 100, "the sum over both streams, in whole multiples of the minimum"
    drain(version, DeviceRecord.objects.latest("day").day)
    assert {each.stream for each in Shard.objects.get().slices()} == {"heads", "tails"}


def test_reports_are_counted_over_both_streams_and_every_page_shows_it(version: Version, as_alice: Client) -> None:
    truth = send(version, 4000, days=2) + send(version, 4000, days=1)
    send(version, 300, days=1, locale="fr_FR")
    (one, *_others) = holdings.in_shards(Shard.objects.filter(size=300), {version.pk: version})
    assert one.reports == 300
    run = aggregate(version)
    assert run.parts.count() == 1
    assert sorted(ReadOut.objects.values_list("n", flat=True)) == [300, 4000, 4000]
    assert_shown(as_alice, "/use-cases/letters/", "a", run)
    document = as_alice.get("/use-cases/letters/histogram.json", {"locale": "en_US"}).json()
    assert document["n"] == 8000
    found = {entry["element"]: entry for entry in document["entries"]}
    assert list(found) == ["a", "b", "c"]
    for letter, count in zip(LETTERS, truth.tolist(), strict=True):
        if letter in found:
            assert abs(found[letter]["estimate"] - count) < 5 * found[letter]["standard_error"]


def test_a_suspicious_batch_waits_and_is_explained_in_its_own_words(version: Version, as_alice: Client) -> None:
    receipt = upload(of_records(["heads,0"] * 500, **segment(version)))
    batch = batch_of(receipt)
    assert batch.state == Batch.State.QUARANTINED
    text = as_alice.get(f"/batches/{batch.pk}/").content.decode()
    assert "500 of 500 letters are the same." in text
    (waiting,) = holdings.in_quarantine(batch.quarantined_shards.all(), {version.pk: version})
    assert waiting.reports == 500


def segment(version: Version) -> dict[str, Any]:
    names = ("use_case", "algorithm", "parameters")
    found = segment_of(version)
    return {name: found[name] for name in names}


def test_bad_records_are_refused_one_by_one(version: Version) -> None:
    receipt = upload(of_records(["heads,0", "heads,8", "edge,1"], **segment(version)))
    assert (receipt.accepted, receipt.rejected) == (1, {"malformed_record": 2})


def test_privacy_pages_say_what_its_package_says(version: Version, as_bob: Client) -> None:
    document = as_bob.get("/use-cases/letters/privacy.json").json()
    assert [field["name"] for field in document["report"]["fields"]] == ["box", "letter"]
    assert document["screening"]["rules"][0].startswith("Batches are tested for letters that are too clear.")
    assert as_bob.get("/use-cases/letters/privacy/").status_code == 200


def test_the_planner_plans_it() -> None:
    question = Question(size=8)
    plan = next(plan for plan in plans(question) if plan.algorithm == "LetterBallot")
    assert isinstance(plan, Plan)
    assert plan.parameters == {"epsilon": 4, "letters": LETTERS}
    assert suggest("LetterBallot", {"epsilon": 2}, question) == {}


def test_pages_say_that_browsers_have_no_client_for_it(version: Version, client: Client) -> None:
    text = client.get("/what-leaves-your-device/").content.decode()
    assert "cannot be made in a browser: Letters." in " ".join(text.split())
    with pytest.raises(CommandError, match="LetterBallot has no client in browsers"):
        call_command("audit", "letters", "--client", "browser")


@pytest.mark.statistical
def test_it_is_audited(db: None) -> None:
    out = io.StringIO()
    call_command(
        "audit",
        define(parameters={"epsilon": 1, "letters": "ab"}, dictionary=["a", "b"]).use_case.slug,
        "--runs",
        "50000",
        "--json",
        stdout=out,
    )
    (found,) = json.loads(out.getvalue())
    assert (found["client"], found["verdict"]) == ("python", "passes")
