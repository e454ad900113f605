"""What histograms that were published before it was kept may lack: F2, and consistent estimates."""

import numpy as np
from numpy.typing import NDArray

from aggregation.estimation import Summary, consistent_counts, summarize
from reports.models import DictionaryRevision, Histogram, HistogramEntry, Version
from reports.results.groupings import GROUPINGS, Groups, load_groups
from reports.results.known import sum_of


def consistent_estimates(version: Version, summary: Summary) -> NDArray[np.float64] | None:
    """Those of the whole dictionary; None if it does not hold all that can be reported."""
    if not version.use_case.dictionary_complete:
        return None
    return consistent_counts(summary.estimate, summary.n)


def consistent_groups(consistent: NDArray[np.float64], groups: Groups) -> NDArray[np.float64]:
    """The sums of the groups. They need not sum to n: some elements may be in none."""
    inside = groups.index >= 0
    sums = np.zeros(len(groups.groups))
    np.add.at(sums, groups.index[inside], consistent[inside])
    return sums


def complete_histogram(histogram: Histogram) -> bool:
    """Compute what was not kept when a window was published, of its elements and its groups.

    It is what its publication would have computed, and tells nothing of other reports. False if its estimates cannot be
    made consistent: of words that were found, of a dictionary that lacks elements, or without its read-outs.
    """
    revision = histogram.revision
    if revision is None or not histogram.version.use_case.dictionary_complete:
        return False
    if histogram.f2 is not None and not histogram.entries.filter(consistent=None).exists():
        return True
    revision.version = histogram.version
    read_outs = list(revision.read_outs.filter(locale=histogram.locale, sealing__in=histogram.sealings))
    if {read_out.sealing_id for read_out in read_outs} != set(histogram.sealings) or not read_outs:
        return False
    complete(histogram, revision, sum_of(read_outs, revision.size))
    return True


def complete(histogram: Histogram, revision: DictionaryRevision, counts: NDArray[np.int64]) -> None:
    """The same, given the read-outs of the histogram."""
    version = histogram.version
    summary = summarize(version.mechanism.debiased, counts, histogram.n, histogram.alpha)
    consistent = consistent_estimates(version, summary)
    window = Histogram.objects.filter(
        version=version,
        revision=revision,
        locale=histogram.locale,
        first_day=histogram.first_day,
        last_day=histogram.last_day,
        sealings=histogram.sealings,
        replaced=False,
    )
    window.update(f2=summary.f2)
    histogram.f2 = summary.f2
    if consistent is None:
        return
    for each in window:
        entries = list(each.entries.all())
        values = _by_element(each, revision, consistent)
        for entry in entries:
            entry.consistent = values[entry.element]
        HistogramEntry.objects.bulk_update(entries, ["consistent"], batch_size=1000)


def _by_element(
    histogram: Histogram, revision: DictionaryRevision, consistent: NDArray[np.float64]
) -> dict[str, float]:
    """The consistent estimates of what a histogram has entries of: elements or groups, by their names."""
    if histogram.grouping:
        groups = load_groups(GROUPINGS[histogram.grouping], revision)
        sums = consistent_groups(consistent, groups).tolist()
        return dict(zip((group.element for group in groups.groups), sums, strict=True))
    shown = histogram.entries.order_by().values("element")
    places = revision.entries.filter(element__in=shown).values_list("element", "position")
    return {element: float(consistent[position]) for element, position in places}
