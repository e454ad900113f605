"""Forms send along what was chosen before, also when another version is chosen that does not have it."""

from collections.abc import Callable
from typing import Protocol, Self, TypeVar

from reports.results import NotInVersion


class Query(Protocol):
    """What is asked for."""

    def without(self, field: str, /) -> Self:
        """The same with the default of one field, which has the name of its parameter."""


Asked = TypeVar("Asked", bound=Query)
Found = TypeVar("Found")


def without_what_is_missing(find: Callable[[Asked], Found], query: Asked) -> Found:
    """What `find` answers to the query without what its version does not have. Raises `QueryError` for all else."""
    while True:
        try:
            return find(query)
        except NotInVersion as error:
            query = query.without(error.field)
