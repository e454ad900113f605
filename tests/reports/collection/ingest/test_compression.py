"""gzip and zstd: what is damaged refuses the upload, and no upload grows larger than the limits, nor the memory."""

import gzip
import zlib
from io import BytesIO

import pytest
import zstandard
from pytest_django import Settings

from reports.collection.ingest import Encoding, Receipt, Refusal, Upload, UploadRefused, ingest
from reports.collection.ingest import transport as transport_module
from reports.collection.ingest.compression import GZIP_FED_BYTES, decompressed
from reports.collection.ingest.transport import texts
from reports.models import UseCase
from tests.reports.factories import (
    assert_nothing_left,
    document,
    memory_below,
    ndjson,
    packed,
    record_lines,
    refused,
    segment,
)

pytestmark = [pytest.mark.exact, pytest.mark.usefixtures("version")]

GOOD = ndjson(document(segment(record_lines(3))))
PACKED: tuple[Encoding, ...] = ("gzip", "zstd")
BOTH = pytest.mark.parametrize("encoding", PACKED)
# RFC 8878, 3.1.2: a magic number, a length, anything.
SKIPPABLE = b"\x50\x2a\x4d\x18" + (300).to_bytes(4, "little") + b"x" * 300


def receive(body: bytes, encoding: Encoding) -> Receipt:
    return ingest(Upload(BytesIO(body), "ndjson", encoding), UseCase.objects.all())


def refusal(body: bytes, encoding: Encoding) -> UploadRefused:
    found = refused(Upload(BytesIO(body), "ndjson", encoding))
    assert_nothing_left()
    return found


def zstd(body: bytes, **parameters: int) -> bytes:
    """A frame that does not say how large its content is, as streams do."""
    compressor = zstandard.ZstdCompressor(
        compression_params=zstandard.ZstdCompressionParameters(**parameters)
    ).compressobj()
    return compressor.compress(body) + compressor.flush()


@BOTH
def test_members_end_to_end_are_read_as_one(encoding: Encoding) -> None:
    parts = [GOOD, b"", GOOD[:50], GOOD[50:]]
    assert receive(b"".join(packed(part, encoding) for part in parts), encoding).accepted == 6


@BOTH
def test_pieces_of_any_size_are_read(encoding: Encoding, monkeypatch: pytest.MonkeyPatch) -> None:
    for read_bytes in (1, 7, 255, 256, 257, 1 << 18):
        monkeypatch.setattr(transport_module, "READ_BYTES", read_bytes)
        assert receive(2 * packed(GOOD, encoding), encoding).accepted == 6


def test_zstd_frames_of_every_kind_are_read() -> None:
    for what, body in {
        "of unknown size": zstd(GOOD),
        "checksum": zstd(GOOD, write_checksum=1),
        "the largest window": zstd(GOOD, compression_level=19, window_log=23),
        "skippable in front": SKIPPABLE + zstd(GOOD),
        "skippable between and behind": zstd(GOOD[:40]) + SKIPPABLE + SKIPPABLE + zstd(GOOD[40:]) + SKIPPABLE,
    }.items():
        assert receive(body, "zstd").accepted == 3, what


def test_zstd_that_holds_nothing_is_empty() -> None:
    for body in (b"", zstd(b""), SKIPPABLE):
        assert refusal(body, "zstd").refusal == Refusal.EMPTY


def damaged(encoding: Encoding) -> dict[str, bytes]:
    whole = gzip.compress(GOOD) if encoding == "gzip" else zstd(GOOD, write_checksum=1)
    return {
        "plain": GOOD,
        "the other": packed(GOOD, "zstd" if encoding == "gzip" else "gzip"),
        "cut in the header": whole[:5],
        "cut in the middle": whole[: len(whole) // 2],
        "cut in the checksum": whole[:-1],
        "second cut": whole + whole[:-9],
        "second cut in the magic number": whole + whole[:1],
        "wrong checksum": whole[:-8] + bytes(4) + whole[-4:] if encoding == "gzip" else whole[:-4] + bytes(4),
        "something behind it": whole + b"more" * 5,
        "a bit flipped": whole[:60] + bytes([whole[60] ^ 0x10]) + whole[61:],
    }


@BOTH
def test_damaged_data_refuses_the_upload(encoding: Encoding) -> None:
    for what, body in damaged(encoding).items():
        error = refusal(body, encoding)
        assert error.refusal == Refusal.BROKEN, what
        assert encoding in error.detail, what


def test_a_skippable_frame_that_is_cut_short_refuses_the_upload() -> None:
    assert "cut short" in refusal(zstd(GOOD) + SKIPPABLE[:-1], "zstd").detail


def test_a_window_above_8_mib_is_refused_in_words() -> None:
    error = refusal(zstd(GOOD, window_log=24), "zstd")
    assert error.refusal == Refusal.BROKEN
    assert "8 MiB" in error.detail
    assert "--long" in error.detail


@BOTH
def test_a_bomb_does_not_fill_the_memory(encoding: Encoding, settings: Settings) -> None:
    settings.LDPSITE_MAX_DECOMPRESSED_BYTES = 8 << 20
    spaces = b" " * (64 << 20)
    bomb = gzip.compress(spaces, 1) if encoding == "gzip" else zstd(spaces)
    assert len(bomb) < 1 << 20
    del spaces
    with memory_below(24 << 20):
        assert refused(Upload(BytesIO(bomb), "json", encoding)).refusal == Refusal.TOO_LARGE


def test_a_bomb_of_lines_does_not_fill_the_memory() -> None:
    """Zstd, whose decompressor hands out 8 MiB at once; gzip's is asked for pieces."""
    # The short ones take more than ten times their size as a list, 14 MiB.
    lines = b"ab\n" * (1 << 18) + (b" " * 65535 + b"\n") * 192
    bomb = zstd(lines)
    del lines
    # The decompressor's output at once, and a list of the lines in a slice of it; all of its lines make 30 MiB.
    with memory_below(16 << 20):
        # An upload is refused long before the end of them.
        assert sum(1 for _line in texts(decompressed(iter([bomb]), "zstd"), "ndjson")) == (1 << 18) + 192


def test_many_small_ones_of_gzip_are_not_copied_again_and_again(monkeypatch: pytest.MonkeyPatch) -> None:
    members, fed = 5_000, 0
    make = zlib.decompressobj

    class Counting:
        def __init__(self, wbits: int) -> None:
            self._member = make(wbits)

        def __getattr__(self, name: str) -> object:
            return getattr(self._member, name)

        def decompress(self, data: bytes, size: int) -> bytes:
            nonlocal fed
            fed += len(data)
            return self._member.decompress(data, size)

    monkeypatch.setattr(zlib, "decompressobj", Counting)
    body = gzip.compress(b"") * members
    assert b"".join(decompressed(iter([body]), "gzip")) == b""
    assert len(body) <= fed <= len(body) + members * GZIP_FED_BYTES


@BOTH
def test_many_small_ones_do_not_fill_the_memory(encoding: Encoding) -> None:
    body = BytesIO(packed(b"  ", encoding) * 20_000)
    with memory_below(2 << 20):
        assert refused(Upload(body, "json", encoding)).refusal == Refusal.EMPTY
