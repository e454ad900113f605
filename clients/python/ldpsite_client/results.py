"""Results: rows with their intervals, and where they come from."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar

from ldpsite_client import panel_charts, row_charts
from ldpsite_client.rows import ChangeRow, ComparisonRow, HistogramRow, LocaleRow, SiteChangeRow, TrendPoint, WordRow

if TYPE_CHECKING:
    import pandas
    from plotly.graph_objects import Figure

Row = TypeVar("Row", bound=Mapping[str, Any])
# As many rows as a chart has, if it is not told.
SHOWN = 20


@dataclass(frozen=True)
class Result(Generic[Row]):
    """Document of the API: its rows, and what they have in common."""

    document: dict[str, Any]

    # Where the rows stand, and the fields that each of them has at least.
    _rows: ClassVar[str] = "entries"
    _row: ClassVar[type] = HistogramRow

    @property
    def rows(self) -> list[Row]:
        rows: list[Row] = self.document[self._rows]
        return rows

    @property
    def provenance(self) -> dict[str, Any]:
        """All that the rows have in common: use case, version, mechanism with its ε, window, n, threshold, …"""
        return {name: value for name, value in self.document.items() if name != self._rows}

    @property
    def address(self) -> str:
        """The page that shows exactly this."""
        return str(self.document["address"])

    @property
    def confidence(self) -> float:
        """The level of all intervals, and of bounds of what is below a threshold."""
        return float(self.document["confidence"])

    def __iter__(self) -> Iterator[Row]:
        return iter(self.rows)

    def __len__(self) -> int:
        return len(self.rows)

    def to_frame(self) -> "pandas.DataFrame":
        """Return a data frame of the rows, in their order. Its `attrs` are the provenance. Needs pandas."""
        try:
            import pandas
        except ModuleNotFoundError as error:
            if error.name != "pandas":
                raise
            raise ModuleNotFoundError(
                "Data frames need pandas: pip install 'ldpsite-client[pandas]'", name="pandas"
            ) from error
        fields = self.rows[0] if self.rows else self._row.__annotations__
        frame = pandas.DataFrame(self.rows, columns=list(fields))
        for name in _DAYS.intersection(frame.columns):
            frame[name] = pandas.to_datetime(frame[name])
        frame.attrs = self.provenance
        return frame


_WINDOWS = {f"{window}_{day}" for window in ("now", "before") for day in ("first_day", "last_day")}
_DAYS = frozenset({"first_day", "last_day", "first_seen", "last_seen", *_WINDOWS})


class _OneWindow(Result[Row]):
    """Result about one locale and window."""

    @property
    def locale(self) -> str:
        return str(self.document["locale"])

    @property
    def first_day(self) -> date:
        return date.fromisoformat(self.document["first_day"])

    @property
    def last_day(self) -> date:
        return date.fromisoformat(self.document["last_day"])


class _Counted(_OneWindow[Row]):
    @property
    def n(self) -> int:
        """The number of reports in the window."""
        return int(self.document["n"])

    def plot(self, top: int = SHOWN) -> "Figure":
        """Draw the first rows as bars with their intervals, and the threshold. Needs plotly, as all charts do."""
        return row_charts.histogram(self.document, self.rows[:top])


class Histogram(_Counted[HistogramRow]):
    """Histogram of a window. What is below the threshold is in no row, which does not mean zero."""

    @property
    def threshold(self) -> float | None:
        """In reports. None where groups are counted: each has its own."""
        threshold: float | None = self.document["threshold"]
        return threshold


class WordList(_Counted[WordRow]):
    """Words that were discovered in a window."""

    _row = WordRow


class Comparison(Result[ComparisonRow]):
    """Two locales or two windows side by side, in shares of reports."""

    _row = ComparisonRow

    @property
    def false_discovery_rate(self) -> float:
        """The part of the differences called clear that is only chance: on average no more than this."""
        return float(self.document["false_discovery_rate"])

    def plot(self, top: int = SHOWN) -> "Figure":
        """Draw the first rows: a point with its interval on either side."""
        return row_charts.comparison(self.document, self.rows[:top])


class Changes(Result[ChangeRow]):
    """Changes from one window to the next, in all locales: clear changes first, by size."""

    _row = ChangeRow

    @property
    def clear(self) -> list[ChangeRow]:
        """The rows that are called clear: "up", "down", "new" (above the threshold now) or "gone"."""
        return [row for row in self.rows if row["change"] != "uncertain"]

    @property
    def false_discovery_rate(self) -> float:
        """The part of the changes called clear that is only chance: on average no more than this."""
        return float(self.document["false_discovery_rate"])

    def plot(self, top: int = SHOWN) -> "Figure":
        """Draw the first rows: differences in percentage points with their intervals, by what each change is."""
        return row_charts.changes(self.document, self.rows[:top])


class SiteChanges(Result[SiteChangeRow]):
    """Clear changes of the newest week in all use cases: a test over all of them together decides which are clear."""

    _row = SiteChangeRow

    @property
    def false_discovery_rate(self) -> float:
        """The part of the changes called clear that is only chance: on average no more than this."""
        return float(self.document["false_discovery_rate"])


class AllLocales(Result[LocaleRow]):
    """Elements in the top of some locale, in all of them: a row for each element and locale."""

    _row = LocaleRow

    @property
    def standing_out(self) -> list[LocaleRow]:
        """The rows with clearly "more", or "less", than in the other locales together."""
        return [row for row in self.rows if row["standing"] != "not-clear"]

    def plot(self) -> "Figure":
        """Draw a panel for each locale with its top, all on one scale."""
        return panel_charts.all_locales(self.document, self.rows)


class Trend(_OneWindow[TrendPoint]):
    """Elements of a locale over days: a row for each window and element."""

    _rows = "points"
    _row = TrendPoint

    def plot(self) -> "Figure":
        """Draw a panel for each element: its share with the band of its intervals, and the threshold."""
        return panel_charts.trend(self.document, self.rows)
