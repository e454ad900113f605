"""Options of Celery for its broker. The values were measured; see docs for what each broker does after a kill -9."""

from collections.abc import Mapping
from typing import Any

from psycopg.conninfo import make_conninfo

IN_DATABASE = "pgmq://database"
"""The broker is the project's own database: no second server on one machine. (kombu wants a host, and ignores it.)"""

WORKER_OPTIONS = ("--without-gossip", "--without-mingle", "--without-heartbeat")
"""Options of every worker: what they switch off is not read here, and over pgmq it fails, every two seconds."""

NOT_FOR_LIBPQ = {"pool", "server_side_binding", "isolation_level", "assume_role"}
"""Options of a Django database that are Django's own."""


def is_polled(broker_url: str) -> bool:
    return broker_url.startswith("pgmq:")


def transport_options(broker_url: str, database: Mapping[str, Any]) -> dict[str, Any]:
    """Return kombu's options for a broker; `database` is the Django database that IN_DATABASE means."""
    if is_polled(broker_url):
        options: dict[str, Any] = {
            # The schema comes with `migrate`; creating an extension takes rights that a project should not need.
            "init_extension": False,
            # A task whose worker died starts again after these seconds; one that takes longer runs beside itself.
            "visibility_timeout": 20,
            # Polling from the client: waiting inside the server keeps a worker from stopping. `use_notify` stalls.
            "wait_time_seconds": 0,
            "polling_interval": 0.1,
            "pool_size": 4,
            "pool_timeout": 10,
        }
        if broker_url == IN_DATABASE:
            options["conn_string"] = conninfo(database)
        return options
    if broker_url.startswith(("redis:", "rediss:", "unix:")):
        # With the default throttle a dead worker's tasks are looked for only every 100 s.
        return {"visibility_timeout": 30, "unacked_restore_throttle": 1}
    if broker_url.startswith(("amqp:", "amqps:", "pyamqp:")):
        return {"confirm_publish": True}
    return {}


def conninfo(database: Mapping[str, Any]) -> str:
    """Return a Django database as a libpq connection string."""
    options = {key: value for key, value in database.get("OPTIONS", {}).items() if key not in NOT_FOR_LIBPQ}
    return make_conninfo(
        host=database["HOST"] or None,
        port=database["PORT"] or None,
        user=database["USER"] or None,
        password=database["PASSWORD"] or None,
        dbname=database["NAME"],
        **options,
    )
