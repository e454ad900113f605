"""Published days straight in the database: what a trend shows does not depend on how a run counted them."""

import datetime
import html
import re
from collections.abc import Mapping
from typing import Any

from django.utils import timezone

from reports.models import DictionaryRevision, Histogram, HistogramEntry, Version
from tests.reports.small_fleet import days_ago


def publish_day(
    version: Version,
    back: int,
    counts: Mapping[str, float],
    *,
    locale: str = "en_US",
    first: datetime.date | None = None,
    n: int = 10_000,
    f2: float | None = 30_000_000.0,
    revision: DictionaryRevision | None = None,
) -> Histogram:
    """A histogram of so many days ago, or of a window that ends there; what is not in it is below the threshold 50."""
    day = days_ago(back)
    histogram = Histogram.objects.create(
        version=version, revision=revision or version.current_dictionary(), locale=locale, first_day=first or day,
        last_day=day, sealings=[], n=n, alpha=0.05, threshold=50.0, below_threshold=2, f2=f2,
        generated_at=timezone.now(),
    )  # fmt: skip
    HistogramEntry.objects.bulk_create(
        HistogramEntry(
            histogram=histogram, rank=rank, element=element, display=element, estimate=count, standard_error=20.0,
            lower=count - 39, upper=count + 39, adjusted_lower=count - 45, adjusted_upper=count + 45,
        )
        for rank, (element, count) in enumerate(sorted(counts.items(), key=lambda item: -item[1]), 1)
    )  # fmt: skip
    return histogram


def words(response: Any) -> str:
    """What a page says."""
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", response.content.decode())).split())


def rows(response: Any, table: str) -> list[list[str]]:
    """The cells of a page's table, without its headings."""
    found = response.content.decode().split(f'<table class="histogram {table}">')[1].split("</table>")[0]
    cells = [re.findall(r"<(?:th|td)[^>]*>(.*?)</(?:th|td)>", row, re.DOTALL) for row in found.split("<tr")[2:]]
    return [[" ".join(html.unescape(re.sub(r"<[^>]+>", " ", cell)).split()) for cell in row] for row in cells]
