"""`ingest FILE…` as scripts use it: a line of JSON for each file, an exit code, a line on standard error."""

import datetime
import gzip
import io
import json
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.utils.formats import date_format

from reports.collection import seal_days
from reports.models import Batch, Version
from reports.models.uploads import utc_today
from tests.reports.factories import assert_nothing_left, left_in_spool, make_version, of_records, record_lines

pytestmark = [pytest.mark.exact]

BODY = of_records(record_lines(5))
KEYS = ["batch", "status", "day", "requested_day", "accepted", "rejected"]


@pytest.fixture
def version(db: None) -> Version:
    return make_version()


def run(*arguments: object) -> tuple[int, list[dict[str, Any]], list[str]]:
    """Exit code, decoded lines of standard output, lines of standard error."""
    out, err = io.StringIO(), io.StringIO()
    code = 0
    try:
        call_command("ingest", *map(str, arguments), stdout=out, stderr=err)
    except SystemExit as leaving:
        code = leaving.code if isinstance(leaving.code, int) else -1
    return code, [json.loads(line) for line in out.getvalue().splitlines()], err.getvalue().splitlines()


def write(folder: Path, name: str, content: bytes = BODY) -> Path:
    path = folder / name
    path.write_bytes(content)
    return path


def test_stored(version: Version, tmp_path: Path) -> None:
    code, (line,), errors = run(write(tmp_path, "a.ndjson", of_records([*record_lines(5), "x"])))
    batch = Batch.objects.get()
    days = dict.fromkeys(("day", "requested_day"), utc_today().isoformat())
    counts = {"accepted": 5, "rejected": {"malformed_record": 1}}
    assert line == {"batch": str(batch.pk), "status": "stored"} | days | counts
    assert list(line) == KEYS
    assert code == 0
    (left_out,) = errors
    assert left_out.startswith(
        f"{tmp_path / 'a.ndjson'}: left out: line 1, /segments/0/records/5: The record does not have"
    )


def test_duplicate_is_no_failure(version: Version, tmp_path: Path) -> None:
    path = write(tmp_path, "a.ndjson", of_records(record_lines(1000)))
    code, (first, second), errors = run(path, path)
    assert (first["status"], second["status"]) == ("stored", "duplicate")
    assert (second["batch"], second["accepted"], second["rejected"]) == (None, 1000, {})
    day = date_format(utc_today())
    assert errors == [f"{path}: These reports are stored already, for {day}, so nothing was added."]
    assert code == 0


def test_every_file_is_tried(version: Version, tmp_path: Path) -> None:
    code, lines, errors = run(
        write(tmp_path, "1.ndjson"),
        write(tmp_path, "2.ndjson", b"{"),
        tmp_path / "3.ndjson",
        write(tmp_path, "4.ndjson", of_records(["x", "64,0000000000000000"])),
        write(tmp_path, "5.ndjson"),
    )
    assert [line["status"] for line in lines] == ["stored", "refused", "refused", "refused", "stored"]
    assert all(list(line) == KEYS for line in lines)
    assert [line["batch"] is None for line in lines] == [False, True, True, True, False]
    assert [line["accepted"] for line in lines] == [5, 0, 0, 0, 5]
    assert [line["day"] is line["requested_day"] is None for line in lines] == [False, True, True, True, False]
    assert lines[3]["rejected"] == {"malformed_record": 1, "row_out_of_range": 1}
    assert code == 1
    assert [error.split(":")[0] for error in errors] == [
        str(tmp_path / f"{number}.ndjson") for number in (2, 3, 4, 4, 4)
    ]
    assert "line 1" in errors[0]
    assert "No such file" in errors[1]
    assert "Nothing in the upload could be used." in errors[2]
    assert ["line 1, /segments/0/records/0" in errors[3], "line 1, /segments/0/records/1" in errors[4]] == [True, True]
    assert Batch.objects.count() == 2
    assert not left_in_spool()


def test_the_name_says_how_the_file_is_written(version: Version, tmp_path: Path) -> None:
    """All names are tested with `known_suffix`, all contents at every door."""
    code, (line,), _errors = run(write(tmp_path, "reports.2026-11-21.ndjson.GZ", gzip.compress(BODY)))
    assert (code, line["status"]) == (0, "stored")


def test_other_names(version: Version, tmp_path: Path) -> None:
    code, (line,), (error,) = run(write(tmp_path, "a.ndjson.zip"))
    assert (code, line["status"]) == (1, "refused")
    assert ".ndjson.gz, .json.zst, .ndjson.zst" in error
    assert_nothing_left()


def test_a_folder_is_no_file(version: Version, tmp_path: Path) -> None:
    (tmp_path / "a.json").mkdir()
    code, (line,), (error,) = run(tmp_path / "a.json")
    assert (code, line["status"]) == (1, "refused")
    assert "directory" in error


@pytest.mark.parametrize(("offset", "word"), [(1, "future"), (-90, "too old")])
def test_days_that_are_not_open(version: Version, tmp_path: Path, offset: int, word: str) -> None:
    day = utc_today() + datetime.timedelta(days=offset)
    code, lines, errors = run(write(tmp_path, "a.ndjson"), write(tmp_path, "b.ndjson"), "--day", day)
    assert code == 1
    assert [line["status"] for line in lines] == ["refused", "refused"]
    assert all(word in error for error in errors)
    assert_nothing_left()


@pytest.mark.parametrize("day", ["yesterday", "20261121", "2026-02-30", "2026-W47-6", "٢٠٢٦-11-21"])
def test_days_that_are_none(version: Version, tmp_path: Path, day: str) -> None:
    with pytest.raises(CommandError, match="is not a date such as"):
        run(write(tmp_path, "a.ndjson"), "--day", day)


def test_strict(version: Version, tmp_path: Path) -> None:
    code, (line,), (error,) = run(write(tmp_path, "a.ndjson", of_records([*record_lines(5), "x"])), "--strict")
    assert (code, line["status"], line["rejected"]) == (1, "refused", {"malformed_record": 1})
    assert "line 1, /segments/0/records/5" in error
    assert_nothing_left()


def test_a_closed_day_is_said_and_refused_if_strict(version: Version, tmp_path: Path) -> None:
    asked = utc_today() - datetime.timedelta(days=1)
    path = write(tmp_path, "a.ndjson")
    run(path, "--day", asked)
    seal_days(version)
    code, (line,), errors = run(path, "--day", asked)
    assert (line["status"], line["day"], line["requested_day"]) == ("stored", str(utc_today()), str(asked))
    words = f"{date_format(asked)} is closed, so the reports count on {date_format(utc_today())}."
    assert (code, errors) == (0, [f"{path}: {words}"])
    code, (line,), errors = run(path, "--day", asked, "--strict")
    assert (code, line["status"], line["day"]) == (1, "refused", None)
    assert errors == [f"{path}: {words.replace('count', 'would count')} Refused, as asked."]
