"""Tables as files."""

import csv
import io

import pytest

from reports.results.tables import CHUNK, csv_parts, table

pytestmark = pytest.mark.exact


def test_long_files_come_in_parts_of_many_lines() -> None:
    lines = [{"element": f"=element {number}", "n": number} for number in range(10_000)]
    parts = list(csv_parts(table({"use_case": "fruits", "points": lines}, "points", ("element", "n"))))
    assert [len(part) > CHUNK // 2 for part in parts[:-1]] == [True] * (len(parts) - 1)
    assert 2 < len(parts) < 20
    head, *rows = csv.reader(io.StringIO("".join(parts)))
    assert head == ["element", "n", "use_case"]
    assert rows == [[f"'=element {number}", str(number), "fruits"] for number in range(10_000)]
