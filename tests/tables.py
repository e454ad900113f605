"""The tables of the site, made once in a run of the tests: each process of pytest-xdist copies them."""

import fcntl
import os

import psycopg
from django.db import connection

from ldpsite.env import data_dir, env


def template() -> str:
    """Return the name of a database with the tables and no sessions, made by the first process that asks."""
    ours = connection.settings_dict
    before = ours["NAME"], ours["TEST"]["NAME"]
    name = f"{before[0]}_tables"
    with data_dir().joinpath("tables").open("a") as done:
        fcntl.flock(done, fcntl.LOCK_EX)
        if not os.fstat(done.fileno()).st_size:
            ours["TEST"]["NAME"] = name
            try:
                connection.creation.create_test_db(verbosity=0, autoclobber=True, serialize=False)
            finally:
                connection.close()
                ours["NAME"], ours["TEST"]["NAME"] = before
            done.write(name)
    return name


def drop_template() -> None:
    """Drop it, if it was made. For the process that all others have ended before."""
    if data_dir().joinpath("tables").exists():
        with psycopg.connect(env("DATABASE_URL"), autocommit=True) as server:
            name = f"{server.info.dbname}_tables"
            server.execute(f'DROP DATABASE IF EXISTS "{name}"'.encode())
