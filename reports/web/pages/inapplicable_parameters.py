"""Forms send along what was chosen before, also when another version is chosen that does not have it."""

from collections.abc import Callable
from typing import Protocol, Self, TypeVar

from reports.results import NotInVersion


class Query(Protocol):
    """A query with parameters that can be dropped."""

    def without(self, field: str, /) -> Self:
        """Return the query with the default of one field, which has the name of its parameter."""


Asked = TypeVar("Asked", bound=Query)
Found = TypeVar("Found")


def without_what_is_missing(find: Callable[[Asked], Found], query: Asked) -> Found:
    """Ask `find` without the parameters that the version does not have. Raises `QueryError` for all other errors."""
    while True:
        try:
            return find(query)
        except NotInVersion as error:
            query = query.without(error.field)
