"""PostgreSQL without an installation: a private server in the data folder, on a unix socket, no TCP.

`database()` holds it for as long as a process uses it; `url()` names it, running or not. A process
that holds it for long looks with `is_running()` and has it back with `start_again()`.
"""

from ldpsite.embedded.places import EmbeddedDatabaseError, log, url
from ldpsite.embedded.supervisor import database, is_running, remove, start_again

__all__ = ["EmbeddedDatabaseError", "database", "is_running", "log", "remove", "start_again", "url"]
