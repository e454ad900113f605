"""Whatever is shown in whatever order, no combination of it tells of few reports: by linear algebra."""

import datetime
from collections.abc import Collection
from itertools import combinations
from typing import TypeAlias

import numpy as np
import pytest
from django.db import transaction
from hypothesis import given, settings
from hypothesis import strategies as st

from reports.models import Version
from reports.publication import apply_minimum, count_window, cut, periods_of, window_of
from reports.publication.cutting import close_groups, merge_groups
from tests.reports.publication.parts import FIRST, close_day, define_parts

pytestmark = [pytest.mark.exact, pytest.mark.django_db]

Vector: TypeAlias = tuple[int, ...]
# Events: reports of a day are closed, so many, or a run ends, or the minimum changes, or a reader looks.
CLOSED = st.tuples(st.just("close"), st.integers(0, 40), st.integers(1, 60))
CHANGED = st.tuples(st.just("minimum"), st.integers(1, 120), st.just(0))
CUT = st.tuples(st.just("cut"), st.just(0), st.just(0))
LOOKED = st.tuples(st.just("look"), st.integers(-1, 40), st.integers(0, 20))
MOST = 6
LOOKED_AT, LEFT_ALONE = "en_US", "fr_FR"


def rank(rows: Collection[Vector], left_out: Collection[int] = ()) -> int:
    """The rank of a matrix without some columns: of small integers, which floating point tells apart."""
    kept = [[value for place, value in enumerate(row) if place not in left_out] for row in rows]
    return int(np.linalg.matrix_rank(np.array(kept))) if kept and kept[0] else 0


def isolated(shown: Collection[Vector], parts: int) -> set[frozenset[int]]:
    """The smallest sets of parts that some combination of what is shown tells of, and of no other part."""
    whole, found = rank(shown), set[frozenset[int]]()
    for size in range(1, parts + 1):
        for some in map(frozenset, combinations(range(parts), size)):
            if rank(shown, some) < whole and not any(smaller <= some for smaller in found):
                found.add(some)
    return found


def weights(version: Version, locale: str, first: datetime.date | None, last: datetime.date | None) -> Vector | None:
    """Return the weight of each part in a window, by its support counts."""
    window, revision = window_of(version, locale, first, last), version.current_dictionary()
    assert revision is not None
    return None if window is None else tuple(count_window(window, revision).counts.tolist())


def in_periods(version: Version, locale: str) -> set[Vector]:
    """Return the content of each period that is shown, by itself."""
    revision = version.current_dictionary()
    assert revision is not None
    periods = periods_of(version, [locale])[locale]
    found = set()
    for period in periods.released:
        alone = type(periods)(version, locale, (period,)).inside()
        assert alone is not None
        found.add(tuple(count_window(alone, revision).counts.tolist()))
    return found


def test_nothing_shown_isolates_fewer_reports_than_the_minimum() -> None:
    key = define_parts(MOST, minimum_reports=50).pk

    @settings(max_examples=30, deadline=None)
    @given(st.lists(st.one_of(CLOSED, CLOSED, CHANGED, CUT, LOOKED), min_size=4, max_size=20))
    def hold_in(history: list[tuple[str, int, int]]) -> None:
        with transaction.atomic():
            _live_through(Version.objects.select_related("use_case").get(pk=key), history)
            transaction.set_rollback(True)

    hold_in()


def _live_through(version: Version, history: list[tuple[str, int, int]]) -> None:
    use_case, sizes = version.use_case, list[int]()
    shown: set[Vector] = set()
    known: set[frozenset[int]] = set()
    for what, number, length in history:
        if what == "close" and len(sizes) < MOST:
            day = FIRST + datetime.timedelta(days=number)
            for locale in (LOOKED_AT, LEFT_ALONE):
                close_day(version, locale, len(sizes), day, length, size=MOST)
            sizes.append(length)
        elif what == "minimum":
            use_case.minimum_reports = number
            use_case.save()
            apply_minimum(use_case)
        elif what == "cut":
            cut(version)
        elif what == "look":
            first = None if number < 0 else FIRST + datetime.timedelta(days=number)
            looked = weights(version, LOOKED_AT, first, first and first + datetime.timedelta(days=length))
            # All that is shown of a window follows from its periods.
            assert looked is None or rank({*shown, looked}) == rank(shown)
        new = in_periods(version, LOOKED_AT) - shown
        if new:
            shown |= new
            told = isolated(shown, len(sizes))
            assert all(sum(sizes[part] for part in parts) >= use_case.minimum_reports for parts in told - known)
            known = told
    # Looking has changed nothing.
    assert in_periods(version, LOOKED_AT) == in_periods(version, LEFT_ALONE)
    middle = FIRST + datetime.timedelta(days=20)
    for first, last in ((None, None), (None, middle), (middle, None)):
        assert weights(version, LOOKED_AT, first, last) == weights(version, LEFT_ALONE, first, last)


def test_reports_wait_until_they_hold_the_minimum() -> None:
    version = define_parts(MOST, minimum_reports=50)
    for number, n in enumerate((30, 19)):
        close_day(version, LOOKED_AT, number, FIRST, n, size=MOST)
    assert cut(version) == []
    close_day(version, LOOKED_AT, 2, FIRST + datetime.timedelta(days=1), 1, size=MOST)
    (period,) = cut(version)
    assert (period.n, period.first_day, period.last_day) == (50, FIRST, FIRST + datetime.timedelta(days=1))
    assert weights(version, LOOKED_AT, None, None) == (1, 1, 1, 0, 0, 0)
    assert weights(version, LOOKED_AT, FIRST, FIRST) is None


def test_what_a_raised_minimum_hides_is_shown_again_with_as_many_new_reports() -> None:
    version = define_parts(MOST, minimum_reports=10)
    close_day(version, LOOKED_AT, 0, FIRST, 40, size=MOST)
    cut(version)
    use_case = version.use_case
    use_case.minimum_reports = 100
    use_case.save()
    apply_minimum(use_case)
    close_day(version, LOOKED_AT, 1, FIRST, 99, size=MOST)
    cut(version)
    # A reader who remembers the first 40 would learn of the other 99.
    assert weights(version, LOOKED_AT, None, None) is None
    close_day(version, LOOKED_AT, 2, FIRST, 1, size=MOST)
    cut(version)
    assert weights(version, LOOKED_AT, None, None) == (1, 1, 1, 0, 0, 0)


@given(st.lists(st.integers(1, 100)), st.integers(1, 300))
def test_groups_are_the_smallest_that_hold_the_minimum(sizes: list[int], minimum: int) -> None:
    closed = list(close_groups(sizes, minimum))
    assert all(sum(sizes[group]) >= minimum > sum(sizes[group][:-1]) for group in closed)
    assert sum(sizes[closed[-1].stop if closed else 0 :]) < minimum
    if not sizes:
        return
    merged = list(merge_groups(sizes, minimum))
    assert [place for group in merged for place in range(*group.indices(len(sizes)))] == list(range(len(sizes)))
    assert len(merged) == 1 or all(sum(sizes[group]) >= minimum for group in merged)
