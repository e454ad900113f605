"""No query string makes a page fail, whatever stands where a number or a name is expected."""

import pytest
from django.contrib.auth.models import User
from django.test import Client

from tests.promises.addresses import addresses
from tests.promises.conftest import World

pytestmark = [pytest.mark.exact, pytest.mark.django_db]

# More digits than Python reads as a number, and what the database does not compare.
VALUES = ("9" * 5000, "a\0b")
WINDOW = ("version", "days", "from", "locale")
PARAMETERS = {
    "home": ("q",),
    "search": ("q",),
    "search_json": ("q",),
    "use_case": (*WINDOW, "top", "category", "group", "q"),
    "compare": (*WINDOW, "other_version", "other_days", "category"),
    "trend": (*WINDOW, "step", "element", "add"),
    "element": ("days", "step", "element"),
    "side_by_side": ("with", *WINDOW),
    "sort_words": ("page", "version", "words"),
    "embed_link": ("page", "query"),
    "viewings": ("page",),
    "set_up": ("words",),
    "planner": ("reports", "elements", "epsilon", "k", "m", "g", "w", "share"),
    "evaluations": ("parameters_of", "use_case", "k", "m", "elements", "reports", "epsilon", "top", "seed"),
    "evaluation": ("first", "epsilon", "sort"),
    "regression": ("release",),
    "api_histogram": (*WINDOW, "category"),
    "admin:reports_version_add": ("use_case", "algorithm", "k"),
    "admin:reports_dictionaryentry_changelist": ("revision__id__exact", "p", "q"),
}


@pytest.fixture
def as_root(world: World) -> Client:
    client = Client(raise_request_exception=False)
    client.force_login(User.objects.create_superuser("root", "", "secret"))
    return client


def test_pages_answer_whatever_stands_in_their_query_string(world: World, as_root: Client) -> None:
    known = {address.name: address for address in addresses()}
    failed = []
    for name, parameters in PARAMETERS.items():
        path = world.path(known[name])
        assert as_root.get(path).status_code == 200, name
        for parameter in parameters:
            for value in VALUES:
                answer = as_root.get(path.partition("?")[0], {"element": "apple", parameter: value})
                if answer.status_code >= 500:
                    failed.append((name, parameter, value[:3]))
    kept = {"query": "category=a%00b"}
    assert as_root.get(world.path(known["embed_link"]), kept).status_code == 200
    assert failed == []
