import pytest
from django.db import connection
from pytest_django import Settings

from ldpsite import broker
from ldpsite.queue_schema import keep_queue_schema

pytestmark = [pytest.mark.exact, pytest.mark.django_db]


@pytest.fixture(autouse=True)
def in_database(settings: Settings) -> None:
    settings.BROKER_IN_DATABASE = True
    settings.CELERY_BROKER_URL = broker.IN_DATABASE
    keep_queue_schema(using="default")


def value(sql: str) -> object:
    with connection.cursor() as cursor:
        cursor.execute(sql)
        row = cursor.fetchone()
        return row[0] if row else None


def comment() -> object:
    return value("SELECT obj_description('pgmq'::regnamespace, 'pg_namespace')")


def test_is_there_after_migrate_and_stays() -> None:
    value("SELECT pgmq.create('kept')")
    keep_queue_schema(using="default")
    assert value("SELECT count(*) FROM pgmq.list_queues() WHERE queue_name = 'kept'") == 1


def test_another_version_is_replaced() -> None:
    now = comment()
    with connection.cursor() as cursor:
        cursor.execute("COMMENT ON SCHEMA pgmq IS 'Celery queue of ldpsite, pgmq 0.0.1'")
    keep_queue_schema(using="default")
    assert comment() == now


def test_a_schema_of_somebody_else_is_left_alone() -> None:
    with connection.cursor() as cursor:
        cursor.execute("COMMENT ON SCHEMA pgmq IS NULL")
        cursor.execute("DROP FUNCTION pgmq.list_queues()")
    keep_queue_schema(using="default")
    assert comment() is None
    assert value("SELECT to_regproc('pgmq.list_queues')") is None


def test_nothing_without_need(settings: Settings) -> None:
    settings.BROKER_IN_DATABASE = False
    with connection.cursor() as cursor:
        cursor.execute("DROP SCHEMA pgmq CASCADE")
    keep_queue_schema(using="default")
    assert value("SELECT to_regnamespace('pgmq')") is None
