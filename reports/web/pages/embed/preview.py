"""The picture that stands where the link of a chart is pasted: marks alone, for title and finding are words there."""

import re
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import groupby
from pathlib import Path
from struct import pack
from typing import Any, Final, TypeAlias

import numpy as np
from django.contrib.staticfiles import finders

# As those who show links ask for it.
WIDTH, HEIGHT = 1200, 630
_MARGIN, _GAP = 56, 40
# Rows of a chart; more would be too thin to be seen in a message.
_MOST_ROWS: Final = 12
_COLUMNS: Final = 3
_MOST_GRID_LINES: Final = 5
# Pixels of a point.
_RADIUS: Final = 8
_CHUNKS: Final = b"\x89PNG\r\n\x1a\n"

Numbers: TypeAlias = np.ndarray[Any, np.dtype[np.floating[Any]]]
Pixels: TypeAlias = np.ndarray[Any, np.dtype[np.uint8]]
# Rows and columns of some of these.
Places: TypeAlias = tuple[np.ndarray[Any, np.dtype[np.integer[Any]]], ...]
Figure: TypeAlias = Mapping[str, Any]


@cache
def _colours() -> dict[str, Numbers]:
    """Return the colours of the style sheet in light mode, by their names."""
    sheet = Path(str(finders.find("reports/look.css"))).read_text(encoding="utf-8")
    found = re.findall(r"--([\w-]+): light-dark\(#([0-9a-f]{6})\b", sheet)
    return {name: np.array([*bytes.fromhex(digits)], dtype=np.float32) for name, digits in found}


def picture(figure: Figure) -> bytes:
    """Draw a figure as `figures.shaped` returns it, and return it as a PNG."""
    # As bytes, that is quicker than pixel by pixel.
    surface = _colours()["surface"].astype(np.uint8).tobytes()
    canvas = np.frombuffer(bytearray(surface * (WIDTH * HEIGHT)), dtype=np.uint8).reshape(HEIGHT, WIDTH, 3)
    groups = [[*group] for _axis, group in groupby(sorted(figure["data"], key=_axis_of), key=_axis_of)]
    columns = min(len(groups), _COLUMNS) or 1
    rows = -(-len(groups) // columns) or 1
    wide = (WIDTH - 2 * _MARGIN - (columns - 1) * _GAP) // columns
    high = (HEIGHT - 2 * _MARGIN - (rows - 1) * _GAP) // rows
    for place, traces in enumerate(groups):
        row, column = divmod(place, columns)
        top, left = _MARGIN + row * (high + _GAP), _MARGIN + column * (wide + _GAP)
        _Panel.of(canvas[top : top + high, left : left + wide], traces, figure["layout"]).draw()
    return _png(canvas)


def _axis_of(trace: Figure) -> int:
    return int(str(trace.get("yaxis", "y"))[1:] or 1)


def _numbers(values: Sequence[Any]) -> Numbers:
    """Return places on an axis; days as seconds."""
    if isinstance(next((value for value in values if value is not None), None), str):
        days = np.array(values, dtype="datetime64[s]")
        return np.where(np.isnat(days), np.nan, days.astype(np.float64))
    return np.array([np.nan if value is None else value for value in values], dtype=np.float64)


@dataclass(frozen=True)
class _Panel:
    """Part of the canvas with the traces of one pair of axes, and the ends of these."""

    part: Pixels
    traces: Sequence[Figure]
    layout: Figure
    has_rows: bool
    x: tuple[float, float]
    y: tuple[float, float]

    @classmethod
    def of(cls, part: Pixels, traces: Sequence[Figure], layout: Figure) -> "_Panel":
        has_rows = "ticktext" in layout["yaxis"] and layout["yaxis"].get("type") == "linear"
        x, y = (np.concatenate([[], *(_ends(trace, axis) for trace in traces)]) for axis in ("x", "y"))
        if has_rows:
            bottom = min(layout["yaxis"]["range"][0], _MOST_ROWS - 0.5)
            return cls(part, traces, layout, has_rows, _span(x), (bottom, -0.5))
        return cls(part, traces, layout, has_rows, (np.nanmin(x, initial=np.inf), np.nanmax(x, initial=0.0)), _span(y))

    def across(self, x: Any) -> Numbers:
        low, high = self.x
        return np.asarray((x - low) / ((high - low) or 1.0) * (self.part.shape[1] - 1))

    def down(self, y: Any) -> Numbers:
        low, high = self.y
        return np.asarray((high - y) / ((high - low) or 1.0) * (self.part.shape[0] - 1))

    def draw(self) -> None:
        self._grid()
        for trace in self.traces:
            role = trace["meta"]["role"]
            if role.startswith("band-"):
                continue
            # Uncertain bars stand back.
            colour = _colours().get(role, _colours()["line"])
            if trace["type"] == "bar":
                self._bars(trace, colour)
            elif "lines" in trace["mode"] and not self.has_rows:
                self._line(trace, colour)
            elif "markers" in trace["mode"]:
                self._points(trace, colour)
        for shape in self.layout.get("shapes", ()):
            if shape.get("name") == "threshold" and self.has_rows:
                x, ends = self.across(shape["x0"]), (shape["y0"], shape["y1"])
                top, bottom = (0, self.part.shape[0]) if shape["yref"] == "paper" else sorted(map(self.down, ends))
                self._fill(x - 1, x + 1, top, bottom, _colours()["threshold"])

    def _grid(self) -> None:
        low, high = self.x if self.has_rows else self.y
        for tick in _ticks(low, high):
            if self.has_rows:
                self._fill(self.across(tick) - 0.5, self.across(tick) + 0.5, 0, self.part.shape[0], _colours()["line"])
            else:
                self._fill(0, self.part.shape[1], self.down(tick) - 0.5, self.down(tick) + 0.5, _colours()["line"])

    def _fill(self, left: Any, right: Any, top: Any, bottom: Any, colour: Numbers) -> None:
        columns, rows = sorted((round(float(left)), round(float(right)))), (int(top), int(np.ceil(bottom)))
        self.part[max(rows[0], 0) : max(rows[1], 0), max(columns[0], 0) : max(columns[1], 0)] = colour

    def _bars(self, trace: Figure, colour: Numbers) -> None:
        values = _numbers(trace["x"])
        for place, (value, row) in enumerate(zip(values, trace["y"], strict=True)):
            self._fill(self.across(0.0), self.across(value), self.down(row - 0.33), self.down(row + 0.33), colour)
            self._interval(trace, place, value, row, _colours()["ink"])

    def _interval(self, trace: Figure, place: int, value: float, row: float, colour: Numbers) -> None:
        error = trace.get("error_x")
        if error:
            ends = self.across(value - error["arrayminus"][place]), self.across(value + error["array"][place])
            self._fill(*ends, self.down(row) - 1, self.down(row) + 1, colour)

    def _points(self, trace: Figure, colour: Numbers) -> None:
        x, y = _numbers(trace["x"]), _numbers(trace["y"])
        known = np.flatnonzero(np.isfinite(x) & np.isfinite(y))
        for place in map(int, known):
            self._interval(trace, place, x[place], y[place], colour)
        # Hundreds differ in their place alone, in whole pixels; beyond the edges there is room for half of each. Rows
        # that there is no room for lie farther off.
        reach, (rows, width) = np.arange(-_RADIUS, _RADIUS + 1, dtype=np.float32), self.part.shape[:2]
        point = np.clip(_RADIUS - np.hypot(reach[:, None], reach), 0, 1)
        cover = np.zeros((rows + 2 * _RADIUS, width + 2 * _RADIUS), dtype=np.float32)
        places = (np.rint(each[known]).astype(int) for each in (self.down(y), self.across(x)))
        for row, column in {*zip(*(each.tolist() for each in places), strict=True)}:
            if 0 <= row < rows and 0 <= column < width:
                near = cover[row : row + len(point), column : column + len(point)]
                np.maximum(near, point, out=near)
        cover = cover[_RADIUS:-_RADIUS, _RADIUS:-_RADIUS]
        covered = np.nonzero(cover > 0)
        _blend(self.part, covered, cover[covered], colour)

    def _line(self, trace: Figure, colour: Numbers) -> None:
        """Draw runs without a gap, each over the band of its intervals; there may be hundreds."""
        x, y, (rows, width) = self.across(_numbers(trace["x"])), self.down(_numbers(trace["y"])), self.part.shape[:2]
        known = np.flatnonzero(np.isfinite(y))
        if not len(known):
            return
        x, y = x[known], y[known]
        begins, ends = (np.flatnonzero(np.diff(known, **{side: -2}) != 1) for side in ("prepend", "append"))
        of_run = np.full(width, -1)
        covered, runs = _between(np.floor(x[begins]), np.floor(x[ends]), width)
        of_run[covered] = runs
        # From here on, of columns with a run alone; where runs meet, the last has it.
        columns = np.flatnonzero(of_run >= 0)
        run = of_run[columns]
        at = np.clip(columns, x[begins][run], x[ends][run])
        if custom := trace.get("customdata"):
            low, high = (
                np.interp(at, x, self.down(np.array([custom[each][side] for each in known]))) for side in (0, 1)
            )
            row, place = _between(high, low, rows)
            _blend(self.part, (row, columns[place]), np.full(len(row), 0.2), colour)
        middle = np.interp(at, x, y)
        # As thick upwards as sideways, however steep it is.
        is_beside = run[1:] == run[:-1]
        steps, counts = (np.pad(each, (1, 1)) for each in (np.diff(middle) * is_beside, is_beside.astype(int)))
        slope = np.hypot(1, (steps[1:] + steps[:-1]) / np.maximum(counts[1:] + counts[:-1], 1))
        reach = (1.0 if trace["meta"]["role"] == "quiet" else 2.5) * slope + 0.5
        row, place = _between(middle - reach, middle + reach, rows)
        _blend(self.part, (row, columns[place]), np.clip(reach[place] - np.abs(row - middle[place]), 0, 1), colour)


def _between(above: Numbers, below: Numbers, rows: int) -> Places:
    """Return the pixels of each column from one height down to another, which are few of all."""
    top, end = np.clip(np.ceil(above), 0, rows).astype(int), np.clip(np.floor(below) + 1, 0, rows).astype(int)
    counts = np.maximum(end - top, 0)
    columns = np.repeat(np.arange(len(counts)), counts)
    return np.arange(len(columns)) + np.repeat(top - np.cumsum(counts) + counts, counts), columns


def _blend(part: Pixels, covered: Places, cover: Numbers, colour: Numbers) -> None:
    # Colour by colour: NumPy is quick along many pixels, not along three colours.
    below = np.array(part[covered].T, dtype=np.float32, order="C")
    part[covered] = np.rint(below + cover.astype(np.float32) * (colour[:, None] - below)).T


def _ends(trace: Figure, axis: str) -> Numbers:
    """Return how far a trace reaches along an axis, with its intervals."""
    values = _numbers(trace[axis])
    error, custom = trace.get(f"error_{axis}"), trace.get("customdata")
    found = [values]
    if error:
        found += [values - np.array(error["arrayminus"]), values + np.array(error["array"])]
    if axis == "y" and custom:
        found.append(np.array([end for ends in custom if ends for end in ends], dtype=np.float64))
    return np.concatenate(found)


def _span(values: Numbers) -> tuple[float, float]:
    """Return an axis from 0 that all values are on."""
    low, high = np.nanmin(values, initial=0.0), np.nanmax(values, initial=0.0)
    return float(low), float(high + 0.04 * (high - low)) or 1.0


def _ticks(low: float, high: float) -> Iterator[float]:
    apart = 10.0 ** np.floor(np.log10((high - low) or 1.0))
    step = next(part * apart for part in (0.2, 0.5, 1, 2) if (high - low) / (part * apart) <= _MOST_GRID_LINES)
    return iter(np.arange(np.ceil(low / step), np.floor(high / step) + 1) * step)


def _png(pixels: Pixels) -> bytes:
    """Return eight bits for each of three colours as a PNG, each line as what differs from the one above."""
    height, width = pixels.shape[:2]
    lines = np.full((height, 1 + 3 * width), 2, dtype=np.uint8)
    lines[:, 1:] = np.diff(pixels.reshape(height, -1), axis=0, prepend=np.uint8(0))
    parts = [
        (b"IHDR", pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)),
        (b"IDAT", zlib.compress(lines.data, 1)),
        (b"IEND", b""),
    ]
    return _CHUNKS + b"".join(
        pack(">I", len(content)) + name + content + pack(">I", zlib.crc32(name + content)) for name, content in parts
    )
