"""Doing something at the same time on several connections of the database."""

import threading
from collections.abc import Callable
from typing import TypeVar

from django.db import connection

Result = TypeVar("Result")


def together(times: int, action: Callable[[], Result]) -> list[Result]:
    """Call `action` in as many threads, which begin together; return what they returned, or raise what one raised."""
    barrier = threading.Barrier(times)
    results: list[Result] = []
    errors: list[BaseException] = []

    def run() -> None:
        try:
            connection.ensure_connection()
            barrier.wait(timeout=20)
            results.append(action())
        except BaseException as error:  # noqa: BLE001 - raised again below
            errors.append(error)
        finally:
            connection.close()

    threads = [threading.Thread(target=run) for _ in range(times)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=60)
    if errors:
        raise errors[0]
    assert len(results) == times
    return results
