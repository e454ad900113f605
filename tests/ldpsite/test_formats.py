"""Days and times are written in one way, in every language that pages speak."""

import datetime
import re
from pathlib import Path

import pytest
from django.conf import settings
from django.template import Context, Template
from django.utils import translation
from django.utils.formats import date_format

from ldpsite.env import BASE_DIR
from reports.formatting import day_range, short_day

pytestmark = pytest.mark.exact

DAY = datetime.date(2026, 3, 2)
TIME = datetime.datetime(2026, 11, 21, 15, 4, tzinfo=datetime.UTC)


def test_days_are_written_as_on_the_axes_of_charts_and_times_by_24_hours() -> None:
    with translation.override("en"):
        assert (date_format(DAY), day_range(DAY, DAY)) == ("Mar 2, 2026", "Mar 2, 2026")
        assert short_day(DAY, near=DAY) == "Mar 2"
        assert date_format(TIME, "DATETIME_FORMAT") == "Nov 21, 2026, 15:04"
    with translation.override("fr"):
        assert date_format(DAY) == "2 mars 2026"
        assert date_format(TIME, "DATETIME_FORMAT") == "21 nov. 2026, 15:04"


@pytest.mark.parametrize("language", [code for code, _name in settings.LANGUAGES])
def test_templates_and_short_formats_write_the_same(language: str) -> None:
    with translation.override(language):
        for format_name in ("DATE_FORMAT", "DATETIME_FORMAT"):
            expected = date_format(TIME, format_name)
            assert date_format(TIME, f"SHORT_{format_name}") == expected
            assert Template(f"{{{{ time|date:'{format_name}' }}}}").render(Context({"time": TIME})) == expected
        assert Template("{{ day }}").render(Context({"day": DAY})) == date_format(DAY)


def test_no_page_has_a_format_of_its_own() -> None:
    """Year-month-day is for fields, addresses and attributes, which are not read by people."""
    for path in Path(BASE_DIR, "templates").rglob("*.html"):
        for line in path.read_text(encoding="utf-8").splitlines():
            for name in re.findall(r"\|date:[\"']([^\"']*)[\"']", line):
                for_machines = name == "Y-m-d" and re.search(r"(value|href|datetime)=|&amp;(from|to)=", line)
                assert for_machines or name in ("DATE_FORMAT", "DATETIME_FORMAT"), f"{path}: {line.strip()}"
