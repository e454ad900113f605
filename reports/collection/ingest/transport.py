"""Bytes to documents: limits, lines, strict JSON. Streams, so that memory does not grow with size."""

import codecs
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from pathlib import PurePath
from typing import Any, BinaryIO, Literal, NamedTuple, NoReturn, TypeAlias

from django.conf import settings
from django.utils.translation import gettext as _

from reports.collection.ingest.compression import Encoding, decompressed
from reports.collection.ingest.limits import Effort
from reports.collection.ingest.problems import Refusal, UploadRefused, broken, too_large

Format: TypeAlias = Literal["json", "ndjson"]

READ_BYTES = 1 << 18
# A document larger than this would have to be held in memory whole.
DOCUMENT_BYTES = 64 << 20
# From this size on an upload may not be so many times what was received. The noise of reports cannot be packed so
# tightly: at ε = 16, the largest, a bit is flipped with probability 1/(e⁸ + 1), so that four of them, a character, have
# 1/455 of its eight bits of information. Vectors of 32,768 such bits shrink to 1/200, the usual ones to 1/3.
MOST_EXPANSION = 500
EXPANSION_FROM_BYTES = 64 << 20
# All that JSON knows; `str.strip` would take away more.
JSON_SPACE = " \t\n\r"

# A text from this length on (in characters) is looked over before it is decoded.
LARGE_TEXT = 1 << 20
# Lists, objects, fields, numbers: far more than any document has, and still small in memory.
MOST_PARTS = 1 << 16
# Characters of the shortest record of any algorithm, with its comma: a row, and two digits for 8 bits, the least m. A
# subset of one element is shorter, and large documents of these are refused: smaller ones hold them.
SHORTEST_RECORD = len('"0,0",')

_FORMAT_SUFFIXES: dict[str, Format] = {".json": "json", ".ndjson": "ndjson"}
_ENCODING_SUFFIXES: dict[str, Encoding] = {"": "identity", ".gz": "gzip", ".zst": "zstd"}
# How a file is written, by the end of its name.
SUFFIXES: dict[str, tuple[Format, Encoding]] = {
    form + packing: (_FORMAT_SUFFIXES[form], _ENCODING_SUFFIXES[packing])
    for packing in _ENCODING_SUFFIXES
    for form in _FORMAT_SUFFIXES
}


def known_suffix(name: str) -> str | None:
    """Return the one of `SUFFIXES` that ends a file's name, behind something else."""
    file = PurePath(name).name.lower()
    return next((suffix for suffix in SUFFIXES if file.endswith(suffix) and file != suffix), None)


@dataclass(frozen=True)
class Upload:
    """An upload's bytes, with the format and encoding that the sender declares.

    `length` is the promised number of bytes, if known; `sender_left` tells whether the answer would not arrive.
    """

    stream: BinaryIO
    format: Format
    encoding: Encoding = "identity"
    length: int | None = None
    sender_left: Callable[[], bool] = lambda: False


class TextLine(NamedTuple):
    """The text of a document, without the white space around, and whether a line feed ended it."""

    number: int
    text: str
    ended: bool


class NotJson(ValueError):
    """A text cannot be read. Says why, without repeating it."""


class DuplicateKey(ValueError):
    """An object names a key twice, so that two readers could understand it differently."""


class Overfull(ValueError):
    """A text has more in it than a document can have: decoded, it might take thirty times its size in memory."""


def _read(upload: Upload) -> bytes:
    try:
        return upload.stream.read(READ_BYTES)
    except OSError:  # the connection broke, or the disk
        raise broken(_("The upload could not be read to the end. Send it again.")) from None


class _Received:
    """Bytes as they came, and their number so far."""

    def __init__(self, upload: Upload) -> None:
        self._upload = upload
        self.size = 0

    def chunks(self) -> Iterator[bytes]:
        while chunk := _read(self._upload):
            self.size += len(chunk)
            if self.size > settings.LDPSITE_MAX_RECEIVED_BYTES:
                raise too_large(_("The upload is larger than this server takes; split it."))
            yield chunk
        if self._upload.length is not None and self.size < self._upload.length:
            raise broken(_("The upload was cut short: fewer bytes came than were announced. Send it again."))


def plain_chunks(upload: Upload, effort: Effort) -> Iterator[bytes]:
    """Yield the decompressed bytes, never more than the limits allow. Raises `UploadRefused`."""
    received, size = _Received(upload), 0
    # Watched on both sides: a few bytes may become many pieces, and many bytes none.
    for chunk in effort.watch(decompressed(effort.watch(received.chunks()), upload.encoding)):
        size += len(chunk)
        if size > settings.LDPSITE_MAX_DECOMPRESSED_BYTES:
            raise too_large(_("The upload is larger than this server takes once decompressed; split it."))
        if size > max(EXPANSION_FROM_BYTES, MOST_EXPANSION * received.size):
            raise UploadRefused(
                Refusal.EXPANDS,
                _("Decompressed, the upload is more than 500 times as large. Noised reports never are."),
            )
        yield chunk


def texts(chunks: Iterator[bytes], form: Format) -> Iterator[TextLine]:
    """Yield every line (blank ones empty), or a plain JSON upload as a whole. Blank text at the end is left out.

    Raises `UploadRefused`.
    """
    line = 1
    begun = bytearray()  # the document so far; not a list of pieces, for these may be tiny
    for chunk in chunks:
        *complete, rest = chunk.split(b"\n") if form == "ndjson" else (chunk,)
        for part in complete:
            begun += part
            yield TextLine(line, _text(line, begun), True)
            line += 1
        begun += rest
        if len(begun) > DOCUMENT_BYTES:
            raise too_large(_("A document is larger than 64 MiB; split it into several."))
    if text := _text(line, begun):
        yield TextLine(line, text, False)


def _text(line: int, raw: bytearray) -> str:
    """Take a document's bytes away and decode them, without the white space around."""
    if line == 1 and raw.startswith(codecs.BOM_UTF8):
        raise broken(_("The upload begins with a byte-order mark; write UTF-8 without one."), line)
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError:
        raise broken(_("The text is not UTF-8."), line) from None
    raw.clear()
    return text.strip(JSON_SPACE)


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    content = dict(pairs)
    if len(content) != len(pairs):
        raise DuplicateKey
    return content


def _no_constant(name: str) -> NoReturn:
    raise ValueError(name)  # NaN and Infinity are not JSON


class _Numbers:
    """Reads so many numbers and no more: in the text they cannot be counted, for `1e1` also stands in hex digits."""

    def __init__(self) -> None:
        self._left = MOST_PARTS

    def whole(self, text: str) -> int:
        self._count()
        return int(text)

    def decimal(self, text: str) -> Decimal:
        self._count()
        return Decimal(text)

    def _count(self) -> None:
        self._left -= 1
        if self._left < 0:
            raise Overfull


_strict = json.JSONDecoder(object_pairs_hook=_object, parse_float=Decimal, parse_constant=_no_constant)
_lenient = json.JSONDecoder(parse_float=Decimal, parse_constant=_no_constant)


def decode(text: str) -> Any:
    """Return the document. Raises `NotJson`, `DuplicateKey` if it is ambiguous, or `Overfull`."""
    return _decode(_strict if len(text) < LARGE_TEXT else _looked_over(text, strict=True), text)


def decode_ambiguous(text: str) -> Any:
    """Return the document, with the last value of duplicate keys: only good for counting what is thrown away.

    Raises `NotJson` or `Overfull`.
    """
    return _decode(_lenient if len(text) < LARGE_TEXT else _looked_over(text, strict=False), text)


def _looked_over(text: str, *, strict: bool) -> json.JSONDecoder:
    """Return a decoder for a large text, once that is known to have no more in it than fits into memory."""
    # None of these occurs in the texts of a document, save for quotes that are escaped to no purpose.
    parts = text.count("[") + text.count("{") + text.count(":")
    strings = text.count('"') // 2
    if parts > MOST_PARTS or strings > len(text) // SHORTEST_RECORD + MOST_PARTS:
        raise Overfull
    numbers = _Numbers()
    return json.JSONDecoder(
        object_pairs_hook=_object if strict else None,
        parse_int=numbers.whole,
        parse_float=numbers.decimal,
        parse_constant=_no_constant,
    )


def _decode(decoder: json.JSONDecoder, text: str) -> Any:
    try:
        document, end = decoder.raw_decode(text)
    except (DuplicateKey, Overfull):
        raise
    except (ValueError, InvalidOperation, RecursionError):  # the second by exponents beyond all bounds
        # The decoder's own words may quote the text, so they are not passed on.
        raise NotJson(_("This is not JSON, or it is cut short.")) from None
    if end != len(text):
        raise NotJson(_("Something follows the JSON document; for several, write one a line, as NDJSON."))
    return document
