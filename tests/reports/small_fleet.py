"""A use case small enough to be simulated in every test: six fruits, two locales, a hundred reports to be shown."""

import datetime
import io
from pathlib import Path
from typing import Any

import numpy as np

from reports.definitions import apply_definitions
from reports.definitions.file import check_definitions
from reports.ingest import Receipt, Upload, ingest
from reports.models import Histogram, Run, UseCase, Version
from reports.models.uploads import utc_today
from reports.runs import finish_inline, start_run
from reports.simulation import Fleet, Shares

FRUITS = ("apple", "banana", "cherry", "date", "elderberry", "fig")
PROBABILITIES = (0.5, 0.3, 0.2, 0.0, 0.0, 0.0)
LOCALES = ("en_US", "fr_FR")


def definition(**changes: Any) -> dict[str, Any]:
    return {
        "slug": "fruits",
        "title": "Fruits",
        "viewer_groups": ["keyboard"],
        "owner_group": "keyboard-owners",
        "algorithm": "CountMeanSketch",
        "normalization": "raw",
        "locales": list(LOCALES),
        "parameters": {"epsilon": 8, "k": 1024, "m": 64, "seed": "0f" * 16},
        "minimum_reports": 100,
        "dictionary": list(FRUITS),
        **changes,
    }


def define(**changes: Any) -> Version:
    apply_definitions(check_definitions([definition(**changes)], Path()))
    version = UseCase.objects.get(slug=changes.get("slug", "fruits")).active_version()
    assert version is not None
    return version


def days_ago(days: int) -> datetime.date:
    return utc_today() - datetime.timedelta(days=days)


def send(
    version: Version, reports: int, *, locale: str = "en_US", day: datetime.date | None = None, seed: int = 0
) -> tuple[Receipt, np.ndarray[Any, np.dtype[np.int64]]]:
    """Upload a fleet's reports; returns the receipt and the true counts."""
    fleet = Fleet(version, Shares(locale, FRUITS, np.array(PROBABILITIES)), np.random.default_rng(seed))
    body = "\n".join(fleet.documents(reports)).encode()
    receipt = ingest(Upload(io.BytesIO(body), "ndjson"), UseCase.objects.all(), day=day)
    return receipt, fleet.true_counts


def aggregate(version: Version, first: datetime.date | None = None, last: datetime.date | None = None) -> Run:
    run = finish_inline(start_run(version, first, last, ring=False).pk, lambda _progress: None)
    assert run.state == Run.State.FINISHED, run.failure
    return run


def estimates(histogram: Histogram) -> dict[str, float]:
    return dict(histogram.entries.values_list("element", "estimate"))
