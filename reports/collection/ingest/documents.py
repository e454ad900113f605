"""Checks of a document's content, and the version each of its segments belongs to."""

import datetime
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, NamedTuple

from django.db.models import QuerySet
from django.utils.translation import gettext as _

from aggregation.registry import parameter_names, parameter_types
from reports.collection.ingest.limits import Lines
from reports.collection.ingest.problems import Rejections, broken
from reports.collection.ingest.transport import DuplicateKey, NotJson, Overfull, TextLine, decode, decode_ambiguous
from reports.models import UseCase, Version

FORMAT_VERSION = 1
MAX_SEGMENTS = 64
DOCUMENT_FIELDS = {"version", "segments"}
SEGMENT_FIELDS = {"use_case", "locale", "algorithm", "parameters", "records"}


@dataclass(frozen=True, eq=False)
class Target:
    """Version and locale of a segment's records. Targets are shared, so that comparing them costs nothing."""

    version: Version
    locale: str


class Segment(NamedTuple):
    """Records that go to one target, and where they stood."""

    target: Target
    records: list[object]
    line: int
    position: int
    characters: int


class _Malformed(Exception):
    """Raised with the reason, the pointer and words."""


class _Refused(NamedTuple):
    """Refusal of a segment: reason, the field that decided, words."""

    reason: str
    field: str
    detail: str


class Resolver:
    """Tells by use case, locale, algorithm and parameters which version a segment means.

    Definitions are read once, in one statement: an upload is judged by those in force when it began. A use case without
    a version is not known yet. `day` is the day that the reports belong to, today unless given.
    """

    def __init__(self, use_cases: QuerySet[UseCase], today: datetime.date, day: datetime.date | None = None) -> None:
        self._today = today
        self._day = day or today
        self.use_cases: set[UseCase] = set()
        self._locales: dict[str, set[str]] = {}
        self._versions: dict[tuple[object, ...], Version] = {}
        self._targets: dict[tuple[object, ...], Target] = {}
        for version in Version.objects.filter(use_case__in=use_cases).select_related("use_case"):
            slug = version.use_case.slug
            self.use_cases.add(version.use_case)
            self._locales.setdefault(slug, set()).update(version.locales)
            if version.state != Version.State.DRAFT:
                wire = _exact(version.mechanism.encoded_parameters())
                self._versions[slug, version.algorithm, *sorted(wire.items())] = version

    def resolve(self, segment: dict[str, Any]) -> Target | _Refused:
        # Parameters are numbers and texts by now, so that equal keys mean equal JSON (4 and 4.0 are equal).
        key = (segment["use_case"], segment["algorithm"], *sorted(segment["parameters"].items()))
        locale = segment["locale"]
        target = self._targets.get((locale, *key))
        if target is not None:
            return target
        answer = self._resolve(key, locale)
        if isinstance(answer, Target):
            self._targets[locale, *key] = answer
        return answer

    def _resolve(self, key: tuple[Any, ...], locale: str) -> Target | _Refused:
        locales = self._locales.get(key[0])
        if locales is None:
            return _Refused("unknown_use_case", "use_case", _("There is no such use case."))
        if locale not in locales:
            return _Refused("unknown_locale", "locale", _("The use case does not declare this locale."))
        version = self._versions.get(key)
        if version is None:
            detail = _("No version has this algorithm and exactly these parameters.")
            return _Refused("parameters_mismatch", "parameters", detail)
        if version.use_case.state == UseCase.State.PAUSED:
            return _Refused("version_closed", "use_case", _("The use case is paused and accepts no reports."))
        if version.use_case.state == UseCase.State.ARCHIVED:
            return _Refused("version_closed", "use_case", _("The use case is archived and accepts no reports."))
        if not version.accepts_reports(self._today):
            return _Refused("version_closed", "parameters", _("This version no longer accepts reports."))
        if self._day < version.use_case.first_day_kept(self._today):
            detail = _("The use case no longer keeps raw reports of this day.")
            return _Refused("version_closed", "use_case", detail)
        if locale not in version.locales:
            return _Refused("unknown_locale", "locale", _("This version does not declare this locale."))
        return Target(version, locale)


def _exact(parameters: dict[str, Any]) -> dict[str, Any]:
    """Turn floats into decimals: documents are read with exact ones, and 0.1 is not the float next to it."""
    return {name: Decimal(repr(value)) if isinstance(value, float) else value for name, value in parameters.items()}


def segments(found: Iterable[TextLine], resolver: Resolver, rejections: Rejections, lines: Lines) -> Iterator[Segment]:
    """Yield the segments that may be stored. Whatever else there is goes to `rejections`, in the smallest unit."""
    for line in found:
        if not line.text:
            lines.add_blank(line.number)
            continue
        document = _document(line, rejections, lines)
        for position, segment in enumerate(document):
            target = resolver.resolve(segment)
            if isinstance(target, Target):
                yield Segment(target, segment["records"], line.number, position, len(line.text) // len(document))
            else:
                count = max(1, len(segment["records"]))
                rejections.add(target.reason, count, line.number, f"/segments/{position}/{target.field}", target.detail)
    lines.end()


def _document(line: TextLine, rejections: Rejections, lines: Lines) -> list[dict[str, Any]]:
    """Return the segments of a document; none if it is dropped. Raises `UploadRefused` for a text that may be cut."""
    document: Any = None
    try:
        document, is_ambiguous = _decoded(line.text)
        if is_ambiguous:
            raise _Malformed("malformed_document", "", _("A key stands twice."))
        _check_document(document)
        reason = None
    except NotJson as error:
        if not line.ended:
            raise broken(str(error), line.number) from None
        lines.add_broken()
        reason, pointer, detail = "malformed_document", "", str(error)
    except Overfull:
        reason, pointer, detail = "malformed_document", "", _("It holds more than a document may.")
    except _Malformed as error:
        reason, pointer, detail = error.args
    records = _count_records(document)
    if reason is not None:
        # A document dropped without a record in it still counts, or its loss would not show.
        rejections.add(reason, max(1, records), line.number, pointer, detail)
    lines.add(line.number, has_records=records > 0)
    return [] if reason is not None else document["segments"]


def _decoded(text: str) -> tuple[object, bool]:
    """Return the document, and whether a key stands twice in it."""
    try:
        return decode(text), False
    except DuplicateKey:
        return decode_ambiguous(text), True


def _count_records(document: object) -> int:
    found = document.get("segments") if isinstance(document, dict) else None
    records = [item.get("records") for item in found if isinstance(item, dict)] if isinstance(found, list) else []
    return sum(len(item) for item in records if isinstance(item, list))


def _check_fields(content: dict[str, Any], expected: set[str], pointer: str) -> None:
    if content.keys() == expected:
        return
    if content.keys() - expected:
        # The name of the field is the sender's text, so it is not repeated.
        raise _Malformed("unknown_field", pointer, _("It has a field that is not allowed here."))
    missing = ", ".join(sorted(expected - content.keys()))
    raise _Malformed("malformed_document", pointer, _("Missing: %(fields)s.") % {"fields": missing})


def _is_number(value: object) -> bool:
    # `true` would equal 1.
    return type(value) is int or type(value) is Decimal


def _check_document(document: object) -> None:
    if type(document) is not dict:
        raise _Malformed("malformed_document", "", _("A document must be an object."))
    _check_fields(document, DOCUMENT_FIELDS, "")
    if not _is_number(document["version"]):
        raise _Malformed("malformed_document", "/version", _("The version must be a number."))
    if document["version"] != FORMAT_VERSION:
        raise _Malformed("wrong_version", "/version", _("This server reads only version 1 of the format."))
    found = document["segments"]
    if type(found) is not list or not 1 <= len(found) <= MAX_SEGMENTS:
        raise _Malformed("malformed_document", "/segments", _("There must be a list of 1 to 64 segments."))
    for position, segment in enumerate(found):
        _check_segment(segment, f"/segments/{position}")


def _check_segment(segment: object, pointer: str) -> None:
    if type(segment) is not dict:
        raise _Malformed("malformed_document", pointer, _("A segment must be an object."))
    _check_fields(segment, SEGMENT_FIELDS, pointer)
    for name in ("use_case", "locale", "algorithm"):
        if type(segment[name]) is not str:
            raise _Malformed("malformed_document", f"{pointer}/{name}", _("This must be a text."))
    parameters = segment["parameters"]
    if type(parameters) is not dict:
        raise _Malformed("malformed_document", f"{pointer}/parameters", _("The parameters must be an object."))
    # Any name that no algorithm has is a place to hide something, not a mismatch.
    if not parameters.keys() <= parameter_names():
        raise _Malformed("unknown_field", f"{pointer}/parameters", _("It has a field that is not allowed here."))
    types = parameter_types()
    for name, value in parameters.items():
        # True and 1 are equal: only the one that the parameter may be is taken.
        if not (type(value) is bool if types.get(name) is bool else type(value) is str or _is_number(value)):
            raise _Malformed(
                "malformed_document", f"{pointer}/parameters/{name}", _("This must be a number or a text.")
            )
    records = segment["records"]
    if type(records) is not list:
        raise _Malformed("malformed_document", f"{pointer}/records", _("The records must be a list."))
    if not set(map(type, records)) <= {str}:
        # Anything but a text is malformed, whatever it is: so it is not kept until its block is checked.
        segment["records"] = [record if type(record) is str else None for record in records]
