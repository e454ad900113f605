"""What could be learnt by subtracting published histograms from each other."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping


def singles_out(
    published: Iterable[frozenset[int]], window: frozenset[int], reports: Mapping[int, int], minimum: int
) -> bool:
    """Whether publishing one more window would isolate fewer than `minimum` reports that were not isolated before.

    A window is the set of sealings that its histogram sums; `reports` says how many reports each of them has.
    Sealings that lie in exactly the same windows cannot be told apart by any sums and differences of the histograms,
    and those that do not, can: so it is the size of these classes that matters.
    """
    return single_out_together(published, [window], reports, minimum)


def single_out_together(
    published: Iterable[frozenset[int]], windows: Collection[frozenset[int]], reports: Mapping[int, int], minimum: int
) -> bool:
    """The same for several windows, published one after the other.

    They need not be tried one by one: a small class that one of them makes, and another splits, is in smaller ones.
    """
    before = list(published)
    few_before = _few(before, reports, minimum)
    return bool(_few([*before, *windows], reports, minimum) - few_before)


def _few(windows: Iterable[frozenset[int]], reports: Mapping[int, int], minimum: int) -> set[frozenset[int]]:
    """The classes that have reports, but fewer than the minimum."""
    distinct = set(windows)
    classes: defaultdict[tuple[bool, ...], set[int]] = defaultdict(set)
    for sealing, n in reports.items():
        membership = tuple(sealing in window for window in distinct)
        if n and any(membership):
            classes[membership].add(sealing)
    return {
        frozenset(members) for members in classes.values() if sum(reports[sealing] for sealing in members) < minimum
    }
