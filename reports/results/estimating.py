"""Estimators of counted dictionaries, and the support counts that they take: corrected where one is complete."""

from collections.abc import Collection, Sequence

from aggregation.estimation import Corrected, Estimator
from aggregation.registry import estimator_of
from reports.models import DictionaryRevision, Version
from reports.publication import Window, WindowCounts, count_window, counted_by_all, points_of


def dictionary_estimator(version: Version, revision: DictionaryRevision | None, *, whole: bool) -> Estimator:
    """Return the estimator of a dictionary that is counted, as a whole or in part; of discovered words, without one."""
    if revision is None:
        return version.mechanism.debiased
    complete = whole and version.use_case.dictionary_complete
    return estimator_of(version.mechanism, revision.size, complete=complete)


def window_estimator(version: Version, revisions: Collection[int], revision: DictionaryRevision | None) -> Estimator:
    """Return the estimator of a window whose periods are counted by these revisions, in the elements of one."""
    # Revisions are compared only where it matters.
    if revision is None or not version.use_case.dictionary_complete:
        return version.mechanism.debiased
    return dictionary_estimator(version, revision, whole=bool(counted_by_all(revisions, revision).all()))


def estimated_counts(windows: Sequence[Window], revision: DictionaryRevision) -> tuple[Estimator, list[WindowCounts]]:
    """Return the support counts of windows of a version, and the one estimator that takes all of them."""
    version, revisions = windows[0].version, {key for window in windows for key in window.revisions}
    estimator = window_estimator(version, revisions, revision)
    counted = [count_window(window, revision) for window in windows]
    if isinstance(estimator, Corrected):
        points = points_of(revision.pk)
        counted = [
            WindowCounts(each.positions, estimator.without_collisions(points, each.counts, each.n), each.n)
            for each in counted
        ]
    return estimator, counted
