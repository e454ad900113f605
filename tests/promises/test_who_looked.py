"""It is noted who looks at results: on every address of the site that shows some, whatever views are added.

What shows results is not listed here but found out: a view that reads estimates, or where they are kept, from the
database, or whose answer has a word in it that was on no list before it was discovered.
"""

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import pytest
from django.contrib.auth.models import User
from django.core.cache import cache
from django.db import connection
from django.test import Client

from reports.models import Viewing, WordDecision
from tests.promises.addresses import Address, addresses
from tests.promises.conftest import World
from tests.promises.test_who_may_see_what import everything, of_objects
from tests.reports.entries import change_entries

pytestmark = [pytest.mark.exact, pytest.mark.django_db]

# Tables of histograms, and the files that comparisons add up.
ESTIMATES = (
    ('"reports_histogramentries"', '"numbers"'),
    ('"reports_histogramentries"', '"categories"'),
    ('"reports_readout"', '"file_name"'),
)
DISCOVERED = "qzxvkj"
# Written by requests that read: that a person was here and looked, that a link was opened, and a message read.
NOTED = {
    "auth.User",
    "reports.EmbedLink",
    "reports.EmbedViews",
    "reports.InboxMessage",
    "reports.Viewing",
    "reports.Visit",
}
# Addresses that show results for certain: if they were not seen to, this test would see nothing at all.
KNOWN = {
    "home",
    "search",
    "search_json",
    "use_case",
    "use_case_csv",
    "use_case_json",
    "use_case_parquet",
    "embed",
    "embed_preview",
    "sort_words",
    "word_list",
    "word_list_of_locale",
    "count_words",
    "api_histogram",
    "compare",
    "comparison_csv",
    "comparison_json",
    "comparison_parquet",
    "api_comparison",
    "trend",
    "trend_csv",
    "trend_json",
    "trend_parquet",
    "api_trend",
    "element",
    "element_csv",
    "element_json",
    "element_parquet",
    "element_places_csv",
    "element_places_json",
    "element_places_parquet",
    "admin:reports_worddecision_changelist",
    "admin:reports_worddecision_change",
}


@contextmanager
def estimates_read() -> Iterator[list[str]]:
    """The statements in which the database is asked for estimates."""
    found: list[str] = []

    def watch(execute: Callable[..., Any], sql: str, *rest: Any) -> Any:
        if any(table in sql and column in sql for table, column in ESTIMATES):
            found.append(sql)
        return execute(sql, *rest)

    with connection.execute_wrapper(watch):
        yield found


def shows_results(client: Client, path: str) -> tuple[bool, int]:
    """Tell whether an answer shows results, and its status."""
    cache.clear()  # what was computed before is not read again
    with estimates_read() as read:
        response: Any = client.get(path)
        content = b"".join(response.streaming_content) if response.streaming else response.content
    # Also what says that a choice cannot be used may have results in it.
    shown = response.status_code in (200, 400) and (bool(read) or DISCOVERED.encode() in content)
    return shown, response.status_code


def paths(world: World, address: Address) -> set[str]:
    """Return an address's paths: with a use case also that of the one that discovers words, and with a wrong date."""
    found = {world.path(address)}
    if address.arguments == ("slug",):
        found.add(address.path({"slug": world.discovered.use_case.slug}))
        found |= {f"{path}{'&' if '?' in path else '?'}from=zzz" for path in found}
    return found


class Looked(NamedTuple):
    """Names of addresses that show results, of those that do not note it, and of examples that are not there."""

    showing: set[str]
    unnoted: set[str]
    missing: dict[str, int]


def look_at_everything(world: World, person: User, client: Client, part: str) -> Looked:
    """Look at all addresses whose names match."""
    showing, unnoted, missing = set[str](), set[str](), dict[str, int]()
    objects = {address.name for address in of_objects()}
    client.force_login(person)
    for address in (each for each in addresses() if re.match(part, each.name)):
        for path in sorted(paths(world, address)):
            Viewing.objects.exclude(user=None).delete()
            shown, status = shows_results(client, path)
            if address.name in objects and path == world.path(address) and not is_there(address, status):
                missing[address.name] = status
            if shown:
                showing.add(address.name)
                # An embedded page knows only the person who made the link.
                looked = world.owner if address.name in ("embed", "embed_preview") else person
                if not Viewing.objects.filter(user=looked).exists():
                    unnoted.add(address.name)
            if "logout" in address.name:
                client.force_login(person)
    return Looked(showing, unnoted, missing)


def is_there(address: Address, status: int) -> bool:
    """Tell by its status whether an example exists: others would be shut out of a wrong address, too."""
    if address.name == "admin:view_on_site":
        return True  # leads to the page that a model says it has, and none does
    # Some only take posts. The admin lets no user delete, nor change most things.
    return status in (200, 302, 405) or (status == 403 and address.name.endswith(("_delete", "_change")))


def test_whoever_is_shown_results_is_noted(world: World, admin_user: User, client: Client) -> None:
    change_entries(lambda entry: entry.display == "yeet", element=DISCOVERED, display=DISCOVERED)
    WordDecision.objects.filter(word="yeet").update(word=DISCOVERED)
    # Superusers see as much of the admin as owners among the staff do, and more.
    for name, part in (("alice", "(?!admin:)"), ("admin", "admin:")):
        before = everything()
        looked = look_at_everything(world, User.objects.get(username=name), client, part)
        changed = {model for model, rows in everything().items() if rows != before[model]}
        assert changed <= NOTED, "A view that changes what is kept asks for a POST."
        assert not looked.unnoted, "Call reports.viewings.record_viewing in these views."
        assert not looked.missing
        assert looked.showing >= {known for known in KNOWN if re.match(part, known)}, name
