"""Results written to where other programs read them: all that is published, and nothing else."""

import io
import json
import os
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pyarrow.dataset
import pytest
from django.core.management import CommandError, call_command
from django.db import transaction
from django.test import Client
from django.utils import timezone
from pytest_django import Settings

from reports.bulk import start_export
from reports.bulk.export_jobs import ExportJobs, export_daily
from reports.bulk.folders import Folder
from reports.definitions import change_locales
from reports.jobs import finish_inline
from reports.jobs.leases import claim
from reports.jobs.working import begin
from reports.models import Export, ExportPart, UseCase, Version
from reports.prescribed import show_anew
from reports.results import HistogramQuery, histogram_view
from tests.reports.found_words import define_search, find
from tests.reports.small_fleet import FRUITS, LOCALES, aggregate, days_ago, define, send
from tests.worlds import once

pytestmark = [pytest.mark.exact, pytest.mark.django_db(transaction=True)]


@pytest.fixture
@once
def version(db: None) -> Version:
    """Three days are published of one locale, and one of the other, of which a day has too few reports."""
    version = define()
    for days in (1, 2, 3):
        send(version, 400, day=days_ago(days), seed=days)
    for days, reports in ((1, 400), (2, 40)):
        send(version, reports, day=days_ago(days), locale=LOCALES[1], seed=10 + days)
    aggregate(version)
    return version


def export(address: str | Path) -> tuple[int, int, int]:
    """Export, and return how many files were written, unchanged and removed."""
    out = io.StringIO()
    call_command("export", all=str(address), inline=True, stdout=out)
    told = json.loads(out.getvalue())
    assert told["state"] == "finished"
    return told["written"], told["unchanged"], told["removed"]


def rows(folder: Path) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = pyarrow.dataset.dataset(folder, partitioning="hive").to_table().to_pylist()
    return found


def test_other_programs_read_what_pages_show(version: Version, tmp_path: Path) -> None:
    find(define_search(), ["yeet", "lol"])
    written, unchanged, removed = export(tmp_path)
    assert (unchanged, removed) == (0, 0)
    found = rows(tmp_path)
    assert {row["element"] for row in found if row["use_case"] == "slang"} >= {"yeet", "lol"}
    fruits = [row for row in found if row["use_case"] == "fruits"]
    places = {(row["locale"], str(row["day"]), row["first_day"].isoformat()) for row in fruits}
    expected = {(LOCALES[0], str(days_ago(days)), str(days_ago(days))) for days in (1, 2, 3)}
    # The few reports were released with those of the next day.
    assert places == expected | {(LOCALES[1], str(days_ago(1)), str(days_ago(2)))}
    shown = histogram_view(version.use_case, HistogramQuery(locale="en_US", first=days_ago(2), last=days_ago(2)))
    document = shown.document()
    assert document is not None
    of_day = [row for row in fruits if (row["locale"], row["last_day"]) == ("en_US", days_ago(2))]
    for name in ("element", "estimate", "adjusted_lower", "share_upper", "rank"):
        assert [row[name] for row in of_day] == [entry[name] for entry in document["entries"]]
    assert {(row["n"], row["version"], row["algorithm"]) for row in of_day} == {(400, 1, "CountMeanSketch")}
    manifest = json.loads((tmp_path / "use_case=fruits/_manifest.json").read_bytes())
    assert [each["lines"] > 0 for each in manifest["files"]] == [True] * 4
    assert written == len(list(tmp_path.rglob("*.parquet"))) > 4
    assert version.use_case.viewings.get().what == "export"


def test_only_what_changed_is_written_and_what_is_gone_is_removed(version: Version, tmp_path: Path) -> None:
    assert export(tmp_path) == (4, 0, 0)
    assert export(tmp_path) == (0, 4, 0)
    send(version, 400, day=days_ago(0), seed=9)
    aggregate(version)
    assert export(tmp_path) == (1, 4, 0)
    # A minimum that is raised takes back what has fewer reports.
    UseCase.objects.filter(pk=version.use_case_id).update(minimum_reports=420)
    UseCase.renew_generation(version.use_case_id)
    assert export(tmp_path) == (0, 1, 4)
    assert {row["n"] for row in rows(tmp_path)} == {440}
    # With a manifest that others have written, only files that the site may have written are deleted.
    (tmp_path / "theirs.parquet").touch()
    (tmp_path / "use_case=gone/locale=en_US").mkdir(parents=True)
    (tmp_path / "use_case=gone/locale=en_US/theirs.parquet").touch()
    names = [{"name": name} for name in ("../theirs.parquet", "locale=en_US/theirs.parquet")]
    (tmp_path / "use_case=gone/_manifest.json").write_text(json.dumps({"layout": 1, "files": names}))
    assert export(tmp_path) == (0, 1, 0)
    assert len(list(tmp_path.rglob("theirs.parquet"))) == 2


def test_what_is_withdrawn_goes_though_the_manifest_says_nothing_of_it(
    version: Version, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    export(tmp_path)
    UseCase.objects.filter(pk=version.use_case_id).update(minimum_reports=420)
    UseCase.renew_generation(version.use_case_id)

    def killed(*args: Any) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(Folder, "delete", killed)
        with pytest.raises(KeyboardInterrupt):
            export(tmp_path)
    ExportPart.objects.update(lease_expires_at=timezone.now())
    assert export(tmp_path)[2] == 3
    # Without a manifest, of a use case that is there, and of one that is gone.
    manifest = tmp_path / "use_case=fruits/_manifest.json"
    old = manifest.parent / f"locale=en_US/day={days_ago(9)}/version-1-from-{days_ago(9)}.parquet"
    old.parent.mkdir()
    # Half-written files go as well, once no process can be at them any more.
    left, new = (tmp_path / ".unfinished" / name for name in ("left", "new"))
    left.touch()
    new.touch()
    os.utime(left, (0, 0))
    for slug in ("fruits", "renamed"):
        old.touch()
        manifest.unlink()
        UseCase.objects.update(slug=slug)
        export(tmp_path)
        assert not old.exists()
    assert list(left.parent.iterdir()) == [new]
    assert {path.parts[len(tmp_path.parts)] for path in tmp_path.rglob("*.parquet")} == {"use_case=renamed"}


def test_results_are_written_to_a_bucket_and_taken_back(version: Version, lake: tuple[Any, str]) -> None:
    bucket, address = lake
    assert export(f"{address}/out") == (4, 0, 0)
    assert export(f"{address}/out/") == (0, 4, 0)
    listed = bucket.list_objects_v2(Bucket=address.split("/")[2])["Contents"]
    assert sum(each["Key"].startswith("lake/out/use_case=fruits/") for each in listed) == 5
    UseCase.objects.update(slug="renamed")
    assert export(f"{address}/out/") == (4, 0, 4)


def test_they_are_written_once_a_day_and_a_page_says_where(
    version: Version, tmp_path: Path, settings: Settings, monkeypatch: pytest.MonkeyPatch, as_alice: Client
) -> None:
    settings.LDPSITE_EXPORT_TO = ""
    day = timezone.now().astimezone(UTC).date()
    monkeypatch.setattr(timezone, "now", lambda: datetime(day.year, day.month, day.day, 2, 59, tzinfo=UTC))
    settings.LDPSITE_EXPORT_TO = f"{tmp_path}/"
    export_daily()
    assert not Export.objects.exists()
    assert "Nothing was written there yet." in as_alice.get("/operations/").content.decode()
    monkeypatch.setattr(timezone, "now", lambda: datetime(day.year, day.month, day.day, 3, 1, tzinfo=UTC))
    export_daily()
    finish_inline(Export.objects.get())
    export_daily()
    assert Export.objects.count() == 1
    page = as_alice.get("/operations/").content.decode()
    assert f"<code>{tmp_path}/</code>" in page
    assert "Last written at" in page


def test_a_stricter_rule_is_exported_at_once_also_while_an_export_is_under_way(
    version: Version, tmp_path: Path, settings: Settings
) -> None:
    settings.LDPSITE_EXPORT_TO = f"{tmp_path}/"
    order = start_export(settings.LDPSITE_EXPORT_TO, ring=False)
    begin(order)
    ExportJobs().do(claim(order))
    assert len(rows(tmp_path)) > 0
    for minimum, shown in ((420, {440, 1200}), (450, {1200})):
        with transaction.atomic():
            UseCase.objects.filter(pk=version.use_case_id).update(minimum_reports=minimum)
            show_anew(UseCase.objects.get(), ["minimum_reports"])
        # One that has written it already ends before the one that writes it anew; the second time there is none.
        while unfinished := Export.objects.unfinished().first():
            finish_inline(unfinished)
        assert {row["n"] for row in rows(tmp_path)} == shown
    assert Export.objects.count() == 3
    define(dictionary=[*FRUITS[:2]])
    finish_inline(Export.objects.unfinished().get())
    assert {row["element"] for row in rows(tmp_path)} == {*FRUITS[:2]}
    change_locales(Version.objects.get(), LOCALES[1:])
    finish_inline(Export.objects.unfinished().get())
    assert {row["locale"] for row in rows(tmp_path)} == {LOCALES[1]}


def test_a_use_case_or_an_address_is_named(version: Version) -> None:
    for names in ([], ["fruits"]):
        with pytest.raises(CommandError, match="either"):
            call_command("export", *names, **({"all": "/nowhere"} if names else {}))
    assert start_export("/nowhere/", ring=False) == start_export("/nowhere/", ring=False)
