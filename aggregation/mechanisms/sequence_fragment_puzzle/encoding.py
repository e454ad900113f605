"""Lines ``q,j',hex',j,hex`` of a position and two vectors of bits, a fragment's and its word's, and their records."""

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from ...encoding import (
    BITS,
    MALFORMED,
    NUMBER,
    ROW_OUT_OF_RANGE,
    WRONG_LENGTH,
    Parts,
    bit_vector_dtype,
    bits_at,
    is_below,
    join_lines,
    numbers_before,
    opaque,
    parse_blocks,
)
from ...errors import ParameterError, shown
from ...registry import ParsedRecords
from ..count_mean_sketch import CountMeanSketch, bit_vector_lines
from ..one_sketch import STREAM
from .parameters import Parameters

# The stream of words; of fragments there is one for every position.
WORDS: Final = "element"

# Rows k and bits m of a sketch.
Shape = tuple[int, int]

_LINE: Final = re.compile(f"{NUMBER},{NUMBER},{BITS},{NUMBER},{BITS}")


def fragment_line(position: int, fragment: str, word: str) -> str:
    """Return the line ``q,j',hex',j,hex`` that joins the lines of a fragment and of its word."""
    return f"{position},{fragment},{word}"


def fragment_lines(parts: Mapping[str, NDArray[Any]]) -> list[str]:
    """Return the lines of the ``position``, ``fragment`` and ``element`` of reports, in their order."""
    fragments, words = bit_vector_lines(parts["fragment"]), bit_vector_lines(parts["element"])
    return list(map(fragment_line, parts["position"].tolist(), fragments, words))


def parse_fragments(
    lines: Sequence[object], positions: Sequence[int], fragment_shape: Shape, word_shape: Shape
) -> tuple[dict[str, NDArray[Any]], list[tuple[int, str]]]:
    """Check and read lines ``q,j',hex',j,hex``.

    Parameters
    ----------
    lines : sequence of object
        What a document holds; anything may be in it.
    positions : sequence of int
        The positions q there are, ascending.
    fragment_shape, word_shape : tuple of int
        Rows k and bits m of the two sketches.

    Returns
    -------
    parts : dict of ndarray
        ``position`` (uint8), ``fragment`` and ``element`` (of dtype ``bit_vector_dtype(m)``) of the good reports, in
        order, the parts of one report in the same place.
    rejected : list of (int, str)
        Index in the input and reason for each of the others, in order: ``malformed_record`` where the grammar does not
        hold or there is no such position, else ``row_out_of_range`` where that is so of either row, else
        ``wrong_length`` where that is so of either vector.

    References
    ----------
    The report format, sections 4 and 5.1.
    """
    known = frozenset(map(str, positions))
    (position, fragment, word), rejected = parse_blocks(
        lines,
        lambda line: _fault(line, known, fragment_shape, word_shape),
        lambda block: _read(block, positions, fragment_shape, word_shape),
    )
    return {"position": position, "fragment": fragment, "element": word}, rejected


def _fault(line: object, known: frozenset[str], fragment_shape: Shape, word_shape: Shape) -> str | None:
    """Return why one line is refused, or None; the definition that `_read` has to agree with."""
    match = _LINE.fullmatch(line) if isinstance(line, str) else None
    if match is None or match[1] not in known:
        return MALFORMED
    _position, fragment_row, fragment, word_row, word = match.groups()
    if not (is_below(fragment_row, fragment_shape[0]) and is_below(word_row, word_shape[0])):
        return ROW_OUT_OF_RANGE
    lengths = len(fragment), len(word)
    return None if lengths == (fragment_shape[1] // 4, word_shape[1] // 4) else WRONG_LENGTH


def _read_one(line: object, positions: Sequence[int], fragment_shape: Shape, word_shape: Shape) -> Parts | None:
    """Read a line alone, as single devices send it: what pays for thousands takes long for one."""
    if _fault(line, frozenset(map(str, positions)), fragment_shape, word_shape) is not None:
        return None
    place, fragment_row, fragment_digits, word_row, word_digits = str(line).split(",")
    fragment, word = np.empty(1, bit_vector_dtype(fragment_shape[1])), np.empty(1, bit_vector_dtype(word_shape[1]))
    fragment["row"], fragment["bits"] = int(fragment_row), np.frombuffer(bytes.fromhex(fragment_digits), np.uint8)
    word["row"], word["bits"] = int(word_row), np.frombuffer(bytes.fromhex(word_digits), np.uint8)
    return np.array([int(place)], np.uint8), fragment, word


def _read(lines: Sequence[object], positions: Sequence[int], fragment_shape: Shape, word_shape: Shape) -> Parts | None:
    """Read lines all at once, or return None if anything is wrong with any of them."""
    if len(lines) == 1:
        return _read_one(lines[0], positions, fragment_shape, word_shape)
    (fragment_k, fragment_m), (word_k, word_m) = fragment_shape, word_shape
    position = np.empty(len(lines), np.uint8)
    fragment, word = np.empty(len(lines), bit_vector_dtype(fragment_m)), np.empty(len(lines), bit_vector_dtype(word_m))
    if not len(lines):
        return position, fragment, word
    bound = positions[-1] + 1
    widest = len(str(max(bound, fragment_k, word_k)))
    joined = join_lines(lines, zeros=widest)
    # What is found below takes many times as much memory as the text, if that is all commas.
    longest = 3 * widest + fragment_m // 4 + word_m // 4 + len(",,,,")
    if joined is None or len(joined.text) > widest + longest * len(lines):
        return None
    text, ends = joined
    commas = np.flatnonzero(np.frombuffer(text, np.uint8) == ord(","))
    if len(commas) != 4 * len(lines):
        return None
    first, second, third, fourth = commas.reshape(-1, 4).T
    starts = np.concatenate(([widest], ends[:-1]))
    # Four commas a line on average; where these lengths are right, it is four in each.
    if (third - second - 1 != fragment_m // 4).any() or (ends - fourth - 1 != word_m // 4).any():
        return None
    found = numbers_before(text, first, first - starts, bound)
    fragment_row = numbers_before(text, second, second - first - 1, fragment_k)
    word_row = numbers_before(text, fourth, fourth - third - 1, word_k)
    if found is None or fragment_row is None or word_row is None:
        return None
    known = np.zeros(bound, np.bool_)
    known[list(positions)] = True
    if not known[found].all():
        return None
    fragment_bits, word_bits = bits_at(text, second + 1, fragment_m), bits_at(text, fourth + 1, word_m)
    if fragment_bits is None or word_bits is None:
        return None
    position[:] = found
    fragment["row"], fragment["bits"] = fragment_row, fragment_bits
    word["row"], word["bits"] = word_row, word_bits
    return position, fragment, word


class Encoding(Parameters):
    """Lines of reports, and their records: of words in one stream, of fragments in one for each position."""

    @property
    def report_characters(self) -> int:
        longest = len(str(self.positions[-1]))
        return longest + len(",,") + self.fragments.report_characters + self.words.report_characters

    @property
    def report_bytes(self) -> int:
        # A fragment is in the stream of its position alone.
        return self.words.report_bytes + self.fragments.report_bytes

    @property
    def streams(self) -> tuple[str, ...]:
        return (WORDS, *map(self.fragment_stream, self.positions))

    def fragment_stream(self, position: int) -> str:
        """Return the name of the stream of fragments from this position."""
        return f"fragment-{position}"

    @property
    def report_streams(self) -> tuple[str, ...]:
        return (WORDS,)

    def reports_in(self, sizes: Mapping[str, int]) -> int:
        return sizes.get(WORDS, 0)

    def format_records(self, parts: Mapping[str, NDArray[Any]]) -> list[str]:
        return fragment_lines(parts)

    def parse_records(self, records: Sequence[object]) -> ParsedRecords:
        fragments, words = self.fragments, self.words
        parts, rejected = parse_fragments(records, self.positions, (fragments.k, fragments.m), (words.k, words.m))
        return ParsedRecords(self.split(parts), rejected)

    def split(self, parts: Mapping[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
        items, dtype = opaque(parts["fragment"]), parts["fragment"].dtype
        streams = {WORDS: parts["element"]}
        for position in self.positions:
            mine = np.flatnonzero(parts["position"] == position)
            streams[self.fragment_stream(position)] = items.take(mine).view(dtype)
        return streams

    def record_dtype(self, stream: str) -> np.dtype[Any]:
        return self.sketch_of(stream).record_dtype(STREAM)

    def sketch_of(self, stream: str) -> CountMeanSketch:
        """Return the sketch that a stream's records are of."""
        if stream not in self.streams:
            raise ParameterError("stream", f"{self.algorithm} has no stream {shown(stream)}.")
        return self.words if stream == WORDS else self.fragments
