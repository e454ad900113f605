"""Taking compressed uploads apart, in pieces of bounded size whatever was sent."""

import zlib
from collections.abc import Callable, Iterator
from typing import Literal, TypeAlias

import zstandard
from django.utils.translation import gettext as _

from reports.collection.ingest.problems import broken

Encoding: TypeAlias = Literal["identity", "gzip", "zstd"]
Chunks: TypeAlias = Iterator[bytes]

PIECE_BYTES = 1 << 18
# The rest behind the end of a member is copied, member by member: so much of each of the smallest ones, and no more.
GZIP_FED_BYTES = 1 << 12
# A decompressor keeps this much of what came before: what RFC 9659 lets a sender expect.
ZSTD_WINDOW_BYTES = 8 << 20
# Four bytes can stand for 128 KiB, and the decompressor hands out all it can: so fed, at most 8 MiB at once.
ZSTD_FED_BYTES = 256


def decompressed(chunks: Chunks, encoding: Encoding) -> Chunks:
    """Yield the bytes behind the encoding. Raises `UploadRefused` for what is damaged, cut short or something else."""
    return _DECODERS[encoding](chunks)


def _slices(data: bytes, size: int) -> Chunks:
    return (data[start : start + size] for start in range(0, len(data), size))


def _gunzipped(chunks: Chunks) -> Chunks:
    member = zlib.decompressobj(wbits=31)
    started = False
    try:
        for chunk in chunks:
            for rest in _slices(chunk, GZIP_FED_BYTES):
                while rest:
                    if member.eof:  # gzip files may be joined end to end
                        member, started = zlib.decompressobj(wbits=31), False
                    piece = member.decompress(rest, PIECE_BYTES)
                    started = True
                    rest = member.unused_data if member.eof else member.unconsumed_tail  # noqa: PLW2901
                    if piece:
                        yield piece
            while not member.eof and (piece := member.decompress(b"", PIECE_BYTES)):
                yield piece
    except zlib.error:
        raise broken(_("The upload is declared as gzip, but is not, or is damaged.")) from None
    if started and not member.eof:
        raise broken(_("The gzip data is cut short. Send the upload again."))


def _unzstd(chunks: Chunks) -> Chunks:
    decompressor = zstandard.ZstdDecompressor(max_window_size=ZSTD_WINDOW_BYTES)
    frame = decompressor.decompressobj()
    started = False
    try:
        for chunk in chunks:
            for rest in _slices(chunk, ZSTD_FED_BYTES):
                while rest:
                    if frame.eof:  # frames may be joined end to end, too
                        frame = decompressor.decompressobj()
                    # A piece may be large, and taking it apart may need many times its size.
                    yield from _slices(frame.decompress(rest), PIECE_BYTES)
                    started = True
                    rest = frame.unused_data if frame.eof else b""  # noqa: PLW2901
    except zstandard.ZstdError as error:
        if "too much memory" in str(error):
            raise broken(
                _("The zstd data asks for a window of more than 8 MiB; compress it without --long and --ultra.")
            ) from None
        raise broken(_("The upload is declared as zstd, but is not, or is damaged.")) from None
    if started and not frame.eof:
        raise broken(_("The zstd data is cut short. Send the upload again."))


_DECODERS: dict[Encoding, Callable[[Chunks], Chunks]] = {
    "identity": lambda chunks: chunks,
    "gzip": _gunzipped,
    "zstd": _unzstd,
}
# Encodings that a sender may name.
ENCODINGS: tuple[Encoding, ...] = tuple(_DECODERS)
