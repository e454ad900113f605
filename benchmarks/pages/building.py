"""Filling an empty database with a year of everything, by COPY."""

import datetime
import time
from collections.abc import Callable, Iterator
from itertools import groupby
from typing import Any

import numpy as np
from django.db import connection
from numpy.typing import NDArray

from benchmarks.pages import definitions
from benchmarks.pages.beside import copy_runs, copy_shards, copy_the_rest, reset_sequences
from benchmarks.pages.binary import Copy
from benchmarks.pages.estimates import ALPHA, Block, Fleet
from benchmarks.pages.indexes import without_indexes
from benchmarks.pages.read_outs import copy_read_outs, write_counts, write_sketches
from benchmarks.pages.sizes import DICTIONARY, REPORTS_PER_DAY, Size, Year
from reports.models import Discovery, Histogram, HistogramEntry, Period, Sealing, Version
from reports.publication import Periods, Released
from reports.results.histograms import made_of

# Of words: each list is of so many days.
WORDS_DAYS = 7


def build(size: Size, say: Callable[[str], None] = lambda _text: None) -> None:
    """Define use cases and fill all tables that pages read. The database has to look at them then."""
    clock = _Clock(say)
    versions = definitions.define(size)
    clock.say("definitions")
    years = list(_years(size, versions))
    _copy_sealings(size, versions)
    # The entries come first, because they say how many elements of a histogram are below the threshold.
    with without_indexes(
        "reports_histogramentry", "reports_histogram", "reports_readout", "reports_period", "reports_shard"
    ):
        blocks = _copy_entries(size, years)
        clock.say("entries of histograms")
        _copy_periods_and_histograms(size, years, blocks)
        copy_read_outs(size, years)
        copy_shards(size, years)
        clock.say("periods, histograms, read-outs, shards")
    _copy_discoveries(years, blocks)
    clock.say("indexes and constraints")
    write_sketches(years, size)
    clock.say("sketches")
    copy_runs(size, versions)
    copy_the_rest(size, versions)
    reset_sequences()
    clock.say("runs and everything else")


class _Clock:
    def __init__(self, say: Callable[[str], None]) -> None:
        self._say, self._before = say, time.perf_counter()

    def say(self, what: str) -> None:
        now = time.perf_counter()
        self._say(f"{now - self._before:7.1f} s  {what}")
        self._before = now


def _years(size: Size, versions: list[Version]) -> Iterator[Year]:
    period = histogram = 1
    for number, version in enumerate(versions):
        revision = version.current_dictionary()
        for locale in size.names:
            yield Year(number, version, revision, locale, number * size.days + 1, period, histogram)
            period += size.days
            histogram += size.days + (0 if version.discovery is not None else len(size.windows))


def _fleet(size: Size, version: Version) -> Fleet:
    if version.discovery is not None:
        return Fleet(version.discovery.words, size, window=WORDS_DAYS)
    return Fleet(version.mechanism, size)


def _copy_entries(size: Size, years: list[Year]) -> list[Block]:
    """All entries; returns what the rows of histograms need to know of them."""
    blocks: list[Block] = []
    numbers = ("estimate", "standard_error", "lower", "upper", "adjusted_lower", "adjusted_upper", "consistent")
    columns = ("histogram_id", "rank", "element", "display", "category", *numbers, "first_day", "last_day", "is_new")
    elements, words = definitions.elements(), definitions.words()
    displays = np.array([word.rstrip(b"_") for word in words.tolist()])
    days = np.array(size.all_days, dtype="datetime64[D]")
    with Copy(HistogramEntry, *columns) as copy:
        for year in years:
            finds = year.version.discovery is not None
            integers = _fleet(size, year.version).days(year.rng, with_files=size.has_files(year.number))
            if size.has_files(year.number):
                write_counts(year, size, integers)
            block = _fleet(size, year.version).block(integers)
            if finds:
                block = block.since(WORDS_DAYS - 1)
            texts, shown = (words, displays) if finds else (elements, elements)
            ends = {"first_day": days[0], "last_day": days[block.window]} if finds else _NO_DAYS
            consistent = block.columns["consistent"] if year.version.use_case.dictionary_complete else None
            copy.write(
                histogram_id=year.first_histogram + block.window,
                rank=block.rank,
                element=texts[block.element],
                display=shown[block.element],
                category="" if finds else definitions.categories(block.element),
                is_new=(block.element + block.window) % 20 == 0 if finds else False,
                **ends,
                **block.columns | {"consistent": consistent},
            )
            blocks.append(_facts_of(block))
    return blocks


_NO_DAYS: dict[str, Any] = {"first_day": None, "last_day": None}


def _facts_of(block: Block) -> Block:
    """Without its rows, which would be gigabytes together."""
    nothing = np.zeros(0, dtype=np.int64)
    return Block(block.n, block.threshold, block.f2, block.shown, nothing, nothing, nothing, {})


def _copy_sealings(size: Size, versions: list[Version]) -> None:
    with Copy(Sealing, "id", "version_id", "day") as copy:
        for number, version in enumerate(versions):
            first = number * size.days + 1
            days = np.array(size.all_days, dtype="datetime64[D]")
            copy.write(id=first + np.arange(size.days), version_id=version.pk, day=days)


def _copy_periods_and_histograms(size: Size, years: list[Year], blocks: list[Block]) -> None:
    days = np.array(size.all_days, dtype="datetime64[D]")
    with Copy(Period, *"id version_id locale first_day last_day n revisions closed_at".split()) as copy:
        for year in years:
            copy.write(
                id=year.first_period + np.arange(size.days),
                version_id=year.version.pk,
                locale=year.locale,
                first_day=days,
                last_day=days,
                n=REPORTS_PER_DAY,
                revisions=np.array([_revisions(year)], dtype=np.int64),
                closed_at=days + 1,
            )
    columns = "id version_id revision_id locale first_day last_day made_of n threshold f2 below_threshold".split()
    with Copy(Histogram, *columns, "alpha", "generated_at") as copy:
        for year, block in zip(years, blocks, strict=True):
            _copy_histograms(copy, size, year, block)


def _revisions(year: Year) -> tuple[int, ...]:
    return () if year.revision is None else (year.revision.pk,)


def _periods(size: Size, year: Year) -> Periods:
    """Each day by itself, which was closed in the night after it."""
    released = (
        Released(pk, day, day, REPORTS_PER_DAY, _revisions(year), f"{day + datetime.timedelta(days=1)} 00:00:00+00")
        for pk, day in enumerate(size.all_days, year.first_period)
    )
    return Periods(year.version, year.locale, tuple(released))


def _copy_histograms(copy: Copy, size: Size, year: Year, block: Block) -> None:
    all_days, periods = size.all_days, _periods(size, year)
    days = np.array(all_days, dtype="datetime64[D]")
    for rows, first, count in _windows(size, 1 if year.revision is not None else WORDS_DAYS):
        last = first + count - 1
        ends = zip(first.tolist(), last.tolist(), strict=True)
        made = [_made_of(periods, year, all_days[start], all_days[end]) for start, end in ends]
        copy.write(
            id=year.first_histogram + rows,
            version_id=year.version.pk,
            revision_id=year.revision and year.revision.pk,
            locale=year.locale,
            first_day=days[first],
            last_day=days[last],
            made_of=np.array(made),
            n=block.n[rows],
            threshold=block.threshold[rows],
            f2=block.f2[rows],
            below_threshold=DICTIONARY - block.shown[rows],
            alpha=ALPHA,
            generated_at=days[last] + 1,
        )


def _made_of(periods: Periods, year: Year, first: datetime.date, last: datetime.date) -> bytes:
    window = periods.inside(first, last)
    if window is None:
        raise LookupError("A window of the benchmark lies outside of its days.")
    return (window.made_of if year.revision is None else made_of(window, year.revision)).encode()


def _windows(size: Size, length: int) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64], int]]:
    """Places of histograms and of their first days, which have as many days: those of each day, then longer ones."""
    yield np.arange(length - 1, size.days), np.arange(size.days - length + 1), length
    if length == 1:
        for days, group in groupby(enumerate(size.windows, size.days), key=lambda each: each[1].days):
            rows = [(row, window.first) for row, window in group]
            yield *np.array(rows).T, days


def _copy_discoveries(years: list[Year], blocks: list[Block]) -> None:
    columns = "histogram_id reports cuts f2 kept joined candidates smallest_share sealings".split()
    found = [
        Discovery(
            histogram_id=year.first_histogram + place,
            reports=[REPORTS_PER_DAY] * 5,
            cuts=[500.0] * 5,
            f2=[1e8] * 5,
            kept=[60] * 5,
            joined=4000,
            candidates=DICTIONARY,
            smallest_share=0.005,
            sealings=[year.first_sealing + day for day in range(place - WORDS_DAYS + 1, place + 1)],
        )
        for year, block in zip(years, blocks, strict=True)
        if year.version.discovery is not None
        for place in range(WORDS_DAYS - 1, len(block.n))
    ]
    with connection.cursor() as cursor:
        statement = f"COPY reports_discovery ({', '.join(columns)}, capped, strictness) FROM STDIN"
        with cursor.copy(statement) as copy:
            for each in found:
                copy.write_row([*(getattr(each, column) for column in columns), False, 1.0])
