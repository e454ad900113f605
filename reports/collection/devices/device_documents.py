"""Taking in the document of one device: all of its records in one commit, each a row that is tied to no other."""

import hashlib
import hmac
from collections.abc import Iterable
from dataclasses import dataclass

from django.conf import settings
from django.utils.translation import gettext as _

from reports.collection.devices.definitions_in_force import Budget, Definitions, definitions_in_force
from reports.collection.devices.device_records import Rows, insert
from reports.collection.ingest.documents import Segment, segments
from reports.collection.ingest.limits import Lines
from reports.collection.ingest.problems import (
    DESCRIBED_PROBLEMS,
    Problem,
    Refusal,
    Rejections,
    UploadRefused,
    nothing_left,
)
from reports.collection.ingest.reasons import reason_in_words
from reports.collection.ingest.transport import texts

# Short ones might be guessed, or drawn twice.
SHORTEST_KEY, LONGEST_KEY = 16, 255


@dataclass(frozen=True)
class Key:
    """The random text that a device sends with a document, and with that document again if no answer came."""

    text: str

    @property
    def well_formed(self) -> bool:
        visible = self.text.isascii() and self.text.isprintable() and " " not in self.text
        return visible and SHORTEST_KEY <= len(self.text) <= LONGEST_KEY

    def digest(self) -> bytes:
        secret = hashlib.sha256(b"ldpsite device key\0" + settings.SECRET_KEY.encode()).digest()
        return hmac.digest(secret, self.text.encode(), "sha256")


@dataclass(frozen=True)
class Answer:
    """Response to a device, identical when the device sends its document again."""

    accepted: int
    rejected: dict[str, int]


def take_in(body: bytes, key: Key) -> Answer:
    """Check a device's document and store what passes, once for each key. Raises `UploadRefused`.

    A document with more records than a device may send in a day is refused: its maker does not keep the
    promise that its owner was given.
    """
    definitions = definitions_in_force()
    rejections = Rejections()
    lines = texts(iter([body]), "json")
    found = list(segments(lines, definitions.resolver, rejections, Lines(rejections)))
    _check_limits(found, definitions)
    rows, accepted = Rows(), 0
    for segment in found:
        accepted += _add_records(segment, rows, rejections)
    if not accepted:
        raise nothing_left(rejections)
    insert(rows, key.digest(), definitions.today)
    return Answer(accepted, dict(rejections.counts))


def _check_limits(found: Iterable[Segment], definitions: Definitions) -> None:
    sent: dict[Budget, list[Segment]] = {}
    for segment in found:
        sent.setdefault(definitions.budgets[segment.target.version.use_case_id], []).append(segment)
    problems = [
        Problem(segment.line, f"/segments/{segment.position}", _over_limit(budget))
        for budget, those in sent.items()
        if sum(len(segment.records) for segment in those) > budget.daily_limit
        for segment in those
    ]
    if problems:
        raise UploadRefused(Refusal.OVER_LIMIT, problems[0].detail, problems[:DESCRIBED_PROBLEMS])


def _over_limit(budget: Budget) -> str:
    if budget.group is None:
        words = _(
            "The document has more records of the use case “%(name)s” than one device may send in a day: send at"
            " most %(limit)s. Nothing of it is stored."
        )
    else:
        words = _(
            "The document has more records of use cases of the budget group “%(name)s” than one device may send in a"
            " day: send at most %(limit)s of all of them together. Nothing of it is stored."
        )
    return words % {"name": budget.name, "limit": budget.daily_limit}


def _add_records(segment: Segment, rows: Rows, rejections: Rejections) -> int:
    """Add the good records of a segment; returns how many reports these are."""
    parsed = segment.target.version.mechanism.parse_records(segment.records)
    for index, reason in parsed.rejected:
        pointer = f"/segments/{segment.position}/records/{index}"
        rejections.add(reason, 1, segment.line, pointer, reason_in_words(reason))
    for stream, records in parsed.streams.items():
        if len(records):
            rows.add(segment.target, stream, records)
    return len(segment.records) - len(parsed.rejected)
