import io
import json
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from reports.models import UseCase
from tests.reports.factories import definition, make_version

pytestmark = [pytest.mark.exact, pytest.mark.django_db]


def run(*arguments: str) -> tuple[str, str]:
    out, err = io.StringIO(), io.StringIO()
    call_command("export_use_cases", *arguments, stdout=out, stderr=err)
    return out.getvalue(), err.getvalue()


def test_to_standard_output_and_back(tmp_path: Path) -> None:
    make_version()
    make_version(slug="other")
    out, err = run()
    assert err == ""
    assert [item["slug"] for item in json.loads(out)] == ["keyboard-emoji", "other"]
    (tmp_path / "back.json").write_text(out)
    said = io.StringIO()
    call_command("apply_use_cases", str(tmp_path / "back.json"), stdout=said)
    assert said.getvalue() == "keyboard-emoji: nothing changed\nother: nothing changed\n"


def test_long_dictionaries_go_beside_the_file(tmp_path: Path) -> None:
    make_version(slug="long", normalization="domain", dictionary=[f"h{i}.example" for i in range(1001)])
    make_version(slug="short", normalization="domain", dictionary=[f"h{i}.example" for i in range(1000)])
    out, _err = run("--output", str(tmp_path / "use_cases.json"))
    assert out == ""
    assert sorted(path.name for path in tmp_path.iterdir()) == ["long.csv", "use_cases.json"]
    assert (tmp_path / "long.csv").read_text().splitlines()[:2] == [
        "element,display,category",
        "h0.example,h0.example,",
    ]
    said = io.StringIO()
    call_command("apply_use_cases", str(tmp_path / "use_cases.json"), stdout=said)
    assert said.getvalue() == "long: nothing changed\nshort: nothing changed\n"


def test_only_those_named() -> None:
    make_version(slug="a")
    make_version(slug="b")
    out, _err = run("b")
    assert [item["slug"] for item in json.loads(out)] == ["b"]
    with pytest.raises(CommandError, match=r"no use case nobody, x"):
        run("b", "x", "nobody")


def test_without_an_active_version() -> None:
    make_version(**definition())
    UseCase.objects.create(slug="draft-only", title="New")
    out, err = run()
    assert err == "draft-only: has no active version; not exported\n"
    assert len(json.loads(out)) == 1


def test_a_folder_that_is_not_there_is_made(tmp_path: Path) -> None:
    make_version()
    run("--output", str(tmp_path / "new" / "definitions" / "file.json"))
    assert len(json.loads((tmp_path / "new" / "definitions" / "file.json").read_text())) == 1


def test_what_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    for output in (tmp_path, tmp_path / "file" / "x.json"):
        with pytest.raises(CommandError, match="cannot write"):
            run("--output", str(output))
