"""Comparison query: two sides and the part of the result to show, written in the URL."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from urllib.parse import urlencode

from django.utils.translation import gettext as _

from reports.results.query import HistogramQuery, QueryError

DEFAULT_SORT = "difference"
# Rows may come in these orders, either way round. All but the names also decide which rows the top N are.
ORDERS = (DEFAULT_SORT, "significance", "first", "second", "name")
COMPARISON_SORTS = (*ORDERS, *(f"-{order}" for order in ORDERS))
# The second side has the parameters of the first, under names that begin like this.
OTHER = "other-"
_OF_SIDE = ("locale", "from", "to", "days")
_SWAPPED = {"first": "second", "-first": "-second", "second": "first", "-second": "-first"}


@dataclass(frozen=True)
class ComparisonQuery:
    """Two locales or two windows of a version, and the rows to show. What is None takes the default.

    Of the two sides only locale and window count.
    """

    first: HistogramQuery = field(default_factory=HistogramQuery)
    second: HistogramQuery = field(default_factory=HistogramQuery)
    version: int | None = None
    top: int | None = None
    search: str = ""
    sort: str = DEFAULT_SORT

    @classmethod
    def from_parameters(cls, parameters: Mapping[str, str]) -> "ComparisonQuery":
        """Read a query string. Empty values are defaults, as a form sends them. Raises `QueryError`."""
        common = {name: parameters.get(name, "") for name in ("version", "top", "q")}
        parsed = HistogramQuery.from_parameters(common)
        sort = parameters.get("sort") or DEFAULT_SORT
        if sort not in COMPARISON_SORTS:
            raise QueryError("sort", _("Sort by one of: %(sorts)s.") % {"sorts": ", ".join(COMPARISON_SORTS)})
        return cls(
            first=_side(parameters, ""),
            second=_side(parameters, OTHER),
            version=parsed.version,
            top=parsed.top,
            search=parsed.search,
            sort=sort,
        )

    @property
    def locale(self) -> str | None:
        """The locale of the first side, with which other pages go on."""
        return self.first.locale

    def without(self, name: str) -> "ComparisonQuery":
        """Return the query with one field of a side, given by its name in the URL, at its default."""
        if name.startswith(OTHER):
            return replace(self, second=self.second.without(name.removeprefix(OTHER)))
        return replace(self, first=self.first.without(name))

    def swapped(self) -> "ComparisonQuery":
        """Return the query with its sides exchanged."""
        return replace(self, first=self.second, second=self.first, sort=_SWAPPED.get(self.sort, self.sort))

    def parameters(self) -> dict[str, str]:
        """The query string's content, without defaults: the same view always has the same address."""
        own = HistogramQuery(version=self.version, top=self.top, search=self.search).parameters()
        return {
            **self.first.parameters(),
            **{f"{OTHER}{name}": value for name, value in self.second.parameters().items()},
            **own,
            **({"sort": self.sort} if self.sort != DEFAULT_SORT else {}),
        }

    def encoded(self) -> str:
        return urlencode(self.parameters())


def _side(parameters: Mapping[str, str], prefix: str) -> HistogramQuery:
    try:
        return HistogramQuery.from_parameters({name: parameters.get(prefix + name, "") for name in _OF_SIDE})
    except QueryError as error:
        raise QueryError(prefix + error.field, str(error)) from None
