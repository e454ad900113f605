"""Limits on the cost of an upload: blank lines, processor time, and work for a sender who has left."""

import time
from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

from django.conf import settings
from django.utils.translation import gettext as _

from reports.collection.ingest.problems import Problem, Refusal, Rejections, UploadRefused

T = TypeVar("T")

# Lines without a record that an upload may have, blank ones included, and how many more for each line with one.
SPARE_LINES = 10_000
SPARE_LINES_PER_LINE = 10
# So many more are read on, for lines with records may follow: a second of the processor's time at most.
LINES_READ_ON = 50_000
# One in so many lines that are not blank may be broken.
LINES_PER_BROKEN_LINE = 10

# A stored byte of a record, and a record beside its bytes, add so much to the budget: some six times their cost where
# each record comes in a document of its own.
SECONDS_PER_BYTE = 1e-7
SECONDS_PER_RECORD = 1e-4
# A line takes 20 µs, and asking costs less than one of them.
LINES_BETWEEN_CHECKS = 256


class Lines:
    """Counts the lines of an upload as they come. A plain JSON document is one line."""

    def __init__(self, rejections: Rejections) -> None:
        self._rejections = rejections
        self._broken = 0
        self._without_record = self._last_without_record = 0
        self._allowed = SPARE_LINES
        self.filled = 0

    def add_blank(self, line: int) -> None:
        self._add_without_record(line)

    def add(self, line: int, *, has_records: bool) -> None:
        self.filled += 1
        if has_records:
            self._allowed += SPARE_LINES_PER_LINE
        else:
            self._add_without_record(line)

    def add_broken(self) -> None:
        """Note that the line which is added next is not JSON."""
        self._broken += 1

    def _add_without_record(self, line: int) -> None:
        self._without_record += 1
        self._last_without_record = line
        if self._without_record > self._allowed + LINES_READ_ON:
            raise self._too_little()

    def end(self) -> None:
        """Raise `UploadRefused` if too many lines had no record, or were too broken for the rest to be trusted."""
        if self._without_record > self._allowed:
            raise self._too_little()
        if self._broken * LINES_PER_BROKEN_LINE > self.filled:
            raise UploadRefused(
                Refusal.BROKEN,
                _("More than a tenth of the lines are not JSON."),
                self._rejections.problems,
                dict(self._rejections.counts),
            )

    def _too_little(self) -> UploadRefused:
        detail = _("Too many lines have no record in them. Send lines that have, and no blank ones.")
        problem = Problem(self._last_without_record, "", detail)
        return UploadRefused(Refusal.TOO_LITTLE, detail, [problem], dict(self._rejections.counts))


class Effort:
    """Processor time of an upload in this thread, and its budget, which grows with what is stored of it."""

    def __init__(self, sender_left: Callable[[], bool]) -> None:
        self._sender_left = sender_left
        self._began = time.thread_time()
        self._budget = float(settings.LDPSITE_UPLOAD_CPU_SECONDS)

    def add_stored(self, records: int, size: int) -> None:
        self._budget += records * SECONDS_PER_RECORD + size * SECONDS_PER_BYTE

    def check(self) -> None:
        """Raise `UploadRefused` if the budget is spent, or if the sender has left."""
        if self._sender_left():
            raise UploadRefused(
                Refusal.SENDER_LEFT, _("The connection was closed before the whole upload was checked.")
            )
        if time.thread_time() - self._began > self._budget:
            raise UploadRefused(
                Refusal.TOO_COSTLY,
                _("The upload takes too much work for the reports in it. Send less that cannot be used."),
            )

    def watch(self, items: Iterable[T], every: int = 1) -> Iterator[T]:
        """Pass items on, and check after each so many of them."""
        for number, item in enumerate(items, 1):
            if number % every == 0:
                self.check()
            yield item
