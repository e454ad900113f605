"""The Celery application. Tasks are doorbells: what has to be done stands in the database."""

import os
from typing import Any

from celery import Celery
from celery.signals import setup_logging

from ldpsite.env import env

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "ldpsite.settings")
# Checks load every page, which workers never serve; `manage.py check` is asked before a deployment.
os.environ.setdefault("CELERY_SKIP_CHECKS", "1")

app = Celery("ldpsite")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks(
    [
        "reports.accounts",
        "reports.bulk",
        "reports.collection",
        "reports.evaluation",
        "reports.jobs",
        "reports.notifications",
        "reports.operations",
        "reports.retention",
        "reports.runs",
        "reports.simulation",
        "reports.training",
    ]
)


@setup_logging.connect
def keep_django_logging(**_: Any) -> None:
    """Do nothing: a receiver alone stops Celery from replacing the handlers that settings.LOGGING has set up."""


if env("LDPSITE_OTLP_ENDPOINT"):
    from ldpsite.tracing import trace_tasks

    trace_tasks()
