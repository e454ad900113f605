"""Lines ``q,j',hex',j,hex`` of a position and two vectors of bits, a fragment's and its word's, and their records."""

from collections.abc import Mapping, Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from ...arrays import Array
from ...encoding import MALFORMED, ROW_OUT_OF_RANGE, Bits, LineFormat, Number, opaque, pack_bit_vectors
from ...registry import ParsedRecords
from ..count_mean_sketch.encoding import bit_vector_lines
from ..fragment_puzzle import WORDS
from .parameters import Parameters

# Rows k and bits m of a sketch.
Shape = tuple[int, int]


def fragment_line(position: int, fragment: str, word: str) -> str:
    """Return the line ``q,j',hex',j,hex`` that joins the lines of a fragment and of its word."""
    return f"{position},{fragment},{word}"


def fragment_lines(parts: Mapping[str, Array]) -> list[str]:
    """Return the lines of the ``position``, ``fragment`` and ``element`` of reports, in their order."""
    fragments, words = bit_vector_lines(parts["fragment"]), bit_vector_lines(parts["element"])
    return list(map(fragment_line, parts["position"].tolist(), fragments, words))


def parse_fragments(
    lines: Sequence[object], positions: range, fragment_shape: Shape, word_shape: Shape
) -> tuple[dict[str, Array], list[tuple[int, str]]]:
    """Check and read lines ``q,j',hex',j,hex``.

    Parameters
    ----------
    lines : sequence of object
        What a document holds; anything may be in it.
    positions : range
        The positions q there are.
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
    parts, rejected = _format(positions, fragment_shape, word_shape).parse(lines)
    return dict(zip(("position", "fragment", "element"), parts, strict=True)), rejected


@lru_cache(maxsize=64)
def _format(positions: range, fragment_shape: Shape, word_shape: Shape) -> LineFormat:
    fields: list[Number | Bits] = [Number(positions, MALFORMED)]
    for k, m in (fragment_shape, word_shape):
        fields += [Number(range(k), ROW_OUT_OF_RANGE), Bits(m)]
    return LineFormat(fields, _parts)


def _parts(
    position: Array,
    fragment_row: Array,
    fragment_bits: NDArray[np.uint8],
    word_row: Array,
    word_bits: NDArray[np.uint8],
) -> tuple[Array, ...]:
    fragments, words = pack_bit_vectors(fragment_row, fragment_bits), pack_bit_vectors(word_row, word_bits)
    return position.astype(np.uint8), fragments, words


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
    def report_streams(self) -> tuple[str, ...]:
        return (WORDS,)

    def reports_in(self, sizes: Mapping[str, int]) -> int:
        return sizes.get(WORDS, 0)

    def format_records(self, parts: Mapping[str, Array]) -> list[str]:
        return fragment_lines(parts)

    def parse_records(self, records: Sequence[object]) -> ParsedRecords:
        fragments, words = self.fragments, self.words
        parts, rejected = parse_fragments(records, self.positions, (fragments.k, fragments.m), (words.k, words.m))
        return ParsedRecords(self.split(parts), rejected)

    def split(self, parts: Mapping[str, Array]) -> dict[str, Array]:
        items, dtype = opaque(parts["fragment"]), parts["fragment"].dtype
        streams = {WORDS: parts["element"]}
        for position in self.positions:
            mine = np.flatnonzero(parts["position"] == position)
            streams[self.fragment_stream(position)] = items.take(mine).view(dtype)
        return streams
