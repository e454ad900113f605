"""A mechanism whose devices need the dictionary, which is frozen with the version; and *anything else* beside it."""

import csv
import io
import json
from typing import Any

import numpy as np
import pytest
from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.core.management import call_command
from django.test import Client

from aggregation import SubsetSelection
from aggregation.device import read_configuration
from aggregation.estimation import intervals
from aggregation.mechanisms.subset_selection.parameters import dictionary_digest
from reports.collection.devices import published
from reports.definitions import (
    Entry,
    activate,
    change_draft,
    draft_from,
    revise_dictionary,
    settings_of,
    write_definitions,
)
from reports.evaluation import published_shape
from reports.models import Batch, Version
from reports.planning import NotPossible, Plan, Question, plans
from reports.results import HistogramQuery
from reports.simulation import Fleet, Shares
from tests.reports import small_fleet
from tests.reports.devices import document_of, post, segment_of
from tests.reports.every_page import assert_shown
from tests.reports.factories import apply, assert_nothing_left, batch_of, of_records, refused
from tests.reports.factories import send as upload
from tests.reports.small_fleet import FRUITS, aggregate, days_ago
from tests.reports.web.admin.forms import VERSION, page
from tests.reports.web.api.described import departure

pytestmark = [pytest.mark.exact, pytest.mark.django_db]

OBSERVED = (*FRUITS, "pear", "plum")
SHARES = np.array([0.4, 0.2, 0.1, 0, 0, 0, 0.2, 0.1])


def definition(**changes: Any) -> dict[str, Any]:
    fields = {"algorithm": "SubsetSelection", "parameters": {"epsilon": 2, "w": 2, "other": True}}
    return small_fleet.definition(**fields | changes)


def define(**changes: Any) -> Version:
    apply(definition(**changes))
    return Version.objects.active().get(use_case__slug="fruits")


@pytest.fixture
def version(db: None) -> Version:
    return define()


@pytest.fixture
def as_alice(alice: User) -> Client:
    """Owns the use case, and makes drafts in the admin."""
    alice.is_staff = True
    alice.save()
    client = Client()
    client.force_login(alice)
    return client


# All but the last fruit are reported often enough to be shown.
ALL_BUT_ONE = np.array([0.25, 0.15, 0.15, 0.15, 0.15, 0.01, 0.07, 0.07])


def send(version: Version, reports: int, days: int = 1, shares: np.ndarray[Any, Any] = SHARES) -> np.ndarray[Any, Any]:
    """Upload a fleet's reports of some days ago, some about what is not in the dictionary; returns the true counts."""
    fleet = Fleet(version, Shares("en_US", OBSERVED, shares), np.random.default_rng(days))
    receipt = upload("\n".join(fleet.documents(reports)).encode(), day=days_ago(days))
    assert receipt.accepted == reports
    return fleet.true_counts


def changes_of(**changes: Any) -> list[str]:
    (applied,) = apply(definition(**changes))
    return applied.changes


# --- The dictionary is frozen ---


def test_a_definition_leaves_out_what_follows_from_the_dictionary(version: Version) -> None:
    digest = dictionary_digest(FRUITS)
    wire = {"epsilon": 2, "size": 7, "w": 2, "other": True, "dictionary": digest}
    assert version.parameters == wire
    assert changes_of() == []
    assert changes_of(parameters=wire) == []
    without = definition()
    del without["dictionary"]
    assert [each.changes for each in apply(without)] == [[]]
    with pytest.raises(ValidationError, match="size is 7 for this dictionary; leave it out"):
        apply(definition(parameters=wire | {"size": 8}))
    with pytest.raises(ValidationError, match=r"dictionary is .* for this dictionary"):
        apply(definition(parameters=wire | {"dictionary": "0" * 32}))


def test_an_exported_definition_changes_nothing(version: Version) -> None:
    out = io.StringIO()
    write_definitions([version.use_case], out)
    assert [each.changes for each in apply(*json.loads(out.getvalue()))] == [[]]


def test_another_dictionary_makes_a_version_and_going_back_is_refused_by_its_number(version: Version) -> None:
    changes = changes_of(dictionary=[*FRUITS, "grape"])
    assert changes == ["version 2 is active", "dictionary revision 1 has 7 elements"]
    with pytest.raises(ValidationError, match=r"Version 1 .* already has these parameters"):
        apply(definition())
    assert Version.objects.count() == 2
    assert changes_of(parameters={"epsilon": 2, "w": 1, "other": True})[0] == "version 3 is active"


def test_other_names_of_the_same_elements_are_no_other_dictionary(version: Version) -> None:
    named = [{"element": fruit, "display": fruit.title(), "category": "fruit"} for fruit in reversed(FRUITS)]
    assert changes_of(dictionary=named) == ["dictionary revision 2 has 6 elements"]
    with pytest.raises(ValidationError, match=r"frozen with it\. Make a new version for another dictionary"):
        revise_dictionary(version, [Entry("apple", "apple")])


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"dictionary": ["apple"], "parameters": {"epsilon": 2, "w": 1}}, "must be two elements at least"),
        ({"dictionary": [f"e{place}" for place in range(4096)]}, "takes 4096 elements at most.*Leave out rare ones"),
        (
            {"parameters": {"epsilon": 2, "w": 7, "other": True}},
            "w must be from 1 to 6 for a dictionary of 7, not 7; 1 is best",
        ),
        ({"parameters": {"epsilon": 2, "w": 2, "other": 1}}, "other must be true or false"),
        ({"dictionary": ["a\nb", "c", "d"]}, "line feed"),
        ({"dictionary_complete": True}, "does not hold every element"),
    ],
)
def test_what_does_not_fit_is_refused_in_words(db: None, changes: dict[str, Any], words: str) -> None:
    with pytest.raises(ValidationError, match=words):
        apply(definition(**changes))
    assert not Version.objects.exists()


def test_a_draft_gets_its_dictionary_before_it_is_activated(version: Version) -> None:
    draft = draft_from(version)
    assert draft.parameters["dictionary"] != version.parameters["dictionary"], "a stand-in until it is activated"
    with pytest.raises(ValidationError, match=r"Version 1 \(active\) already has these parameters"):
        activate(draft)
    assert revise_dictionary(draft, [Entry(text, text) for text in (*FRUITS, "grape")]) is not None
    assert activate(draft).parameters["dictionary"] == dictionary_digest([*FRUITS, "grape"])
    other = draft_from(version)
    change_draft(other, **settings_of(other) | {"normalization": "word"})
    with pytest.raises(ValidationError, match="needs its dictionary first"):
        activate(other)


def test_the_admin_asks_for_its_parameters(as_alice: Client, version: Version) -> None:
    body = VERSION | {"use_case": version.use_case_id, "algorithm": "SubsetSelection", "k": "", "m": "", "epsilon": "2"}
    assert "Count anything else" in as_alice.get(page("version_add")).content.decode()
    refused = as_alice.post(page("version_add"), body | {"w": "513"}).context["adminform"].form
    assert refused.errors == {
        "w": ["Must be from 1 to 512, and less than the number of elements, “anything else” included."]
    }
    assert as_alice.post(page("version_add"), body | {"w": "2", "other": "on"}).status_code == 302
    draft = Version.objects.get(number=2)
    assert (draft.parameters["w"], draft.parameters["other"]) == (2, True)
    for name in ("version_change", "version_dictionary"):
        assert as_alice.get(page(name, draft.pk)).status_code == 200
    assert as_alice.get(page("version_change", version.pk)).status_code == 200
    assert "frozen once the version is active" in as_alice.get(page("version_dictionary", draft.pk)).content.decode()
    address = page("version_dictionary", version.pk)
    assert "frozen with the version" in as_alice.get(address).content.decode()
    as_alice.post(address, {"form": "lines", "text": "apple\npear"})
    preview = page("version_preview", version.pk)
    token = as_alice.get(preview).context["token"]
    said = as_alice.post(preview, {"token": token}, follow=True).content.decode()
    assert "Make a new version for another dictionary." in said
    assert version.dictionary_revisions.count() == 1


def test_another_algorithm_has_no_box_to_tick(as_alice: Client, version: Version) -> None:
    body = VERSION | {"use_case": version.use_case_id}
    refused = as_alice.post(page("version_add"), body | {"other": "on"}).context["adminform"].form
    assert refused.errors == {"other": ["Count Mean Sketch has no such parameter; leave it empty."]}
    assert as_alice.post(page("version_add"), body).status_code == 302


# --- Devices and reports ---


def test_devices_are_given_the_dictionary_and_check_it(version: Version) -> None:
    (asked,) = json.loads(published().body)["use_cases"]
    assert asked["dictionary"] == sorted(FRUITS)
    assert not departure(json.loads(published().body), "DeviceConfiguration")
    use_case = read_configuration(published().body).use_cases["fruits"]
    assert use_case.element("plum", "en_US") == "plum"
    assert post(document_of(segment_of(version, use_case.mechanism.privatize("plum")))).status_code == 202
    closed = define(parameters={"epsilon": 2, "w": 2})
    assert read_configuration(published().body).use_cases["fruits"].element("plum", "en_US") is None
    assert closed.parameters["size"] == 6


def segment(version: Version, **changes: Any) -> dict[str, Any]:
    found = segment_of(version) | changes
    return {name: found[name] for name in ("use_case", "algorithm", "parameters")}


@pytest.mark.parametrize(
    ("name", "value", "reason"),
    [
        ("other", 1, "malformed_document"),
        ("other", "true", "malformed_document"),
        ("w", True, "malformed_document"),
        ("other", False, "parameters_mismatch"),
        ("dictionary", "0" * 32, "parameters_mismatch"),
        ("size", 6, "parameters_mismatch"),
        ("seed", "00" * 16, "parameters_mismatch"),
    ],
)
def test_other_parameters_are_refused_and_nothing_is_stored(
    version: Version, name: str, value: Any, reason: str
) -> None:
    error = refused(of_records(["0,1"], **segment(version, parameters=version.parameters | {name: value})))
    assert error.rejected == {reason: 1}
    assert_nothing_left()


def test_bad_records_are_refused_one_by_one(version: Version) -> None:
    lines = ["0,6", "1,0", "2", "0,1,2", "5,7"]
    receipt = upload(of_records(lines, **segment(version)))
    reasons = {"malformed_record": 1, "wrong_length": 2, "coordinate_out_of_range": 1}
    assert (receipt.accepted, receipt.rejected) == (1, reasons)


def test_a_suspicious_batch_waits_and_is_explained_in_its_own_words(version: Version, as_alice: Client) -> None:
    batch = batch_of(upload(of_records(["0,1"] * 500, **segment(version))))
    assert batch.state == Batch.State.QUARANTINED
    assert "are named 1,000 times in 500 reports" in as_alice.get(f"/batches/{batch.pk}/").content.decode()


def test_equal_uploads_of_two_elements_both_count() -> None:
    """A pair of uploads in fifty of a thousand honest reports each is equal; of eight elements none is."""
    for dictionary, batches in ((FRUITS[:2], 2), (OBSERVED, 1)):
        version = define(dictionary=list(dictionary), parameters={"epsilon": 0.5, "w": 1})
        lines = [str(place % len(dictionary)) for place in range(1000)]
        for _time in range(2):
            upload(of_records(lines, **segment(version)))
        assert Batch.objects.filter(shards__version=version).distinct().count() == batches


# --- Results ---


def test_anything_else_is_counted_beside_the_elements_and_every_page_shows_it(
    version: Version, as_alice: Client
) -> None:
    truth = send(version, 6000, days=2) + send(version, 6000, days=1)
    run = aggregate(version)
    assert_shown(as_alice, "/use-cases/fruits/", "apple", run)
    document = as_alice.get("/use-cases/fruits/histogram.json", {"locale": "en_US"}).json()
    assert document["n"] == 12_000
    found = {entry["element"]: entry for entry in document["entries"]}
    assert list(found) == ["apple", "banana", "cherry"]
    for place, (fruit, entry) in enumerate(found.items()):
        assert fruit == FRUITS[place]
        assert abs(entry["estimate"] - truth[place]) < 5 * entry["standard_error"]
    other = document["other"]
    assert abs(other["estimate"] - truth[6:].sum()) < 5 * other["standard_error"]
    ends = intervals(np.array([other["estimate"]]), np.array([other["standard_error"]]), 0.95)
    assert [end[0] for end in ends] == [other["lower"], other["upper"]]
    mechanism = version.device_mechanism
    assert isinstance(mechanism, SubsetSelection)
    error = mechanism.debiased.variance(np.array([other["estimate"]]), 12_000, 0.0)[0] ** 0.5
    assert other["standard_error"] == pytest.approx(error)
    answer = as_alice.get("/use-cases/fruits/histogram.csv", {"locale": "en_US"})
    (header, line, *_lines) = b"".join(answer).decode().splitlines()
    cells = dict(zip(header.split(","), line.split(","), strict=True))
    assert float(cells["other_estimate"]) == other["estimate"]
    assert (cells["other"], cells["element"]) == ("true", "apple")
    text = " ".join(as_alice.get("/use-cases/fruits/").content.decode().split())
    assert "<dt>Anything else</dt>" in text
    # Nor is it spread over elements that are hidden where an evaluation takes this for the truth.
    shape = published_shape(version.use_case, HistogramQuery(locale="en_US"))
    assert shape is not None
    counts = {element: int(count) for element, count in csv.reader(shape.counts.splitlines(), delimiter="\t")}
    known = {element: round(entry["estimate"]) for element, entry in found.items()}
    known |= {"*anything else*": round(other["estimate"])}
    assert known.items() <= counts.items()
    assert (len(counts), sum(counts.values())) == (7, max(12_000, sum(known.values())))
    assert shape.first == len(found) + (other["estimate"] >= min(known[element] for element in found))
    answer = as_alice.get("/use-cases/fruits/histogram.json", {"locale": "en_US", "group": "category"})
    assert answer.status_code == 400, "there are no categories"


@pytest.mark.parametrize(
    ("shares", "prescribed", "hidden", "shown"),
    [
        (SHARES, 2000, 4, True),
        (SHARES, 5000, 6, False),  # below it itself
        (ALL_BUT_ONE, 1000, 1, False),  # what is left of n would be about the hidden one
        (ALL_BUT_ONE, None, 1, True),  # nothing was promised about it
    ],
)
def test_a_prescribed_threshold_holds_for_anything_else_and_for_what_it_leaves(
    as_alice: Client, shares: np.ndarray[Any, Any], prescribed: int | None, hidden: int, shown: bool
) -> None:
    version = define(**({} if prescribed is None else {"prescribed_threshold": prescribed}))
    send(version, 12_000, shares=shares)
    aggregate(version)
    document = as_alice.get("/use-cases/fruits/histogram.json", {"locale": "en_US"}).json()
    assert (document["below_threshold"], "other" in document) == (hidden, shown)


def test_without_anything_else_nothing_is_said_of_it(as_alice: Client) -> None:
    version = define(parameters={"epsilon": 2, "w": 2})
    fleet = Fleet(version, Shares("en_US", FRUITS, np.array(small_fleet.PROBABILITIES)), np.random.default_rng(1))
    upload("\n".join(fleet.documents(2000)).encode(), day=days_ago(1))
    aggregate(version)
    assert "other" not in as_alice.get("/use-cases/fruits/histogram.json", {"locale": "en_US"}).json()


def test_privacy_pages_say_what_its_package_says(version: Version, as_alice: Client) -> None:
    document = as_alice.get("/use-cases/fruits/privacy.json").json()
    assert [field["name"] for field in document["report"]["fields"]] == ["elements"]
    assert document["report"]["example"] in FRUITS
    assert "combinations that are too regular" in document["screening"]["rules"][0]


# --- Planning and audit ---


def test_the_planner_plans_it_for_dictionaries_that_fit() -> None:
    def plan_of(size: int) -> Plan | NotPossible:
        return next(plan for plan in plans(Question(size=size)) if plan.algorithm == "SubsetSelection")

    plan = plan_of(2600)
    assert isinstance(plan, Plan)
    assert plan.parameters["w"] == 47
    large = plan_of(4097)
    assert isinstance(large, NotPossible)
    assert "4096 elements at most" in str(large.error)


@pytest.mark.statistical
def test_it_is_audited(version: Version) -> None:
    out = io.StringIO()
    with pytest.raises(SystemExit):  # more runs are needed to judge the estimate
        call_command("audit", "fruits", "--runs", "8000", "--json", stdout=out)
    found = json.loads(out.getvalue())
    assert [(each["client"], each["faults"]) for each in found] == [("python", []), ("browser", [])]
