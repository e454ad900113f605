"""Migrations that carry data over, forwards and back."""

import datetime
from collections.abc import Iterator
from typing import Any

import pytest
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from django.utils import timezone

from reports.models import ApiToken, Batch, DeviceRecord, Histogram, Part, PendingFile, QuarantinedShard, Run, UseCase
from reports.models.uploads import utc_today
from reports.runs import cutting, finish_inline, start_run, work_on
from reports.runs.parts import begin
from tests.reports.small_fleet import FRUITS, LOCALES, aggregate, days_ago, define, define_words, send, send_words

pytestmark = [pytest.mark.exact, pytest.mark.django_db(transaction=True)]


def migrate(name: str) -> Any:
    """Go to a migration, and return the models as they are there."""
    executor = MigrationExecutor(connection)
    state = executor.migrate([("reports", name)])
    return state.apps


@pytest.fixture(autouse=True)
def latest_again() -> Iterator[None]:
    yield
    executor = MigrationExecutor(connection)
    executor.migrate(executor.loader.graph.leaf_nodes())


def test_budget_groups_were_texts() -> None:
    use_cases = migrate("0001_initial").get_model("reports", "UseCase").objects
    for slug, group, limit in [("a", "g", 3), ("b", "g", 2), ("c", "h", 4), ("d", "", 5)]:
        use_cases.create(slug=slug, title=slug, budget_group=group, daily_limit=limit)
    apps = migrate("0002_groups_drafts_keys")
    groups = apps.get_model("reports", "BudgetGroup").objects.order_by("name")
    # What all of a group's use cases allowed.
    assert list(groups.values_list("name", "daily_limit")) == [("g", 2), ("h", 4)]
    members = apps.get_model("reports", "UseCase").objects.order_by("slug").values_list("slug", "budget_group__name")
    assert list(members) == [("a", "g"), ("b", "g"), ("c", "h"), ("d", None)]
    back = migrate("0001_initial").get_model("reports", "UseCase").objects.order_by("slug")
    assert list(back.values_list("slug", "budget_group", "daily_limit")) == [
        ("a", "g", 2),
        ("b", "g", 2),
        ("c", "h", 4),
        ("d", "", 5),
    ]


DAY = datetime.date(2026, 3, 31)
BEFORE, AFTER, LATEST = "0001_initial", "0002_groups_drafts_keys", "0009_fewest_uncounted"
WORDS, TOKENS = "0003_discovered_words", "0004_api_tokens"


def version_of(apps: Any) -> Any:
    use_case = apps.get_model("reports", "UseCase").objects.create(slug="fruits", title="Fruits")
    return apps.get_model("reports", "Version").objects.create(
        use_case=use_case, number=1, state="active", algorithm="CountMeanSketch", parameters={}, locales=["en_US"]
    )


def revision_of(apps: Any, version: Any, number: int, categories: dict[str, str]) -> Any:
    revision = apps.get_model("reports", "DictionaryRevision").objects.create(
        version=version, number=number, size=len(categories), digest=str(number)
    )
    entries = apps.get_model("reports", "DictionaryEntry").objects
    for position, (element, category) in enumerate(categories.items()):
        entries.create(revision=revision, position=position, element=element, display=element, category=category)
    return revision


def run_of(apps: Any, version: Any, revision: Any, shards: int, **fields: Any) -> Any:
    run = apps.get_model("reports", "Run").objects.create(
        version=version, revision=revision, first_day=DAY, last_day=DAY, **fields
    )
    sealing = apps.get_model("reports", "Sealing").objects.create(version=version, day=DAY)
    for number in range(shards):
        name = f"{run.pk}-{number}"
        run.shards.create(
            version=version, locale=f"l{number}", day=DAY, stream="element", sealing=sealing, size=1, file_name=name
        )
    return run


def test_parts_under_way_read_all_shards_of_their_run() -> None:
    apps = migrate(BEFORE)
    version = version_of(apps)
    revision = revision_of(apps, version, 1, {"apple": ""})
    parts = apps.get_model("reports", "Part").objects
    for shards in (3, 40):
        run = run_of(apps, version, revision, shards, state="running", planned_at=timezone.now())
        for start_row in (0, 16):
            parts.create(run=run, start_row=start_row, stop_row=start_row + 16)
    found = migrate(AFTER).get_model("reports", "Part").objects.order_by("stop_shard", "start_row")
    expected = [(0, 3, 0), (0, 3, 16), (0, 40, 0), (0, 40, 16)]
    assert list(found.values_list("start_shard", "stop_shard", "start_row")) == expected


def test_entries_on_show_get_the_category_of_their_dictionary() -> None:
    apps = migrate(BEFORE)
    version = version_of(apps)
    tables = {1: {"apple": "fruit", "fig": "", "leek": "vegetable"}, 2: {"apple": "tree", "leek": ""}}
    for number, categories in tables.items():
        histogram = apps.get_model("reports", "Histogram").objects.create(
            version=version, revision=revision_of(apps, version, number, categories), locale="en_US", sealings=[],
            first_day=DAY, last_day=DAY + datetime.timedelta(number), n=9, alpha=0.05, threshold=1, below_threshold=0,
            generated_at=timezone.now(),
        )  # fmt: skip
        for rank, element in enumerate(categories, 1):
            apps.get_model("reports", "HistogramEntry").objects.create(
                histogram=histogram, rank=rank, element=element, display=element, estimate=1, standard_error=1,
                lower=0, upper=2, adjusted_lower=0, adjusted_upper=2,
            )  # fmt: skip
    found = migrate(AFTER).get_model("reports", "HistogramEntry").objects
    rows = found.order_by("histogram__revision__number", "rank").values_list(
        "histogram__revision__number", "element", "category"
    )
    assert list(rows) == [(number, *row) for number, categories in tables.items() for row in categories.items()]


def test_of_deletions_the_smallest_part_is_found_in_what_is_kept() -> None:
    apps = migrate("0007_worker_signs")
    version = version_of(apps)
    sealing = apps.get_model("reports", "Sealing").objects.create(version=version, day=DAY)
    for locale, n in (("en_US", 150), ("fr_FR", 37)):
        apps.get_model("reports", "ReadOut").objects.create(
            version=version, revision=None, locale=locale, day=DAY, sealing=sealing, n=n, file_name=locale
        )
    later = DAY + datetime.timedelta(1)
    for day, reports, never_counted in ((DAY, 187, 0), (later, 160, 0), (later, 200, 20)):
        apps.get_model("reports", "Deletion").objects.create(
            version=version, day=day, reports=reports, never_counted=never_counted, reason="expired", deleted_on=DAY
        )
    found = migrate("0008_fewest_deleted").get_model("reports", "Deletion").objects.order_by("reports")
    assert list(found.values_list("reports", "fewest")) == [(160, 160), (187, 37), (200, 20)]


def test_of_deletions_the_smallest_part_that_was_not_counted_is_not_known_of_several_locales() -> None:
    apps = migrate("0008_fewest_deleted")
    one = version_of(apps)
    two = apps.get_model("reports", "Version").objects.create(
        use_case=one.use_case, number=2, state="draft", algorithm="CountMeanSketch", parameters={"k": 2},
        locales=["en_US", "fr_FR"],
    )  # fmt: skip
    rows = (
        (one, 187, 187, 187), (one, 200, 20, 20), (one, 300, 300, None), (one, 5040, 5040, 40),
        (two, 187, 187, 187), (two, 400, 0, 150),
    )  # fmt: skip
    for version, reports, never_counted, fewest in rows:
        apps.get_model("reports", "Deletion").objects.create(
            version=version, day=DAY, reports=reports, never_counted=never_counted, fewest=fewest, reason="expired",
            deleted_on=DAY,
        )  # fmt: skip
    fields = ("version__number", "reports", "fewest", "fewest_uncounted")
    expected = [
        (1, 187, 187, 187), (1, 200, 20, 20), (1, 300, 300, 300), (1, 5040, 40, 40),
        (2, 187, None, None), (2, 400, 150, 0),
    ]  # fmt: skip
    found = migrate("0009_fewest_uncounted").get_model("reports", "Deletion").objects
    assert list(found.order_by("version__number", "reports").values_list(*fields)) == expected
    # There, what is not known would be one part.
    back = migrate("0008_fewest_deleted").get_model("reports", "Deletion").objects
    assert back.get(version__number=2, reports=187).fewest == 0
    again = migrate("0009_fewest_uncounted").get_model("reports", "Deletion").objects
    assert list(again.order_by("version__number", "reports").values_list(*fields)) == expected


@pytest.fixture
def runs_of_two_groups(monkeypatch: pytest.MonkeyPatch) -> list[Run]:
    """One that is finished and one in the middle, each of two groups of shards."""
    monkeypatch.setattr(cutting, "SHARDS_PER_PART", 1)
    version = define(dictionary=[{"element": element, "category": "fruit"} for element in FRUITS])
    for day in (2, 1):
        for locale in LOCALES:
            send(version, 300, day=days_ago(day), locale=locale)
    finished = aggregate(version, days_ago(2), days_ago(2))
    under_way = start_run(version, ring=False)
    work_on(begin(under_way.pk)[0])
    return [finished, under_way]


@pytest.mark.parametrize("state", [Run.State.RUNNING, Run.State.FAILED])
def test_back_to_before_there_were_groups_and_forward_again(state: Run.State, runs_of_two_groups: list[Run]) -> None:
    finished, under_way = runs_of_two_groups
    Run.objects.filter(pk=under_way.pk).update(state=state)
    files = list(Part.objects.exclude(file_name="").values_list("file_name", flat=True))
    shown = list(Histogram.objects.filter(grouping="").order_by("pk").values_list("pk", "threshold"))
    assert len(files) == 1
    assert Histogram.objects.exclude(grouping="").exists()
    apps = migrate(BEFORE)
    found = apps.get_model("reports", "Histogram").objects.order_by("pk")
    assert list(found.values_list("pk", "threshold")) == shown
    assert not apps.get_model("reports", "Part").objects.exists()
    planned = dict(apps.get_model("reports", "Run").objects.values_list("pk", "planned_at"))
    assert planned[finished.pk] is not None
    assert planned[under_way.pk] is None
    migrate(LATEST)
    assert list(PendingFile.objects.values_list("file_name", flat=True)) == files
    # What was under way is planned anew, and ends.
    Run.objects.filter(pk=under_way.pk).update(state=Run.State.RUNNING)
    assert finish_inline(under_way.pk, lambda _progress: None).state == Run.State.FINISHED
    assert Histogram.objects.filter(grouping="", first_day=days_ago(2), last_day=days_ago(1)).count() == len(LOCALES)


def test_back_and_forward_keeps_a_run_of_one_group() -> None:
    version = define()
    for locale in LOCALES:
        send(version, 300, locale=locale)
    run = start_run(version, ring=False)
    begin(run.pk)
    before = list(Part.objects.values())
    migrate(BEFORE)
    migrate(LATEST)
    assert list(Part.objects.values()) == before
    assert before[0]["stop_shard"] == len(LOCALES)
    assert finish_inline(run.pk, lambda _progress: None).state == Run.State.FINISHED


def test_back_to_before_there_were_words_and_forward_again() -> None:
    """A run under way that counts a dictionary ends as if nothing had been."""
    version = define()
    send(version, 300)
    run = start_run(version, ring=False)
    begin(run.pk)
    before = list(Part.objects.values())
    migrate(AFTER)
    migrate(LATEST)
    assert list(Part.objects.values()) == before
    assert {part["step"] for part in before} == {Part.Step.READ_OUT}
    assert finish_inline(run.pk, lambda _progress: None).state == Run.State.FINISHED
    assert Histogram.objects.get().n == 300


def test_versions_that_find_words_are_not_lost_by_going_back() -> None:
    version = define_words()
    send_words(version, 300)
    aggregate(version)
    with pytest.raises(RuntimeError, match="with all their reports and results: words"):
        migrate(AFTER)
    migrate(LATEST)
    assert Histogram.objects.get().discovery.candidates
    # What remains of the attempt is nothing: all goes on.
    assert aggregate(version).state == Run.State.FINISHED


def test_without_such_versions_one_can_go_back() -> None:
    define()
    apps = migrate(AFTER)
    assert "worddecision" not in {model._meta.model_name for model in apps.get_models()}


def test_upload_tokens_go_on_for_a_year() -> None:
    apps = migrate(WORDS)
    apps.get_model("reports", "UploadToken").objects.create(name="collector", digest="d")
    migrate(LATEST)
    token = ApiToken.objects.get()
    assert (token.name, token.digest, token.may_ingest, token.may_read, token.every_use_case) == (
        "collector", "d", True, False, True,
    )  # fmt: skip
    assert token.is_valid
    assert token.expires_on == utc_today() + datetime.timedelta(days=365)


def test_no_token_gains_by_going_back() -> None:
    """Before, every token may upload everything."""
    yesterday = utc_today() - datetime.timedelta(days=1)
    ApiToken.create("as before", may_ingest=True)
    ApiToken.create("reads", may_read=True)
    ApiToken.create("expired", may_ingest=True, expires_on=yesterday)
    ApiToken.create("for one", may_ingest=True, use_cases=[define().use_case])
    tokens = migrate(WORDS).get_model("reports", "UploadToken").objects
    assert list(tokens.filter(revoked=False).values_list("name", flat=True)) == ["as before"]


def test_going_back_loses_no_reports_that_wait() -> None:
    version = define()
    record = DeviceRecord.objects.create(
        version=version, locale="en_US", stream="element", day=utc_today(), record=b"x"
    )
    with pytest.raises(RuntimeError, match="records of devices wait"):
        migrate(TOKENS)
    record.delete()
    batch = Batch.objects.create(day=utc_today(), accepted=1, state=Batch.State.QUARANTINED)
    QuarantinedShard.objects.create(
        batch=batch, version=version, locale="en_US", stream="element", size=1, file_name="shards/x.npy"
    )
    with pytest.raises(RuntimeError, match="batches are in quarantine"):
        migrate(TOKENS)
    batch.delete()
    UseCase.objects.update(state=UseCase.State.PAUSED)
    with pytest.raises(RuntimeError, match="paused or archived"):
        migrate(TOKENS)
    UseCase.objects.update(state=UseCase.State.RUNNING)
    migrate(TOKENS)
