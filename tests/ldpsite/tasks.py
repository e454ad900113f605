"""Tasks for test_workers; a worker takes them in with `include`."""

import time

from celery import shared_task
from django.contrib.auth.models import Group


@shared_task
def write(name: str) -> None:
    Group.objects.get_or_create(name=name)


@shared_task
def write_slowly(name: str) -> None:
    """Take a minute at the first try, in which the worker can be killed."""
    _, is_first = Group.objects.get_or_create(name=f"{name} begun")
    if is_first:
        time.sleep(60)
    Group.objects.get_or_create(name=f"{name} done")
