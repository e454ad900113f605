"""Privacy of versions that count a dictionary."""

from dataclasses import replace

from django.utils.translation import gettext as _

from aggregation.registry import estimator_of
from reports.models import Version
from reports.privacy.central import Batch
from reports.privacy.impact import WORKER_BYTES, Impact, at_least_prescribed, impact_without_counting
from reports.publication import periods_of

# Memory of a run for each element: its key and the products of its halves with which it is hashed, …
HASH_BYTES = 72
# … and a count in each of the shards that are read together.
COUNT_BYTES = 8
SHARDS_TOGETHER = 32


class CountingPrivacy:
    def impact(self, version: Version) -> Impact:
        """Compute what a version costs and what it can find."""
        impact, dictionary = impact_without_counting(version), version.current_dictionary()
        elements = dictionary.size if dictionary is not None else 0
        return replace(
            impact,
            elements=elements,
            memory_bytes=WORKER_BYTES + elements * (HASH_BYTES + COUNT_BYTES * SHARDS_TOGETHER),
            read_out_bytes=COUNT_BYTES * elements,
            smallest_share=_smallest_share(version, elements) if elements else None,
        )

    def newest_published(self, version: Version) -> list[Batch]:
        """Return the newest window and the newest period by itself that people can see.

        Of the locales, the one with the fewest reports. A person may have reports in a window from many days, and more
        than the daily limit even in a single day, as some may have waited; of one day of sending there are never more.
        """
        limit = version.use_case.reports_per_day
        periods = [each for each in periods_of(version, version.locales).values() if each]
        newest = max((each.span[1] for each in periods if each.span is not None), default=None)
        windows = [each.inside() for each in periods if each.span is not None and each.span[1] == newest]
        window = min((each for each in windows if each is not None), key=lambda each: each.n, default=None)
        singles = [(each.locale, period) for each in periods for period in each.released if period.last_day == newest]
        if window is None or not singles:
            return []
        locale, period = min(singles, key=lambda single: single[1].n)
        of_period = Batch("published_period", period.n, limit, locale, period.first_day, period.last_day)
        if len(window.periods) == 1:
            return [of_period]  # the window is the same
        return [Batch("published_window", window.n, limit, window.locale, *window.days), of_period]

    def epsilon_parts(self, version: Version) -> dict[str, int | float] | None:
        """Return the parts of a report's ε, if it has several."""
        return None

    def not_covered(self) -> list[str]:
        """Say what the guarantee does not cover beside what it never does."""
        return []

    def smallest_share_in_words(self) -> str:
        """Say what a `share` is shown, or found, from a `minimum` of reports on."""
        return _("With %(minimum)s reports, T hides everything that is rarer than about %(share)s %%.")

    def undetectable(self) -> list[str]:
        """Say what fakes do beside what they always do."""
        return []


def _smallest_share(version: Version, elements: int) -> float:
    """Return T/n for the fewest reports that are published, if no two were about one element; 1 if T is above n."""
    use_case = version.use_case
    n = use_case.minimum_reports
    estimator = estimator_of(version.mechanism, elements, complete=use_case.dictionary_complete)
    statistical = estimator.threshold(n, use_case.false_positive_rate / elements, f2=n)
    return at_least_prescribed(use_case, statistical) / n
