"""Privacy of versions that discover words."""

from dataclasses import replace

import numpy as np
from django.utils.translation import gettext as _

from aggregation.discovery import FALSE_FRAGMENTS, Cut, num_cells, num_fragment_keys, smallest_share
from aggregation.registry import DiscoveryMechanism
from reports.kinds import puzzle_of
from reports.models import Version
from reports.privacy.central import Batch, as_number
from reports.privacy.impact import (
    WORKER_BYTES,
    Alphabet,
    Impact,
    Search,
    at_least_prescribed,
    impact_without_counting,
)

# Memory of a run for each fragment that is looked up: measured, with its counts at eight positions, while they are cut.
FRAGMENT_BYTES = 300
# A cell of a sketch, up to 65,535 reports in a row, …
CELL_BYTES = 2
# … and how often a day's sketches are copied before they are stored.
COPIES = 3
# Candidates that the threshold is for: words that are expected to fit together, false ones included.
CANDIDATES = 100


class DiscoveryPrivacy:
    def impact(self, version: Version) -> Impact:
        mechanism = puzzle_of(version)
        alphabets = tuple(_alphabet(mechanism, locale, version.alphabet_of(locale) or "") for locale in version.locales)
        most = max(alphabet.fragments for alphabet in alphabets)
        cells = num_cells(mechanism)
        return replace(
            impact_without_counting(version),
            memory_bytes=WORKER_BYTES + max(most * FRAGMENT_BYTES, COPIES * cells * CELL_BYTES),
            read_out_bytes=cells * CELL_BYTES,
            smallest_share=_smallest_share(version, most),
            search=Search(mechanism.epsilon_parts, alphabets),
        )

    def newest_published(self, version: Version) -> list[Batch]:
        newest = version.histograms.ungrouped().order_by("-last_day", "first_day", "n").first()
        if newest is None:
            return []
        limit = version.use_case.reports_per_day
        return [Batch("published_window", newest.n, limit, newest.locale, newest.first_day, newest.last_day)]

    def epsilon_parts(self, version: Version) -> dict[str, int | float] | None:
        return {name: as_number(epsilon) for name, epsilon in puzzle_of(version).epsilon_parts.items()} or None

    def not_covered(self) -> list[str]:
        return [_("A word that very many people type: to find such words is what this use case is for.")]

    def smallest_share_in_words(self) -> str:
        return _(
            "Among %(minimum)s reports, a word is found, with a probability of 0.9, if its share is about"
            " %(share)s %%; a rarer one less often."
        )

    def undetectable(self) -> list[str]:
        return [_("Enough of them put any word on the list of those that were found.")]


def _alphabet(mechanism: DiscoveryMechanism, locale: str, characters: str) -> Alphabet:
    fragments = num_fragment_keys(characters)
    return Alphabet(locale, characters, fragments, fragments * mechanism.fragment_shape[0])


def _smallest_share(version: Version, fragments: int) -> float:
    """Return the share found with probability 0.9 at the minimum of reports, if no two reports were about one word."""
    mechanism = puzzle_of(version)
    n, positions = version.use_case.minimum_reports, len(mechanism.positions)
    of_each = int(mechanism.planned_fragments(n))
    if not of_each:
        return 1.0
    cut_off = mechanism.fragments.debiased.threshold(of_each, FALSE_FRAGMENTS / fragments, f2=of_each)
    cut = Cut(
        kept=[],
        estimates=[],
        reports=np.full(positions, of_each),
        thresholds=np.full(positions, cut_off),
        f2=np.full(positions, float(of_each)),
        capped=np.zeros(positions, bool),
    )
    words = mechanism.word_estimator(n, mechanism.word_reports(n, cut.reports.tolist()))
    statistical = words.threshold(n, version.use_case.false_positive_rate / CANDIDATES, f2=n)
    return smallest_share(mechanism, n, n, at_least_prescribed(version.use_case, statistical), cut)
