import hashlib
import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from aggregation.evaluation import chance
from reports.models import Evaluation
from tests.reports.evaluation.test_evaluations import GRID, comparable

pytestmark = [pytest.mark.exact, pytest.mark.django_db]

SMALL = {**GRID, "distributions": ["harmonic", "even", {"observed": "lists/counts.tsv"}], "repetitions": 3}


def write(folder: Path, grid: object, counts: str = "tea\t5\ncoffee\t0\n") -> Path:
    (folder / "lists").mkdir()
    (folder / "lists" / "counts.tsv").write_text(counts, encoding="utf-8")
    file = folder / "grid.json"
    file.write_text(grid if isinstance(grid, str) else json.dumps(grid), encoding="utf-8")
    return file


def evaluate(*arguments: str) -> dict[str, Any]:
    output = StringIO()
    call_command("evaluate", *arguments, "--inline", stdout=output, stderr=StringIO())
    found: dict[str, Any] = json.loads(output.getvalue())
    return found


def test_prints_one_document_with_all_of_the_contract(tmp_path: Path) -> None:
    file = str(write(tmp_path, SMALL))
    document = evaluate(file, "--seed", "5")
    assert (document["family"], document["R"], document["seed"]) == ("fixed", 3, 5)
    assert list(document) == ["input", "family", "R", "seed", "cells"]
    hashes = "".join(f"{own['hash']}\n" for own in document["input"]["distributions"])
    assert document["input"]["hash"] == f"sha256:{hashlib.sha256(hashes.encode()).hexdigest()}"
    assert len(document["cells"]) == 12
    for cell in document["cells"]:
        assert {
            *("distribution", "mechanism", "parameters", "epsilon", "top", "mean_mse", "expected_mean_mse"),
            *("mean_delta_e", "mean_delta_r", "first_rank_over_line", "seconds"),
        } <= set(cell)
        for name in ("first_in_order", "first_in_any_order"):
            assert len(cell[name]) == len(cell["top"])
            assert cell["chances"][name] == chance(cell[name][-1], 3)
        for row in cell["top"]:
            assert set(row) == {"rank", "element", "count", "delta_e", "delta_r", "mse", "variance"}
    assert comparable(evaluate(file, "--seed", "5")) == comparable(document)
    again = evaluate(file, "--seed", "5", "--exact-reports")
    assert [cell["top"][0]["count"] for cell in again["cells"]] == [
        cell["top"][0]["count"] for cell in document["cells"]
    ]
    assert comparable(again) != comparable(document)
    assert Evaluation.objects.filter(requested_by=None).count() == 3


def test_the_answer_in_words_goes_to_standard_error(tmp_path: Path) -> None:
    words = StringIO()
    call_command("evaluate", str(write(tmp_path, SMALL)), "--inline", "--seed", "5", stdout=StringIO(), stderr=words)
    assert "3 repetitions are too few to recommend anything: repeat 20 times or more." in words.getvalue()
    assert "At ε = 4, even counts: all are equally frequent" in words.getvalue()


@pytest.mark.parametrize(
    ("grid", "counts", "message"),
    [
        ("{", "", "grid.json: line 1, column 2: Expecting property name"),
        ({"elements": -1}, "", "grid.json: elements must be a whole number of at least 1, not -1."),
        (SMALL, "tea\t5\ntea\t6\n", "lists/counts.tsv: Line 2 repeats 'tea' of line 1; add up their counts."),
        ({**SMALL, "distributions": [{"observed": "no.tsv"}]}, "", "no.tsv: No such file or directory."),
        ({**SMALL, "repetitions": 10**6}, "tea\t1", "repetitions: 1,000,000 are too many; at most 10,000 fit."),
    ],
)  # fmt: skip
def test_errors_name_what_and_where(grid: object, counts: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(CommandError) as caught:
        call_command("evaluate", str(write(tmp_path, grid, counts)), "--inline")
    assert message in str(caught.value)
    assert not Evaluation.objects.exists()
