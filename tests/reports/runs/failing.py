"""Runs that cannot be published: what is left of them, until somebody retries."""

from collections.abc import Callable
from typing import Any

import pytest

from reports.jobs import finish_inline, retry
from reports.models import PendingFile, ReadOut, Run, Version
from reports.runs import start_run


def assert_nothing_half_done(
    version: Version, monkeypatch: pytest.MonkeyPatch, what: str, fail: Callable[..., Any], failure: str
) -> None:
    """With `fail` for `what` of publishing, a run leaves no read-out and no file; a retry finishes it."""
    run = start_run(version, ring=False)
    with monkeypatch.context() as context:
        context.setattr(f"reports.runs.publishing.{what}", fail)
        run = finish_inline(run)
    assert run.state == Run.State.FAILED
    assert failure in run.failure
    assert not ReadOut.objects.exists()
    assert not PendingFile.objects.exists()
    retry(run)
    assert finish_inline(run).state == Run.State.FINISHED
