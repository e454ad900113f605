"""A use case small enough to be simulated in every test: six fruits, two locales, a hundred reports to be shown."""

import datetime
from typing import Any

import numpy as np

from reports.collection.ingest import Receipt
from reports.jobs import finish_inline
from reports.models import Histogram, Period, PeriodTotal, ReadOut, Run, Version
from reports.models.uploads import utc_today
from reports.results import HistogramQuery, histogram_view
from reports.runs import start_run
from reports.simulation import Fleet, Shares
from tests.reports.factories import applied
from tests.reports.factories import send as send_body

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
    return applied(definition(**changes))


def days_ago(days: int) -> datetime.date:
    return utc_today() - datetime.timedelta(days=days)


def send(
    version: Version, reports: int, *, locale: str = "en_US", day: datetime.date | None = None, seed: int = 0
) -> tuple[Receipt, np.ndarray[Any, np.dtype[np.int64]]]:
    """Upload a fleet's reports; returns the receipt and the true counts."""
    fleet = Fleet(version, Shares(locale, FRUITS, np.array(PROBABILITIES)), np.random.default_rng(seed))
    receipt = send_body("\n".join(fleet.documents(reports)).encode(), day=day)
    return receipt, fleet.true_counts


def aggregate(version: Version, first: datetime.date | None = None, last: datetime.date | None = None) -> Run:
    run = finish_inline(start_run(version, first, last, ring=False))
    assert run.state == Run.State.FINISHED, run.failure
    return run


def shown(version: Version, first: int | None = None, last: int | None = None) -> Histogram:
    """The histogram of a window, given in days ago, as its page opens with; of all days if none is given."""
    begin, end = (None if day is None else days_ago(day) for day in (first, last))
    histogram = histogram_view(version.use_case, HistogramQuery(locale="en_US", first=begin, last=end)).histogram
    assert histogram is not None
    return histogram


def forget_results() -> None:
    """Drop all that was counted and shown; the raw reports stay."""
    Histogram.objects.all().delete()
    PeriodTotal.objects.all().delete()
    ReadOut.objects.all().delete()
    Period.objects.all().delete()


def estimates(histogram: Histogram) -> dict[str, float]:
    return {entry.element: entry.estimate for entry in histogram.entries}


# Words that are in no dictionary, by locale, with the shares of those who type them. Both ends of an alphabet are in
# them, a word of full length and one of a single letter, and no alphabet has what the other's words have.
WORDS = {
    "en_US": {"lol": 0.4, "able": 0.3, "it's": 0.2, "o": 0.1},
    "fr_FR": {"été": 0.5, "où": 0.3, "abbé": 0.2},
}
ALPHABETS = {"en_US": "abeilost'", "fr_FR": "abétùo"}


def words_definition(**changes: Any) -> dict[str, Any]:
    """A use case that finds its words: four letters, and so little noise that a few hundred reports show them."""
    parameters = {"epsilon": 8, "k": 64, "m": 256, "fragment_epsilon": 8, "fragment_k": 64, "fragment_m": 256}
    fields: dict[str, Any] = {
        "slug": "words",
        "title": "New words",
        "algorithm": "SequenceFragmentPuzzle",
        "normalization": "word",
        "alphabet": ALPHABETS,
        "parameters": {**parameters, "length": 4, "seed": "0f" * 16},
    }
    found = definition(**fields | changes)
    del found["dictionary"]
    return found


def define_words(**changes: Any) -> Version:
    """The active version of a use case that finds words."""
    return applied(words_definition(**changes))


def send_words(
    version: Version,
    reports: int,
    *,
    locale: str = "en_US",
    words: dict[str, float] | None = None,
    day: datetime.date | None = None,
    seed: int = 0,
) -> dict[str, int]:
    """Upload what a fleet types that draws from these words; returns how often each was typed."""
    drawn = WORDS[locale] if words is None else words
    elements = [version.element(word, locale) for word in drawn]
    assert None not in elements
    shares = Shares(locale, tuple(filter(None, elements)), np.array(list(drawn.values())))
    fleet = Fleet(version, shares, np.random.default_rng(seed))
    receipt = send_body("\n".join(fleet.documents(reports)).encode(), day=day)
    assert receipt.accepted == reports
    return dict(zip(drawn, fleet.true_counts.tolist(), strict=True))
