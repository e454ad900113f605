"""Decisions about words in the admin: seen by owners, changed by nobody."""

import pytest
from django.contrib.auth.models import User
from django.test import Client

from reports.models import WordDecision
from reports.words import Decided, decide
from tests.reports.found_words import define_search, find
from tests.reports.web.admin.forms import change, page
from tests.reports.words.published import HOSTILE

pytestmark = [pytest.mark.exact, pytest.mark.django_db]

LIST = page("worddecision_changelist")


def listed(client: Client, **parameters: str) -> list[str]:
    return [decision.word for decision in client.get(LIST, parameters).context["cl"].result_list]


def test_owners_see_the_decisions_of_their_own(
    as_alice: Client, as_bob: Client, as_gardener: Client, as_root: Client, admin_user: User
) -> None:
    mine, other = define_search(), define_search(slug="garden", title="Garden", owner_group="gardeners")
    for version, words in ((mine, ["lmao", *HOSTILE]), (other, ["hoe"])):
        find(version, words)
        decide(admin_user, version.use_case, "en_US", [Decided(word, "rejected") for word in words])
    decide(admin_user, mine.use_case, "en_US", [Decided("lmao", "accepted", "slang", "laughter")])
    assert listed(as_alice) == ["lmao", *reversed(HOSTILE), "lmao"]
    assert listed(as_alice, verdict__exact="accepted") == listed(as_alice, q="laughter") == ["lmao"]
    assert "<b>x" not in as_alice.get(LIST).content.decode()
    assert "Garden" not in as_alice.get(LIST).content.decode()
    assert listed(as_gardener) == ["hoe"]
    assert len(listed(as_root)) == len(HOSTILE) + 3
    assert as_bob.get(LIST).status_code == 403
    foreign = WordDecision.objects.get(word="hoe")
    assert as_alice.get(change(foreign)).status_code in (302, 403, 404)
