"""Each fact of a use case's privacy page, and what of it strangers are told."""

import datetime
import json
from decimal import Decimal
from typing import Any

import pytest
from django.contrib.auth.models import AnonymousUser, User
from django.utils import timezone

from aggregation.accounting import amplified, composed
from aggregation.screening import effect_of_fakes
from reports.models import ApiToken, Deletion, DroppedReports, UseCase, Version, Viewing
from reports.privacy import use_case_document
from reports.viewings import record_viewing
from tests.conftest import make_user
from tests.reports.factories import SEED, apply, definition, make_version
from tests.reports.small_fleet import aggregate, days_ago, define, define_words, send

pytestmark = [pytest.mark.exact, pytest.mark.django_db]

STRANGER = AnonymousUser()
HADAMARD = {"algorithm": "HadamardCountMeanSketch", "parameters": {"epsilon": 4, "k": 64, "m": 1024, "seed": SEED}}


def document(slug: str, person: User | AnonymousUser = STRANGER) -> dict[str, Any]:
    return use_case_document(person, UseCase.objects.get(slug=slug))


def test_epsilon_is_added_up() -> None:
    make_version(daily_limit=3, retention_days=10, parameters={"epsilon": 0.5, "k": 64, "m": 64, "seed": SEED})
    assert document("keyboard-emoji")["epsilon"] == {
        "per_report": 0.5,
        "parts": None,
        "reports_per_day": 3,
        "budget_group": None,
        "per_day": 1.5,
        "others_cost_more": False,
        "earlier_cost_more": False,
        "retention_days": 10,
        "days_held": 24,
        "over_retention": 36,
    }


def test_the_parts_of_a_report_about_a_word() -> None:
    """2 for the word and 6 for two of its letters: 8 a report, and 16 for the two of a day."""
    split = {"epsilon": 2, "k": 64, "m": 64, "fragment_epsilon": 6, "fragment_k": 64, "fragment_m": 64, "length": 10}
    define_words(parameters=split, daily_limit=2, retention_days=90)
    found = document("words")["epsilon"]
    assert (found["per_report"], found["parts"]) == (8, {"word": 2, "letters": 6})
    assert (found["per_day"], found["over_retention"]) == (16, 16 * (90 + 2 * 7))


def test_of_a_budget_group_those_are_named_whose_pages_one_may_read(alice: User, charlie: User) -> None:
    shared = {"budget_group": "domains", "daily_limit": 2}
    apply(
        definition(slug="a", title="A", **shared),
        definition(slug="b", title="B", **shared, owner_group="others", viewer_groups=None),
        definition(slug="c", title="C", **shared, owner_group="others", viewer_groups=None),
    )
    UseCase.objects.filter(slug="c").update(privacy_published=True)
    published = {"use_case": "c", "title": "C"}
    for person in (alice, charlie, STRANGER):
        group = document("a", person)["epsilon"]["budget_group"]
        assert group == {"name": "domains", "shared_with": [published], "others": 1}
    assert document("c", alice)["epsilon"]["budget_group"]["shared_with"] == [{"use_case": "a", "title": "A"}]


# --- A report ---


@pytest.mark.parametrize(
    ("changes", "example", "fields"),
    [
        ({}, "😀", ["row", "bits"]),
        ({"normalization": "domain", "dictionary": ["a.io"], **HADAMARD}, "example.org", ["row", "coordinate", "sign"]),
        ({"normalization": "raw"}, "example", ["row", "bits"]),
        ({"normalization": "word", "dictionary": ["abc"]}, "hello", ["row", "bits"]),
        ({"normalization": "word", "dictionary": ["abc"], "alphabet": "qrstuv"}, "qrst", ["row", "bits"]),
    ],
)  # fmt: skip
def test_a_report_made_now(changes: dict[str, Any], example: str, fields: list[str]) -> None:
    version = make_version(**changes)
    first, second = (document("keyboard-emoji")["report"] for _ in range(2))
    assert first["example"] == example
    assert [field["name"] for field in first["fields"]] == fields
    # It is what a device would send: the server takes it in, and no other element is as likely in its place.
    assert ",".join(field["value"] for field in first["fields"]) == first["record"]
    assert version.mechanism.parse_records([first["record"]]).rejected == []
    assert len(first["record"]) <= first["longest"] == version.mechanism.report_characters
    assert first["record"] != second["record"]


def test_a_report_about_a_word() -> None:
    version = define_words()
    report = document("words")["report"]
    assert [field["name"] for field in report["fields"]] == ["place", "row", "bits", "row", "bits"]
    assert version.mechanism.parse_records([report["record"]]).rejected == []
    assert version.element(report["example"], report["locale"]) is not None


def test_the_chance_of_a_flip_is_said() -> None:
    """1/(e² + 1) for each bit at ε = 4, 1/(e⁴ + 1) for the single bit of Hadamard."""
    make_version()
    assert "12\u00a0%" in document("keyboard-emoji")["report"]["fields"][1]["meaning"]
    make_version(slug="other", **HADAMARD)
    assert "1.8\u00a0%" in document("other")["report"]["fields"][2]["meaning"]


# --- Hidden among others ---


def test_the_guaranteed_case_is_the_minimum_with_one_and_with_a_days_reports() -> None:
    make_version(daily_limit=2)
    found = document("keyboard-emoji")["central"]
    assert found["delta"] == 1e-6
    assert found["batches"] == [
        {"what": "report", "n": 10_000, "reports_per_person": 1, "local_epsilon": 4,
         "central_epsilon": amplified(4, 10_000, 1e-6)},
        {"what": "day", "n": 10_000, "reports_per_person": 2, "local_epsilon": 8,
         "central_epsilon": composed(4, 10_000, 2, 1e-6)},
    ]  # fmt: skip
    assert found["batches"][0]["central_epsilon"] == pytest.approx(0.601, abs=0.001)
    assert found["batches"][1]["central_epsilon"] == pytest.approx(1.277, abs=0.001)


def test_half_of_the_minimum_may_be_known_to_who_looks() -> None:
    make_version(daily_limit=2)
    found = document("keyboard-emoji")
    assert found["central"]["half_known"] == {
        "what": "half_known", "n": 5_000, "reports_per_person": 1, "local_epsilon": 4,
        "central_epsilon": amplified(4, 5_000, 1e-6),
    }  # fmt: skip
    assert "a person who sent 9,999 of 10,000 reports sees the last one by itself" in " ".join(found["not_covered"])


def test_local_epsilon_only() -> None:
    make_version(minimum_reports=1000)
    (batch,) = document("keyboard-emoji")["central"]["batches"]
    assert batch["central_epsilon"] is None


def test_a_batch_smaller_than_the_daily_limit() -> None:
    make_version(minimum_reports=1, daily_limit=3)
    first, day = document("keyboard-emoji")["central"]["batches"]
    assert (first["reports_per_person"], day["reports_per_person"]) == (1, 1)


def test_the_newest_publications_are_for_those_who_see_results(alice: User, bob: User, charlie: User) -> None:
    """A window of two days with 800 reports, and the newest of its days with 500; of two locales the smaller.

    Both are about what one person sends on one day, however many days are in them.
    """
    version = define(parameters={"epsilon": 1, "k": 1024, "m": 64, "seed": "0f" * 16}, daily_limit=2)
    send(version, 300, day=days_ago(2), seed=2)
    send(version, 500, day=days_ago(1), seed=1)
    for day in (2, 1):
        send(version, 600, day=days_ago(day), seed=3, locale="fr_FR")
    aggregate(version)
    first, last = days_ago(2).isoformat(), days_ago(1).isoformat()
    for person in (alice, bob):
        _report, _day, window, newest = document("fruits", person)["central"]["batches"]
        assert window == {
            "what": "published_window", "locale": "en_US", "first_day": first, "last_day": last,
            "n": 800, "reports_per_person": 2, "local_epsilon": 2, "central_epsilon": composed(1, 800, 2, 1e-6),
        }  # fmt: skip
        assert (newest["what"], newest["n"], newest["first_day"], newest["last_day"]) == (
            "published_period", 500, last, last,
        )  # fmt: skip
        assert (newest["reports_per_person"], newest["central_epsilon"]) == (2, composed(1, 500, 2, 1e-6))
    for stranger in (charlie, STRANGER):
        assert [batch["what"] for batch in document("fruits", stranger)["central"]["batches"]] == ["report", "day"]


def test_a_window_of_one_day_is_said_once_and_all_is_json(bob: User) -> None:
    version = define()
    send(version, 300, day=days_ago(1))
    aggregate(version)
    found = document("fruits", bob)
    assert [batch["what"] for batch in found["central"]["batches"]] == ["report", "published_period"]
    assert json.loads(json.dumps(found)) == found
    assert not any(isinstance(value, Decimal) for value in found["epsilon"].values())


# --- Rules ---


def test_the_threshold_rule(bob: User) -> None:
    version = define(minimum_reports=1000, false_positive_rate=0.1)
    found = document("fruits", bob)["threshold"]
    assert (found["minimum_reports"], found["false_positive_rate"]) == (1000, 0.1)
    assert found["smallest_share"] == version.mechanism.debiased.threshold(1000, 0.1 / 6, f2=1000) / 1000
    text = " ".join(found["rules"])
    for part in ("fewer than 1,000 reports", "0.1 are expected", "singled out", f"{100 * found['smallest_share']:.2g}"):
        assert part in text
    # The share tells how many elements there are.
    told = document("fruits")["threshold"]
    assert (told["smallest_share"], told["minimum_reports"]) == (None, 1000)
    assert len(told["rules"]) == len(found["rules"]) - 1


def test_what_fakes_can_do() -> None:
    version = make_version()
    found = document("keyboard-emoji")["screening"]
    effect = effect_of_fakes(version.mechanism)
    assert (found["raised_per_fake"], found["lowered_per_fake"]) == (effect.raised, effect.lowered)
    # e²/(e² - 1) = 1.1565, a little more for 64 buckets.
    assert "more than 1.16 reports to the estimate" in found["rules"][2]
    assert "no test can tell them apart" in found["rules"][1]
    assert "moves by at most 1.16\u00a0% of" in found["rules"][2]


def test_what_fakes_can_do_downwards() -> None:
    """With one coordinate of a few, c = 1.3130: (8c - 1)/7 = 1.358 up, but (8c + 1)/7 = 1.644 down."""
    define(algorithm="HadamardCountMeanSketch", parameters={"epsilon": 2, "k": 64, "m": 8, "seed": "0f" * 16})
    rule = document("fruits")["screening"]["rules"][2]
    for words in ("more than 1.36 reports to", "more than 1.65 away", "moves by at most 1.65\u00a0% of"):
        assert words in rule


def test_what_missing_noise_looks_like_is_said_of_one_bit_reports() -> None:
    """ρ = tanh(2) = 0.964; and 1024·ln(12·10⁶)/-ln(1 - 1/(e⁴ + 1)) = 919,900 reports."""
    make_version()
    make_version(slug="other", **HADAMARD | {"parameters": {"epsilon": 4, "k": 1024, "m": 1024, "seed": SEED}})
    rules = document("other")["screening"]["rules"]
    assert "signs that agree too often" in rules[0]
    assert "made up more than 96.4\u00a0% of them, or if about 920,000 came in one batch" in rules[3]
    of_vectors = document("keyboard-emoji")["screening"]["rules"]
    assert "vectors without noise" in of_vectors[0]
    assert "forgot the noise" not in " ".join(of_vectors)


# --- What is gone ---


def deletion(version: Version, day: datetime.date, reports: int, reason: str = "expired", ago: int = 0) -> None:
    Deletion.objects.create(
        version=version, day=day, reports=reports, fewest=reports, reason=reason, deleted_on=days_ago(ago)
    )


def test_deletions_by_day(alice: User, charlie: User) -> None:
    version = define(minimum_reports=100)
    other = define(slug="other")
    deletion(version, days_ago(90), 60, ago=1)
    deletion(version, days_ago(91), 60, ago=1)
    deletion(version, days_ago(89), 99)
    deletion(version, days_ago(5), 100, "demanded")
    deletion(other, days_ago(90), 5000)
    today, yesterday = days_ago(0).isoformat(), days_ago(1).isoformat()

    def row(
        deleted: str, reason: str, first: int, last: int, days: int, reports: int | None, *, few: bool = False
    ) -> dict[str, Any]:
        return {"deleted_on": deleted, "version": 1, "reason": reason, "first_day": days_ago(first).isoformat(),
                "last_day": days_ago(last).isoformat(), "days": days, "reports": reports,
                "fewer_than_minimum": few}  # fmt: skip

    assert document("fruits", alice)["retention"]["deletions"] == {
        "total": 3,
        "newest": [
            row(today, "demanded", 5, 5, 1, 100),
            # Fewer than may be published are not counted for anybody.
            row(today, "expired", 89, 89, 1, None, few=True),
            # Nor in a sum, from which the rest could be taken away.
            row(yesterday, "expired", 91, 90, 2, None),
        ],
    }
    for stranger in (charlie, STRANGER):
        found = document("fruits", stranger)["retention"]["deletions"]
        months = dict.fromkeys((today[:7], yesterday[:7]))
        assert found["newest"][0] == {"deleted_on": today[:7], "reason": "demanded"}
        assert found["newest"][1:] == [{"deleted_on": month, "reason": "expired"} for month in months]


def test_only_the_newest_deletions_are_listed(alice: User) -> None:
    version = define()
    for day in range(40):
        deletion(version, days_ago(100 + day), 1, ago=day)
    found = document("fruits", alice)["retention"]["deletions"]
    assert (found["total"], len(found["newest"])) == (40, 30)
    assert found["newest"][0]["deleted_on"] == days_ago(0).isoformat()


def test_dropped_reports_are_days_and_never_a_number(alice: User, bob: User, charlie: User) -> None:
    version = define(minimum_reports=100)
    assert document("fruits", alice)["retention"]["dropped"] == {"days": 0}
    for ago, locale, reports in ((3, "en_US", 99), (3, "fr_FR", 98), (2, "en_US", 97)):
        DroppedReports.objects.create(version=version, locale=locale, day=days_ago(ago), reports=reports)
    for reader in (alice, bob):
        assert document("fruits", reader)["retention"]["dropped"] == {"days": 2}
    for stranger in (charlie, STRANGER):
        assert document("fruits", stranger)["retention"]["dropped"] is None


# --- Who looks ---


def test_who_has_access(alice: User, bob: User, charlie: User) -> None:
    """Who these people and programs are, test_privacy_access says."""
    define()
    make_user("both", "keyboard", "keyboard-owners")
    make_user("gone", "keyboard")
    User.objects.filter(username="gone").update(is_active=False)
    ApiToken.create("every", may_read=True)
    found = document("fruits", bob)["access"]
    assert found["people_who_see_results"] == 3  # alice, bob, both
    assert found["people_who_change_settings"] == 2  # alice, both
    assert found["programs_that_read_results"] == 1
    assert found["groups"] == [
        {"name": "keyboard", "people": 2, "owner": False},
        {"name": "keyboard-owners", "people": 2, "owner": True},
    ]
    for stranger in (charlie, STRANGER):
        told = document("fruits", stranger)
        assert "groups" not in told["access"]
        text = json.dumps(told)
        for name in ("alice", "bob", "both", "keyboard"):
            assert name not in text
        assert told["access"]["people_who_see_results"] == 3


def test_how_often_it_was_looked_at(alice: User, bob: User) -> None:
    version = define()
    assert document("fruits")["access"]["looked_at"] == {"days": 30, "times": 0, "by": {}}
    for person in (alice, bob):
        record_viewing(person, version.use_case, "page")
    record_viewing(bob, version.use_case, "csv")
    record_viewing(alice, define(slug="other").use_case, "page")
    old = Viewing.objects.create(user=bob, use_case=version.use_case, what="page")
    Viewing.objects.filter(pk=old.pk).update(at=timezone.now() - datetime.timedelta(days=30, minutes=1))
    assert document("fruits")["access"]["looked_at"] == {"days": 30, "times": 3, "by": {"csv": 1, "page": 2}}


# --- Versions ---


def test_every_version_and_what_it_changed() -> None:
    rules = {"epsilon": 4, "k": 64, "m": 64, "seed": SEED}
    make_version(parameters=rules)
    make_version(parameters=rules | {"epsilon": 2, "m": 128})
    make_version(parameters=rules | {"epsilon": 2, "m": 128, "seed": "f" * 32}, keep_case=True, locales=["en_US"])
    make_version(**HADAMARD, keep_case=True, locales=["en_US"], dictionary=None)
    draft = Version.objects.get(number=4)
    Version.objects.filter(pk=draft.pk).update(accepts_until=None)
    found = document("keyboard-emoji")["versions"]
    assert [(version["number"], version["state"]) for version in found] == [
        (4, "active"), (3, "superseded"), (2, "superseded"), (1, "superseded"),
    ]  # fmt: skip

    def changed(number: int) -> dict[str, tuple[Any, Any]]:
        (version,) = (version for version in found if version["number"] == number)
        return {change["field"]: (change["from"], change["to"]) for change in version["changes"]}

    assert changed(1) == {}
    assert changed(2) == {"epsilon": (4, 2), "m": (64, 128)}
    assert changed(3) == {
        "seed": (SEED, "f" * 32), "keep_case": (False, True), "locales": (["en_US", "fr_FR"], ["en_US"]),
    }  # fmt: skip
    assert changed(4) == {
        "algorithm": ("CountMeanSketch", "HadamardCountMeanSketch"),
        "epsilon": (2, 4), "m": (128, 1024), "seed": ("f" * 32, SEED),
    }  # fmt: skip
    assert found[0]["created_on"] == days_ago(0).isoformat()
    assert found[1]["accepts_until"] == days_ago(-7).isoformat()


def test_a_parameter_that_one_of_two_algorithms_has() -> None:
    define_words(slug="words")
    apply(definition(slug="words", normalization="word", dictionary=["abc"], locales=["en_US"]))
    found = {change["field"]: change for change in document("words")["versions"][0]["changes"]}
    assert found["length"] == {"field": "length", "from": 4, "to": None}
    assert found["fragment_epsilon"]["to"] is None


def test_drafts_are_nobodys_business(alice: User) -> None:
    version = make_version()
    make_version(parameters={"epsilon": 1, "k": 64, "m": 64, "seed": "e" * 32})
    Version.objects.filter(number=2).update(state=Version.State.DRAFT)
    Version.objects.filter(pk=version.pk).update(state=Version.State.CLOSED)
    found = document("keyboard-emoji", alice)
    assert [each["number"] for each in found["versions"]] == [1]
    # Nothing is active, so what was asked last is shown.
    assert (found["version"], found["epsilon"]["per_report"]) == (1, 4)
    assert "e" * 32 not in json.dumps(found)


def test_before_anything_was_asked(alice: User) -> None:
    make_version()
    Version.objects.update(state=Version.State.DRAFT)
    found = document("keyboard-emoji", alice)
    assert found["version"] is None
    assert not {"epsilon", "report", "central", "threshold", "screening"} & set(found)
    assert found["versions"] == []
