"""Worlds that are built once in each process, and laid down again for every other test that begins with them.

What a builder has written, rows and files, is kept in memory and written again as it was: milliseconds, where sending
and counting reports takes hundreds. Each test has a world of its own, so that it may change it.

Rows keep the keys they were first given: sequences never go back, so that no later row has one of them. People and
groups that may be there before a world, or come with it, have fixed keys (`FIXED_KEYS`).
"""

from collections.abc import Callable
from functools import cache, wraps
from pathlib import Path
from typing import Final, NamedTuple, ParamSpec, TypeVar, cast

from django.conf import settings
from django.contrib.auth.models import Group
from django.db import connection
from django.db.models import Model

from reports.models.uploads import utc_today

PEOPLE: Final = ("alice", "bob", "charlie")
GROUPS: Final = ("keyboard", "keyboard-owners")
# Sequences begin at 1.
FIXED_KEYS: Final = {name: -number for number, name in enumerate((*PEOPLE, *GROUPS), 1)}

# Tables that stay as the migrations made them.
_LASTING: Final = {"auth_permission", "django_content_type", "django_migrations"}
# Who is there does not matter to what is built.
_OF_PEOPLE: Final = {"auth_user", "auth_user_groups", "auth_user_user_permissions", "reports_websession"}

Arguments = ParamSpec("Arguments")
Found = TypeVar("Found", bound=Model)
Rows = frozenset[tuple[str, str]]
Files = frozenset[tuple[str, bytes]]


class World(NamedTuple):
    """Changes of a builder: rows as table and text, files as name and content; and what it returned."""

    gone: Rows
    new: Rows
    files: Files
    model: type[Model]
    key: object


_known: dict[object, World] = {}


def once(build: Callable[Arguments, Found]) -> Callable[Arguments, Found]:
    """Let a function, which may be a fixture, build its world only the first time that it is called with its arguments.

    It builds again on another day, where other rows or files are there before, and for a test that commits if the first
    did not. What it returns is read anew.
    """

    @wraps(build)
    def built_once(*arguments: Arguments.args, **named: Arguments.kwargs) -> Found:
        for name in GROUPS:
            make_group(name)
        rows, files = _rows(), _files()
        base = frozenset(row for row in rows if row[0] not in _OF_PEOPLE)
        # Where a test's transaction is never committed, files that go with a commit are still there.
        commits = not connection.in_atomic_block
        address = build, arguments, frozenset(named.items()), utc_today(), base, files, commits
        if address in _known:
            _lay_down(_known[address])
        else:
            made = build(*arguments, **named)
            now = _rows()
            _known[address] = World(rows - now, now - rows, _files() - files, type(made), made.pk)
        world = _known[address]
        return cast(Found, world.model._default_manager.get(pk=world.key))

    return built_once


def make_group(name: str) -> Group:
    """Return a group, made unless it is there."""
    return Group.objects.get_or_create(name=name, defaults={"pk": FIXED_KEYS[name]} if name in FIXED_KEYS else {})[0]


@cache
def _statement() -> str:
    """SQL that reads all rows. It is the same text each time, as tables do not change."""
    tables = connection.introspection.django_table_names(only_existing=True, include_views=False)
    # Names of tables, which come from the models.
    parts = (f"""SELECT '{name}', "{name}"::text FROM "{name}" """ for name in sorted({*tables} - _LASTING))  # noqa: S608
    return " UNION ALL ".join(parts)


def _rows() -> Rows:
    with connection.cursor() as cursor:
        cursor.execute(_statement())
        return frozenset(cursor.fetchall())


def _folder() -> Path:
    return Path(settings.STORAGES["shards"]["OPTIONS"]["location"])


def _files() -> Files:
    folder = _folder()
    found = (path for path in folder.rglob("*") if path.is_file())
    return frozenset((str(path.relative_to(folder)), path.read_bytes()) for path in found)


def _lay_down(world: World) -> None:
    statements: list[str] = []
    parameters: list[list[str]] = []
    for rows, form in (
        (world.gone, 'DELETE FROM "{0}" WHERE "{0}"::text = ANY(%s)'),
        (world.new, 'INSERT INTO "{0}" SELECT row.* FROM unnest(%s::"{0}"[]) AS row'),
    ):
        for table in sorted({table for table, _row in rows}):
            statements.append(form.format(table))
            parameters.append(sorted(row for its, row in rows if its == table))
    with connection.cursor() as cursor:
        # In one go: as one transaction where there is none, so that foreign keys are looked at when all are there.
        cursor.execute("; ".join(statements), parameters)
    for name, content in world.files:
        path = _folder() / name
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        path.write_bytes(content)
        path.chmod(0o600)
