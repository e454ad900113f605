import io
import json
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from reports.models import UseCase
from tests.reports.factories import definition

pytestmark = [pytest.mark.exact, pytest.mark.django_db]


def run(folder: Path, *items: dict[str, Any]) -> list[str]:
    path = folder / "use_cases.json"
    path.write_text(json.dumps(items))
    out = io.StringIO()
    call_command("apply_use_cases", str(path), stdout=out)
    return out.getvalue().splitlines()


def test_says_what_it_did(tmp_path: Path) -> None:
    (line,) = run(tmp_path, definition())
    assert line.startswith("keyboard-emoji: ")
    assert "version 1 is active" in line
    assert "dictionary revision 1 has 3 elements" in line
    assert run(tmp_path, definition()) == ["keyboard-emoji: nothing changed"]
    (line,) = run(tmp_path, definition(title="Emoji"))
    assert "title" in line


def test_an_absent_use_case_is_reported_and_stays(tmp_path: Path) -> None:
    run(tmp_path, definition(slug="b"), definition(slug="a"), definition(slug="c"))
    before = list(UseCase.objects.order_by("pk").values())
    lines = run(tmp_path, definition(slug="c"))
    assert lines == [
        "c: nothing changed",
        "a: not in the file; left as it is",
        "b: not in the file; left as it is",
    ]
    assert list(UseCase.objects.order_by("pk").values()) == before


def test_an_empty_list_changes_nothing(tmp_path: Path) -> None:
    run(tmp_path, definition())
    assert run(tmp_path) == ["keyboard-emoji: not in the file; left as it is"]


def test_a_refusal_is_an_error_and_nothing_is_applied(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="use case 'other': daily_limit: Must be") as caught:
        run(tmp_path, definition(), definition(slug="other", daily_limit=0))
    assert caught.value.returncode == 1
    assert not UseCase.objects.exists()


def test_a_refusal_while_applying_is_an_error_too(tmp_path: Path) -> None:
    run(tmp_path, definition())
    with pytest.raises(CommandError, match="leave the seed out"):
        run(tmp_path, definition(slug="other"), definition(normalization="raw"))
    assert UseCase.objects.count() == 1


def test_no_file(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="cannot read"):
        call_command("apply_use_cases", str(tmp_path / "missing.json"))
