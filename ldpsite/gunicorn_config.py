"""Settings by which gunicorn serves the site: `gunicorn -c python:ldpsite.gunicorn_config`. Its command line wins."""

import gc
import logging
import os
from pathlib import Path

from gunicorn.glogging import Logger

from ldpsite.env import data_dir, env

# Where processes count what /metrics tells; prometheus_client reads it when it is imported. Two servers on one data
# folder need one each, as the second to start would delete what the first counts.
if env("LDPSITE_METRICS_TOKEN"):
    os.environ.setdefault("PROMETHEUS_MULTIPROC_DIR", str(data_dir() / "metrics"))


def forget_request(record: logging.LogRecord) -> bool:
    """Drop gunicorn's line about a request that it cannot read, and take addresses out of those about its failures.

    The line repeats the request, has a time, and may be about an upload. Who sent it is told what is wrong with it.
    """
    if str(record.msg).startswith("Invalid request"):
        return False
    if str(record.msg).startswith("Error handling request"):
        record.msg, record.args = "Error handling request", ()
    return True


class WebServerLogger(Logger):
    def setup(self, cfg: object) -> None:
        super().setup(cfg)
        self.error_log.addFilter(forget_request)


def on_starting(_server: object) -> None:
    """Begin to count anew: each process that ever was would keep a file."""
    if folder := os.environ.get("PROMETHEUS_MULTIPROC_DIR"):
        Path(folder).mkdir(mode=0o700, parents=True, exist_ok=True)
        for file in Path(folder).glob("*.db"):
            file.unlink(missing_ok=True)


# A page makes tens of thousands of objects, nearly all of which are freed without a collection. It does not wait for
# one, unless it makes very many.
COLLECTED_BETWEEN, COLLECTED_AT_ONCE = 20_000, 400_000


def post_worker_init(_worker: object) -> None:
    """Keep what a worker has loaded out of garbage collection, and collect between requests."""
    collect_rarely()


def collect_rarely() -> None:
    gc.collect()
    gc.freeze()
    gc.set_threshold(COLLECTED_AT_ONCE)


def post_request(_worker: object, _request: object) -> None:
    """Collect garbage when the answer has been sent."""
    collect_between()


def collect_between() -> None:
    newest, young, old = gc.get_count()
    if newest > COLLECTED_BETWEEN:
        gc.collect(2 if old > 10 else 1 if young > 10 else 0)  # as often as Python would


wsgi_app = "ldpsite.wsgi"
# gthread, whose threads do not wait for slow senders.
worker_class = "ldpsite.gunicorn_worker.Worker"
# An upload keeps a thread, and so does who reads slowly, as long as it is not too slow: see below.
threads = 8
# The system would send a file however slowly it is read.
sendfile = False
keepalive = 5
# The senders of reports are not to be known, to us either.
accesslog = None
logger_class = WebServerLogger
# Nothing is steered through it, and its default place is the user's home, shared by all sites of that user.
control_socket_disable = True
