"""Lines ``j,y`` of a row number and a bucket, and how they are stored."""

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import numpy as np

from ...arrays import Array
from ...encoding import (
    COORDINATE_OUT_OF_RANGE,
    ROW_OUT_OF_RANGE,
    LineFormat,
    Number,
    bucket_dtype,
    pack_buckets,
    unpack_buckets,
)
from ..one_sketch import STREAM
from .parameters import Parameters


def bucket_line(row: int, bucket: int) -> str:
    """Return the line ``j,y`` of one row number and bucket."""
    return f"{row},{bucket}"


def bucket_lines(records: Array, g: int) -> list[str]:
    """Return the lines of stored buckets, in their order."""
    rows, buckets = unpack_buckets(records, g)
    return list(map(bucket_line, rows.tolist(), buckets.tolist()))


@lru_cache(maxsize=64)
def line_format(k: int, g: int) -> LineFormat:
    """Return the format of the lines of a sketch (report format, sections 4 and 5.1).

    A line is refused as ``row_out_of_range`` or ``coordinate_out_of_range`` where the grammar holds (in this order
    of precedence), else ``malformed_record``.
    """
    fields = (Number(range(k), ROW_OUT_OF_RANGE), Number(range(g), COORDINATE_OUT_OF_RANGE))
    return LineFormat(fields, lambda rows, buckets: (pack_buckets(rows, buckets, g),))


class Encoding(Parameters):
    """Lines and records of reports."""

    @property
    def report_characters(self) -> int:
        return len(bucket_line(self.k - 1, self.g - 1))

    @property
    def line_format(self) -> LineFormat:
        return line_format(self.k, self.g)

    def record_dtype(self, stream: str) -> np.dtype[Any]:
        self.check_stream(stream)
        return bucket_dtype()

    def format_records(self, parts: Mapping[str, Array]) -> list[str]:
        return bucket_lines(parts[STREAM], self.g)
