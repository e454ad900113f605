"""The configured broker, with workers that die."""

import pytest
from django.conf import settings
from django.contrib.auth.models import Group
from django.db import connection

from tests.ldpsite.tasks import write, write_slowly
from tests.workers import Workers, wait_for

TASKS = "tests.ldpsite.tasks"

pytestmark = [pytest.mark.broker, pytest.mark.server, pytest.mark.django_db(transaction=True)]


def written(name: str) -> bool:
    return Group.objects.filter(name=name).exists()


def test_every_task_is_done_and_that_of_a_killed_worker_by_another(workers: Workers) -> None:
    """Within visibility timeout and a look around: 23 s over Redis, 4 s over RabbitMQ, and 19 s over pgmq."""
    for number in range(20):
        write.delay(f"group {number}")
    first = workers.start(concurrency=2, include=TASKS)
    wait_for(lambda: Group.objects.count() == 20)
    write_slowly.delay("it")
    wait_for(lambda: written("it begun"))
    workers.kill(first)
    assert not written("it done")
    if settings.BROKER_IN_DATABASE:
        let_the_clock_run_on(workers.queue)
    workers.start(include=TASKS)
    wait_for(lambda: written("it done"), timeout=60)


def let_the_clock_run_on(queue: str) -> None:
    """Over pgmq, to when messages that a worker has taken and not finished are seen again."""
    name = queue.replace("-", "_")
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT msg_id, extract(epoch FROM vt - clock_timestamp()) FROM pgmq.q_{name}")  # noqa: S608
        messages = cursor.fetchall()
        assert messages
        for message, seconds in messages:
            assert 0 < seconds <= 20
            cursor.execute("SELECT pgmq.set_vt(%s, %s::bigint, 0)", [name, message])
