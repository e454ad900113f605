"""PostgreSQL without an installation: a private server in the data folder, on a unix socket, no TCP.

`database()` holds it for as long as a process uses it; `url()` names it, running or not.
"""

from ldpsite.embedded.places import EmbeddedDatabaseError, url
from ldpsite.embedded.supervisor import database, remove

__all__ = ["EmbeddedDatabaseError", "database", "remove", "url"]
