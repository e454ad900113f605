"""Errors of a database that is away."""

from django.db import InterfaceError, OperationalError

# A request that needs a database that does not answer is told to come again after so many seconds: most of the time it
# is being started again.
RETRY_SECONDS = 10
# Beginnings of SQLSTATE: the connection failed, the server stops or starts, its disk is full or it has no connection
# left. An error without one comes from no server. All others are answers, if not the hoped for ones.
_AWAY = ("08", "57P", "53100", "53300")


def is_database_away(error: Exception) -> bool:
    """Tell whether the database does not answer, so that the same request may succeed later."""
    if isinstance(error, InterfaceError):  # of a connection that was lost before
        return True
    if not isinstance(error, OperationalError):
        return False
    state: str | None = getattr(error.__cause__, "sqlstate", None)
    return state is None or state.startswith(_AWAY)
