"""Lines ``q,j,y`` of a position, or 0 for the whole word, a row number and a bucket, and their records."""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Final

import numpy as np

from ...arrays import Array
from ...encoding import (
    COORDINATE_OUT_OF_RANGE,
    MALFORMED,
    ROW_OUT_OF_RANGE,
    LineFormat,
    Number,
    bucket_dtype,
    pack_buckets,
)
from ...registry import ParsedRecords
from ..fragment_puzzle import WORDS
from ..local_hashing.encoding import bucket_lines
from .parameters import Parameters

# The position of a report that is about the whole word.
WHOLE: Final = 0

# Rows k and buckets g of a sketch.
Shape = tuple[int, int]


def sampled_line(position: int, bucket: str) -> str:
    """Return the line ``q,j,y`` of a position and the line of a bucket."""
    return f"{position},{bucket}"


def sampled_lines(parts: Mapping[str, Array], fragment_shape: Shape, word_shape: Shape) -> list[str]:
    """Return the lines of the ``position`` and ``record`` of reports, in their order."""
    positions, records = parts["position"], parts["record"]
    lines = np.empty(len(positions), object)
    for chosen, (_k, g) in ((positions == WHOLE, word_shape), (positions != WHOLE, fragment_shape)):
        buckets = bucket_lines(records[chosen], g)
        lines[chosen] = list(map(sampled_line, positions[chosen].tolist(), buckets))
    found: list[str] = lines.tolist()
    return found


def parse_sampled(
    lines: Sequence[object], positions: range, fragment_shape: Shape, word_shape: Shape
) -> tuple[dict[str, Array], list[tuple[int, str]]]:
    """Check and read lines ``q,j,y``.

    Parameters
    ----------
    lines : sequence of object
        What a document holds; anything may be in it.
    positions : range
        The positions q of fragments; 0 is the whole word.
    fragment_shape, word_shape : tuple of int
        Rows k and buckets g of the two sketches.

    Returns
    -------
    parts : dict of ndarray
        ``position`` (uint8) and ``record`` (of dtype ``bucket_dtype()``) of the good reports, in order.
    rejected : list of (int, str)
        Index in the input and reason for each of the others, in order: ``malformed_record`` where the grammar does not
        hold or there is no such position, else ``row_out_of_range``, else ``coordinate_out_of_range``, by the sketch
        that the position says.

    References
    ----------
    The report format, sections 4 and 5.1.
    """
    whole = np.fromiter((isinstance(line, str) and line[:2] == f"{WHOLE}," for line in lines), bool, len(lines))
    found = np.empty(len(lines), np.uint8), np.empty(len(lines), bucket_dtype())
    good, rejected = np.ones(len(lines), bool), list[tuple[int, str]]()
    for chosen, values, shape in ((whole, range(1), word_shape), (~whole, positions, fragment_shape)):
        places = np.flatnonzero(chosen)
        parts, refused = _format(values, shape).parse([lines[place] for place in places.tolist()])
        bad = [int(places[place]) for place, _reason in refused]
        rejected += zip(bad, (reason for _place, reason in refused), strict=True)
        good[bad] = False
        for array, part in zip(found, parts, strict=True):
            array[chosen & good] = part
    return dict(zip(("position", "record"), (array[good] for array in found), strict=True)), sorted(rejected)


@lru_cache(maxsize=64)
def _format(positions: range, shape: Shape) -> LineFormat:
    k, g = shape
    fields = (
        Number(positions, MALFORMED),
        Number(range(k), ROW_OUT_OF_RANGE),
        Number(range(g), COORDINATE_OUT_OF_RANGE),
    )
    return LineFormat(
        fields, lambda position, rows, buckets: (position.astype(np.uint8), pack_buckets(rows, buckets, g))
    )


class Encoding(Parameters):
    """Lines of reports, and their records: of words in one stream, of fragments in one for each position."""

    @property
    def report_characters(self) -> int:
        longest = sampled_line(self.positions[-1], "")
        words = len(sampled_line(WHOLE, "")) + self.words.report_characters
        return max(words, len(longest) + self.fragments.report_characters)

    @property
    def report_bytes(self) -> int:
        # A report is in one stream alone.
        return max(self.words.report_bytes, self.fragments.report_bytes)

    @property
    def report_streams(self) -> tuple[str, ...]:
        return self.streams

    def reports_in(self, sizes: Mapping[str, int]) -> int:
        return sum(sizes.get(stream, 0) for stream in self.streams)

    def format_records(self, parts: Mapping[str, Array]) -> list[str]:
        return sampled_lines(parts, self.fragment_shape, self.word_shape)

    def parse_records(self, records: Sequence[object]) -> ParsedRecords:
        parts, rejected = parse_sampled(records, self.positions, self.fragment_shape, self.word_shape)
        return ParsedRecords(self.split(parts), rejected)

    def split(self, parts: Mapping[str, Array]) -> dict[str, Array]:
        positions = ((WORDS, WHOLE), *((self.fragment_stream(each), each) for each in self.positions))
        return {stream: parts["record"][parts["position"] == position] for stream, position in positions}
