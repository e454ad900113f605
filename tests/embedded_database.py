"""Give every run of the tests a data folder, and a database, before the settings are read.

A plugin (`-p tests.embedded_database`), because a conftest comes too late: pytest-django has read the settings by then.
With DATABASE_URL set, that server is used. Processes of pytest-xdist inherit what their controller has prepared.
"""

import os
import shutil
import tempfile
from collections.abc import Generator
from contextlib import ExitStack
from pathlib import Path

import pytest

from ldpsite import embedded
from ldpsite.env import env
from tests.tables import drop_template


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_load_initial_conftests(early_config: pytest.Config) -> Generator[None]:
    # A wrapper: plain implementations, pytest-django's among them, come after it.
    if "PYTEST_XDIST_WORKER" not in os.environ:
        stack = ExitStack()
        early_config.add_cleanup(stack.close)
        prepare(stack)
    return (yield)


def prepare(stack: ExitStack) -> None:
    folder = Path(tempfile.mkdtemp(prefix="ldpsite-tests-"))
    stack.callback(shutil.rmtree, folder, ignore_errors=True)
    # As root, the server runs under another account, which has to get in.
    folder.chmod(0o711)
    folder.joinpath("static").mkdir()
    os.environ["LDPSITE_DATA_DIR"] = str(folder)
    os.environ["LDPSITE_LOCAL_HTTP"] = "1"
    if not env("DATABASE_URL"):
        stack.callback(embedded.remove, folder)
        # In the environment, for the processes that the tests start: these may have data folders of their own.
        os.environ["DATABASE_URL"] = stack.enter_context(embedded.database(folder, durable=False))
        stack.callback(os.environ.pop, "DATABASE_URL")
    else:
        stack.callback(drop_template)
