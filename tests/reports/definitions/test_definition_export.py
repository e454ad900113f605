"""Exported definitions: applied here they change nothing, elsewhere they make the same."""

import io
import json
import tracemalloc
from pathlib import Path
from typing import Any

import pytest

from reports.definitions import (
    Entry,
    activate,
    draft_from,
    read_definitions,
    revise_dictionary,
    write_definitions,
)
from reports.models import BudgetGroup, UseCase, Version
from tests.reports.factories import apply, definition
from tests.reports.small_fleet import words_definition

pytestmark = [pytest.mark.exact, pytest.mark.django_db]

HARD = ["a,b", 'a"b"', "a\nb", "a\r\nb", "'=1", '=HYPERLINK("x","y")', " ", "\t", "\\N", "\u2028", "\x85", "\r", "-"]
ITEMS: list[dict[str, Any]] = [
    definition(description="Which?\n„These“", alphabet="abc", viewer_groups=["b", "a"], grace_days=2),
    definition(slug="bare", dictionary=None, viewer_groups=None, owner_group=None, locales=None, parameters=None)
    | {"parameters": {"epsilon": 0.001, "k": 1, "m": 8}},
    definition(slug="words", normalization="word", alphabet={"en_US": "abc", "ar": "ا"}, dictionary=["Hello", "a"]),
    definition(
        slug="words-with-case",
        normalization="word",
        keep_case=True,
        dictionary=[{"element": "iPad", "display": "iPad!", "category": "devices"}, "Unbelievable"],
    ),
    definition(slug="hard", normalization="raw", dictionary=HARD, false_positive_rate=0.1, prescribed_threshold=300),
    definition(
        slug="hard-to-show",
        normalization="raw",
        dictionary=[{"element": str(i), "display": text, "category": text} for i, text in enumerate(HARD)],
    ),
    definition(slug="empty", dictionary=[]),
    words_definition(slug="new-words", alphabet={"en_US": "<b>\"'&=A", "fr_FR": "ابت", "und": "0123"}, keep_case=True),
    definition(slug="energy", normalization="domain", dictionary=["münchen.example"], budget_group="d", daily_limit=2),
    definition(slug="memory", normalization="domain", dictionary=["EXAMPLE.org"], budget_group="d", daily_limit=2),
]


def facts() -> list[dict[str, Any]]:
    """All that a definition decides, as it is stored."""
    found = []
    for use_case in UseCase.objects.order_by("slug"):
        version = use_case.active_version()
        assert version is not None
        revision = version.current_dictionary()
        fields = ("title", "description", "retention_days", "minimum_reports", "false_positive_rate", "grace_days")
        more = ("prescribed_threshold", "slug", "reports_per_day", "dictionary_complete")
        found.append(
            {name: getattr(use_case, name) for name in (*fields, *more)}
            | {name: getattr(version, name) for name in ("algorithm", "parameters", "normalization", "locales")}
            | {name: getattr(version, name) for name in ("keep_case", "alphabet")}
            | {
                "budget": use_case.budget_group and use_case.budget_group.name,
                "viewers": {group.name for group in use_case.viewer_groups.all()},
                "owner": use_case.owner_group and use_case.owner_group.name,
                "digest": revision and revision.digest,
                "entries": revision and list(revision.entries.values_list("element", "display", "category")),
            }
        )
    return found


def exported(folder: Path | None = None) -> list[dict[str, Any]]:
    """Definitions as written, with long dictionaries in files of the folder."""
    stream = io.StringIO()
    write_definitions(UseCase.objects.all(), stream, folder)
    items: list[dict[str, Any]] = json.loads(stream.getvalue())
    return items


def test_exported_definitions_change_nothing_here_and_make_the_same_elsewhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("reports.definitions.definition_export.MOST_IN_LINE", 1)
    apply(*ITEMS)
    before = facts()
    in_line, in_files = exported(), exported(tmp_path)
    assert (tmp_path / "hard.csv").exists()
    for items in (in_line, in_files):
        assert len(items) == len(ITEMS)
        assert [one.changes for one in apply(*items, folder=tmp_path)] == [[]] * len(ITEMS)
        assert facts() == before
        UseCase.objects.all().delete()
        BudgetGroup.objects.all().delete()
        apply(*items, folder=tmp_path)
        assert facts() == before


def test_a_shared_limit_is_exported_as_it_counts() -> None:
    apply(definition(budget_group="x", daily_limit=2))
    BudgetGroup.objects.update(daily_limit=7)
    (item,) = exported()
    assert item["daily_limit"] == 7
    assert apply(item)[0].changes == []


def test_drafts_and_superseded_versions_are_not_exported() -> None:
    apply(definition())
    second = activate(draft_from(Version.objects.get()))
    draft_from(second)
    UseCase.objects.create(slug="no-version", title="None")
    (item,) = exported()
    assert item["parameters"] == second.parameters


def test_short_dictionaries_stay_in_the_file(tmp_path: Path) -> None:
    apply(definition(dictionary=[{"element": "❤️", "category": "hearts"}, "👍"]))
    (item,) = exported(tmp_path)
    assert item["dictionary"] == [{"element": "❤", "display": "❤️", "category": "hearts"}, "👍"]


def test_writing_does_not_hold_the_dictionary(tmp_path: Path) -> None:
    apply(definition(normalization="raw"))
    revise_dictionary(Version.objects.get(), [Entry(f"{i:0400}", f"{i:0400}") for i in range(8_000)])
    with (tmp_path / "out.json").open("w") as stream:
        tracemalloc.start()
        write_definitions(UseCase.objects.all(), stream)
        _now, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
    assert (tmp_path / "out.json").stat().st_size > 3_000_000
    assert peak < 3_000_000
    (read,) = read_definitions(tmp_path / "out.json")
    assert read.entries is not None
    assert len(read.entries) == 8_000
