import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from aggregation.encoding import MALFORMED
from aggregation.errors import ParameterError
from aggregation.registry import ParsedRecords

from .parameters import Parameters

BOXES: Final = ("heads", "tails")
_LINE: Final = re.compile("(heads|tails),(0|[1-9][0-9]{0,8})")


class Encoding(Parameters):
    """Lines ``box,letter``; a record is the letter's number, which the box of tails counts from the end."""

    @property
    def streams(self) -> tuple[str, ...]:
        return BOXES

    @property
    def report_streams(self) -> tuple[str, ...]:
        return BOXES

    def reports_in(self, sizes: Mapping[str, int]) -> int:
        return sum(sizes.get(box, 0) for box in BOXES)

    @property
    def report_characters(self) -> int:
        return len(f"heads,{len(self.letters) - 1}")

    @property
    def report_bytes(self) -> int:
        return 4

    def record_dtype(self, stream: str) -> np.dtype[Any]:
        if stream not in BOXES:
            raise ParameterError("stream", "There are heads and tails only.")
        return np.dtype([("letter", ">u4")])

    def format_records(self, parts: Mapping[str, NDArray[Any]]) -> list[str]:
        return [f"{BOXES[box]},{letter}" for box, letter in zip(parts["box"], parts["letter"], strict=True)]

    def parse_records(self, records: Sequence[object]) -> ParsedRecords:
        matches = [_LINE.fullmatch(line) if isinstance(line, str) else None for line in records]
        good = [
            (BOXES.index(match[1]), int(match[2]))
            for match in matches
            if match is not None and int(match[2]) < len(self.letters)
        ]
        bad = [i for i, match in enumerate(matches) if match is None or int(match[2]) >= len(self.letters)]
        box, letter = np.array(good, np.int64).reshape(-1, 2).T
        return ParsedRecords(self.split({"box": box, "letter": letter}), [(i, MALFORMED) for i in bad])

    def split(self, parts: Mapping[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
        return {
            name: self.flipped(name, parts["letter"][parts["box"] == place]).astype(">u4").view(self.record_dtype(name))
            for place, name in enumerate(BOXES)
        }

    def flipped(self, stream: str, letter: NDArray[Any]) -> NDArray[np.int64]:
        """Turn letters into what their box counts, and back."""
        return letter.astype(np.int64) if stream == "heads" else len(self.letters) - 1 - letter.astype(np.int64)
