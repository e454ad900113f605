"""Two locales that differ, small enough to be simulated in every test."""

import datetime
from typing import Any

import numpy as np

from reports.models import UseCase, Version
from reports.results.comparison import ComparisonQuery, comparison_view
from reports.simulation import Fleet, Shares
from tests.reports.factories import send
from tests.reports.small_fleet import FRUITS, aggregate, days_ago, define
from tests.worlds import once

# Shares by locale: more apples here, more cherries there, as many bananas; dates in English alone, and no figs.
EATEN = {"en_US": (0.5, 0.3, 0.1, 0.1, 0.0, 0.0), "fr_FR": (0.3, 0.3, 0.4, 0.0, 0.0, 0.0)}


def send_shares(
    version: Version,
    reports: int,
    *,
    locale: str = "en_US",
    day: datetime.date | None = None,
    shares: tuple[float, ...] | None = None,
    seed: int = 0,
) -> dict[str, float]:
    """Upload what a fleet reports that draws from these shares; returns the true shares of its reports."""
    drawn = np.array(EATEN[locale] if shares is None else shares)
    fleet = Fleet(version, Shares(locale, FRUITS, drawn), np.random.default_rng(seed))
    send("\n".join(fleet.documents(reports)).encode(), day=day)
    return dict(zip(FRUITS, (fleet.true_counts / reports).tolist(), strict=True))


@once
def counted_locales() -> Version:
    """A day of the two, counted."""
    version = define()
    for seed, locale in ((0, "en_US"), (2, "fr_FR")):  # with almost as many bananas
        send_shares(version, 3000, locale=locale, day=days_ago(1), seed=seed)
    aggregate(version)
    return version


def comparison(slug: str = "fruits", **parameters: str) -> Any:
    """The view of a query; underscores stand for the dashes of its names, and `from_` for from."""
    named = {name.rstrip("_").replace("_", "-"): value for name, value in parameters.items()}
    return comparison_view(UseCase.objects.get(slug=slug), ComparisonQuery.from_parameters(named))
