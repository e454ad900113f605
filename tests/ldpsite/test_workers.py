"""The configured broker, with workers that die."""

import pytest
from django.contrib.auth.models import Group

from tests.ldpsite.tasks import write, write_slowly
from tests.workers import Workers, wait_for

TASKS = "tests.ldpsite.tasks"

pytestmark = [pytest.mark.broker, pytest.mark.server, pytest.mark.django_db(transaction=True)]


def written(name: str) -> bool:
    return Group.objects.filter(name=name).exists()


def test_every_task_is_done(workers: Workers) -> None:
    for number in range(20):
        write.delay(f"group {number}")
    workers.start(concurrency=2, include=TASKS)
    wait_for(lambda: Group.objects.count() == 20)


def test_a_task_of_a_killed_worker_is_done_by_another(workers: Workers) -> None:
    """Within the visibility timeout and a look around: 19 s over pgmq, 23 s over Redis, 4 s over RabbitMQ."""
    first = workers.start(include=TASKS)
    write_slowly.delay("it")
    wait_for(lambda: written("it begun"))
    workers.kill(first)
    assert not written("it done")
    workers.start(include=TASKS)
    wait_for(lambda: written("it done"), timeout=60)
