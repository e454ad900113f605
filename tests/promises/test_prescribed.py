"""Nothing below a prescribed threshold is seen anywhere: nor of what was published before it was raised."""

import re
from collections.abc import Iterator
from itertools import starmap

import pytest
from django.contrib.auth.models import User
from django.core.management import call_command
from django.test import Client
from django.urls import reverse

from reports.embedding import make_token
from reports.formatting import percent
from reports.models import Entry, Histogram
from reports.web.pages.embed.embedded_page import PAGES
from tests.promises.addresses import with_texts
from tests.promises.conftest import World
from tests.reports.found_words import define_search
from tests.reports.small_fleet import aggregate, define, send

pytestmark = [pytest.mark.exact, pytest.mark.django_db]

# Some 250 of 500 reports are about apples, 150 about bananas, and 100 about cherries.
OF_FRUITS, OF_WORDS = 200, 985
# Parameters that name elements, and that an element is asked for by.
QUERIES = {
    "use_case": "",
    "trend": "element=banana",
    "compare": "locale=en_US",
    "element": "element=banana",
    "changes": "",
}


def written(entry: Entry, n: int) -> set[str]:
    """Its numbers as pages, files and the API have them."""
    share = entry.estimate / n
    return {repr(entry.estimate), repr(share), percent(share).removesuffix("%").strip()}


def answers(world: World, alice: User, client: Client, part: str) -> Iterator[tuple[str, str]]:
    """Return all answers to an owner among the staff, and to strangers behind links.

    Of those named by the site's configuration, only those whose name begins with the part.
    """
    client.force_login(alice)
    for address in with_texts(part):
        yield address.name, client.get(world.path(address), follow=True).getvalue().decode(errors="ignore")
    client.force_login(alice)
    words = {"slug": world.discovered.use_case.slug}
    for name in ("use_case", "use_case_csv", "use_case_json", "trend", "trend_json", "api_histogram", "sort_words"):
        yield name, client.get(reverse(name, kwargs=words), follow=True).getvalue().decode(errors="ignore")
    for page in PAGES:
        whole = f"{reverse(page, args=['fruits'])}?{QUERIES[page]}"
        yield f"choosing {page}", client.get(whole, follow=True).getvalue().decode()
        token = make_token(alice, world.counted.use_case, page, QUERIES[page], 1)
        yield f"embedded {page}", Client().get(reverse("embed", args=[token])).getvalue().decode(errors="ignore")


def test_nothing_below_a_prescribed_threshold_is_anywhere(
    world: World, alice: User, client: Client, capsys: pytest.CaptureFixture[str]
) -> None:
    alice.is_staff = True
    alice.save()
    below = {world.counted.use_case_id: OF_FRUITS, world.discovered.use_case_id: OF_WORDS}
    hidden = [
        (entry, histogram.n)
        for histogram in Histogram.objects.select_related("version")
        for entry in histogram.entries
        if entry.estimate < below[histogram.version.use_case_id]
    ]
    assert {entry.display for entry, _n in hidden} == {"banana", "cherry", "lol"}
    numbers = "|".join(map(re.escape, set().union(*starmap(written, hidden))))
    # Whole, not as the beginning of another number.
    number = re.compile(rf"(?<![\d.])(?:{numbers})(?!\d)")

    def seen(part: str = "") -> set[str]:
        call_command("export", "fruits")
        everywhere = [*answers(world, alice, client, part), ("export", capsys.readouterr().out)]
        return {name for name, text in everywhere if number.search(text)}

    # Most are asked once, when nothing may be seen.
    before = seen("use_case|trend_json|api_comparison|embed")
    assert {"use_case", "use_case_csv", "trend_json", "api_comparison", "embed", "export"} <= before
    # Nothing has changed in a world of one day.
    assert {f"{how} {page}" for page in PAGES if page != "changes" for how in ("choosing", "embedded")} <= before
    define(budget_group="fruit-budget", prescribed_threshold=OF_FRUITS)
    define_search(prescribed_threshold=OF_WORDS)
    assert not seen()
    # Nor of what is published from then on: no row of it is there to be seen.
    send(world.counted, 500, seed=9)
    aggregate(world.counted)
    for histogram in Histogram.objects.all():
        least = below[histogram.version.use_case_id]
        assert all(entry.estimate >= least for entry in histogram.entries)
        assert histogram.threshold is None or histogram.threshold >= least
