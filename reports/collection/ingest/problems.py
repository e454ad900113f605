"""Problems of an upload, in words that never repeat its content."""

import sys
from collections import Counter
from dataclasses import dataclass, field
from enum import StrEnum

from django.utils.translation import gettext as _

# More than this many are counted, not described.
DESCRIBED_PROBLEMS = 20


class Refusal(StrEnum):
    """Reason for refusing a whole upload; the last part of the problem type in the API."""

    EMPTY = "empty-upload"
    BROKEN = "broken-upload"
    TOO_LARGE = "upload-too-large"
    NOTHING_USABLE = "nothing-usable"
    NOT_STRICT = "strict-upload-refused"
    WRONG_DAY = "day-not-open"
    KEY_REUSED = "idempotency-key-reused"
    OVER_LIMIT = "over-daily-limit"
    STORAGE_UNAVAILABLE = "storage-unavailable"
    TOO_LITTLE = "too-little-in-upload"
    EXPANDS = "decompression-bomb"
    TOO_COSTLY = "upload-too-costly"
    SENDER_LEFT = "connection-closed"
    BUSY = "too-many-uploads"


@dataclass(frozen=True, slots=True)
class Problem:
    """A problem's line (1 for a plain JSON document), JSON pointer into that line, and description."""

    line: int
    pointer: str
    detail: str

    def __str__(self) -> str:
        place = f"line {self.line}" + (f", {self.pointer}" if self.pointer else "")
        return f"{place}: {self.detail}"

    def place(self) -> tuple[int, ...]:
        """Sorts problems as they stand in the upload: by line, then by the numbers in the pointer."""
        return self.line, *(int(step) for step in self.pointer.split("/") if step.isdigit())


class UploadRefused(Exception):
    """The whole upload is refused; nothing of it is stored.

    With `retry_after` nothing is wrong with it: it may be sent again in so many seconds.
    """

    def __init__(
        self,
        refusal: Refusal,
        detail: str,
        problems: list[Problem] | None = None,
        rejected: dict[str, int] | None = None,
        *,
        retry_after: int | None = None,
    ) -> None:
        super().__init__(detail)
        self.refusal = refusal
        self.detail = detail
        self.problems = problems or []
        self.rejected = rejected or {}
        self.retry_after = retry_after

    def __str__(self) -> str:
        """Describe the refusal in one line."""
        if not self.problems:
            return self.detail
        if self.problems[0].detail == self.detail:
            return str(self.problems[0])
        more = f" (and {len(self.problems) - 1} more)" if len(self.problems) > 1 else ""
        return f"{self.detail} {self.problems[0]}{more}"

    def place(self) -> tuple[int, ...]:
        """Return the sort key of the first problem; problems without a line come last."""
        return min((problem.place() for problem in self.problems), default=(sys.maxsize,))


def broken(detail: str, line: int | None = None) -> UploadRefused:
    """Return the error for a fault of the transport: there is no telling what the sender meant."""
    return UploadRefused(Refusal.BROKEN, detail, [Problem(line, "", detail)] if line else [])


def too_large(detail: str) -> UploadRefused:
    return UploadRefused(Refusal.TOO_LARGE, detail)


@dataclass
class Rejections:
    """Counts what is left out by reason and describes the first few. In strict mode the first one ends it all."""

    strict: bool = False
    counts: Counter[str] = field(default_factory=Counter)
    _described: list[Problem] = field(default_factory=list)

    def add(self, reason: str, records: int, line: int, pointer: str, detail: str) -> None:
        problem = Problem(line, pointer, detail)
        self.counts[reason] += records
        if self.strict:
            raise UploadRefused(
                Refusal.NOT_STRICT, _("Refused, as asked, at the first problem."), [problem], {reason: records}
            )
        if not self.enough:
            self._described.append(problem)

    @property
    def enough(self) -> bool:
        """Tell whether further problems are only counted."""
        return not self.strict and len(self._described) >= DESCRIBED_PROBLEMS

    @property
    def problems(self) -> list[Problem]:
        """Return the problems in upload order; records are checked later than the documents that contain them."""
        return sorted(self._described, key=Problem.place)


def nothing_left(rejections: Rejections) -> UploadRefused:
    """Return the error for an upload of which no record is left to store."""
    if not rejections.counts:
        return UploadRefused(Refusal.EMPTY, _("The upload holds no records."))
    return UploadRefused(
        Refusal.NOTHING_USABLE,
        _("Nothing in the upload could be used."),
        rejections.problems,
        dict(rejections.counts),
    )
