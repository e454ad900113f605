"""Histograms, comparisons, trends and training runs of an ldpsite, with their intervals and where they come from.

from ldpsite_client import Site
site = Site("https://ldpsite.example.org", token)
site.use_case("keyboard-emoji").histogram(locale="fr_FR", days=7).to_frame()
"""

from ldpsite_client.errors import NothingShown, SiteError, Unavailable
from ldpsite_client.results import AllLocales, Changes, Comparison, Histogram, Result, SiteChanges, Trend, WordList
from ldpsite_client.rows import (
    ChangeRow,
    ComparisonRow,
    HistogramRow,
    LocaleRow,
    SiteChangeRow,
    TrainingRow,
    TrendPoint,
    WordRow,
)
from ldpsite_client.site import Site
from ldpsite_client.training import TrainingRuns, TrainingTask
from ldpsite_client.uploads import Receipt
from ldpsite_client.use_case import Locale, UseCase, Version, Window

__all__ = [
    "AllLocales",
    "ChangeRow",
    "Changes",
    "Comparison",
    "ComparisonRow",
    "Histogram",
    "HistogramRow",
    "Locale",
    "LocaleRow",
    "NothingShown",
    "Receipt",
    "Result",
    "Site",
    "SiteChangeRow",
    "SiteChanges",
    "SiteError",
    "TrainingRow",
    "TrainingRuns",
    "TrainingTask",
    "Trend",
    "TrendPoint",
    "Unavailable",
    "UseCase",
    "Version",
    "Window",
    "WordList",
    "WordRow",
]
