"""Every address of the site, asked for once by those who see most, and each answer held against what is promised.

Nothing is seen of fewer reports than the minimum, nor of what is below a prescribed threshold; and it is noted who
looks at results, whatever views are added. What shows results is not listed here but found out: a view that reads
estimates, or where they are kept, from the database, or whose answer has a word in it that was on no list when it was
discovered.
"""

import logging
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import starmap
from typing import Any, NamedTuple

import pytest
from django.contrib.auth.models import User
from django.core.cache import cache
from django.core.management import CommandError, call_command
from django.db import connection
from django.test import Client
from django.urls import reverse

from reports.embedding import make_token
from reports.formatting import percent
from reports.models import ApiToken, Entry, Histogram, HistogramEntries, Version, Viewing, WordDecision
from reports.web.pages.embed.embedded_page import PAGES
from tests.browser.everything import no_pages
from tests.conftest import logged_in
from tests.promises.addresses import Address, addresses, named
from tests.promises.conftest import World
from tests.promises.few import CASES, define_few, paths_of, shown
from tests.promises.test_who_may_see_what import everything, of_objects
from tests.reports.entries import change_entries
from tests.reports.found_words import define_search
from tests.reports.small_fleet import aggregate, define, send

pytestmark = [pytest.mark.exact, pytest.mark.django_db]


# --- Addresses and answers ---

# Tables of histograms, and the files that comparisons add up.
ESTIMATES = (
    ('"reports_histogramentries"', '"numbers"'),
    ('"reports_histogramentries"', '"categories"'),
    ('"reports_readout"', '"file_name"'),
)
DISCOVERED = "qzxvkj"


class Answer(NamedTuple):
    """Findings in the answer of an address, or of where it leads."""

    name: str
    # Whether it is one of the few's addresses, or the example of its address.
    is_of_few: bool
    is_example: bool
    # Before it leads elsewhere, and in the end.
    first_status: int
    status: int
    numbers_of_few: set[int]
    is_below_threshold: bool
    is_page: bool
    shows_results: bool
    is_noted: bool


def paths(world: World, address: Address) -> set[str]:
    """Return an address's paths: with a use case also that of the one that discovers words, and with a wrong date."""
    found = {world.path(address)}
    if address.arguments == ("slug",):
        found.add(address.path({"slug": world.discovered.use_case.slug}))
        found |= {f"{path}{'&' if '?' in path else '?'}from=zzz" for path in found}
    return found


def walk(world: World, few: Version, hidden: re.Pattern[str], person: User, part: str) -> Iterator[Answer]:
    """Ask as a person for all addresses whose names begin so."""
    client = logged_in(person)
    Viewing.objects.exclude(user=None).delete()
    for address in named(part):
        theirs, example = paths_of(few, world, address), world.path(address)
        # An embedded page knows only the person who made the link.
        looks = world.owner if address.name in ("embed", "embed_preview") else person
        for path in sorted(theirs | paths(world, address)):
            cache.clear()  # what was computed before is not read again
            with estimates_read() as read:
                answer: Any = client.get(path, follow=True)
            text = answer.getvalue().decode(errors="ignore")
            viewings = Viewing.objects.exclude(user=None)
            noted = {*viewings.values_list("user", flat=True)}
            if noted:
                viewings.delete()
            # No text is searched for numbers in what is none.
            searched = "" if address.name.endswith("_parquet") else text
            yield Answer(
                name=address.name,
                is_of_few=path in theirs,
                is_example=path == example,
                first_status=answer.redirect_chain[0][1] if answer.redirect_chain else answer.status_code,
                status=answer.status_code,
                numbers_of_few=shown(searched),
                is_below_threshold=bool(hidden.search(searched)),
                is_page=answer.status_code == 200 and not answer.redirect_chain and "<html" in text,
                # Also what says that a choice cannot be used may have results in it.
                shows_results=answer.status_code in (200, 400) and (bool(read) or DISCOVERED in text),
                is_noted=looks.pk in noted,
            )


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


# --- Fewer than the minimum ---


def check_few(answers: list[Answer], least: int, told: set[tuple[int, str]]) -> None:
    """Check that at least so many of their addresses answer, and which of their numbers are seen where."""
    theirs = [answer for answer in answers if answer.is_of_few]
    assert sum(answer.status == 200 for answer in theirs) > least
    assert {(number, answer.name) for answer in theirs for number in answer.numbers_of_few} <= told


def check_few_are_hidden(client: Client, world: World, few: Version, part: str, least: int) -> None:
    """Check it for whom nothing of them is told: that at least so many addresses answer, and none with a number."""
    texts = [address for address in named(part) if not address.name.endswith("_parquet")]
    paths = [path for address in texts for path in sorted(paths_of(few, world, address))]
    answers: list[Any] = [client.get(path, follow=True) for path in paths]
    assert sum(answer.status_code == 200 for answer in answers) > least
    assert not [
        path for path, answer in zip(paths, answers, strict=True) if shown(answer.getvalue().decode(errors="ignore"))
    ]


def check_nothing_is_published(few: Version, client: Client) -> None:
    assert not Histogram.objects.filter(version=few).exists()
    files = [f"{name}_{form}" for name in ("use_case", "trend", "comparison") for form in ("csv", "json", "parquet")]
    for name in (*files, "api_histogram", "api_trend", "api_comparison"):
        assert client.get(reverse(name, args=["few"])).status_code == 404
    with pytest.raises(CommandError, match="No histogram is published"):
        call_command("export", "few")
    page = client.get(reverse("admin:reports_histogram_changelist"))
    assert "Few" not in page.content.decode().split('id="result_list"')[1].split("</table>")[0]


# --- Below a prescribed threshold ---

# Some 250 of 500 reports are about apples, 150 about bananas, and 100 about cherries.
OF_FRUITS, OF_WORDS = 200, 985
SEEN = ("use_case", "use_case_csv", "trend_json", "api_comparison")
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


def numbers_below(below: dict[int, int]) -> re.Pattern[str]:
    """Find numbers of elements that thresholds of use cases would hide: whole, not as the beginning of another."""
    hidden = [
        (entry, histogram.n)
        for histogram in Histogram.objects.select_related("version")
        for entry in histogram.entries
        if entry.estimate < below[histogram.version.use_case_id]
    ]
    assert {entry.display for entry, _n in hidden} == {"banana", "cherry", "lol"}
    numbers = "|".join(map(re.escape, set().union(*starmap(written, hidden))))
    return re.compile(rf"(?<![\d.])(?:{numbers})(?!\d)")


def chosen(world: World, client: Client) -> Iterator[tuple[str, str]]:
    """Return pages of fruits with a choice of elements, as an owner and as strangers behind links see them."""
    for page in PAGES:
        whole = f"{reverse(page, args=['fruits'])}?{QUERIES[page]}"
        yield page, client.get(whole, follow=True).getvalue().decode()
        token = make_token(world.owner, world.counted.use_case, page, QUERIES[page], 1)
        yield page, Client().get(reverse("embed", args=[token])).getvalue().decode(errors="ignore")


# --- Who looked ---

# Written by requests that read: that a person was here and looked, that a link was opened, and a message read.
NOTED = {
    "auth.User",
    "reports.EmbedLink",
    "reports.EmbedViews",
    "reports.InboxMessage",
    "reports.Viewing",
    "reports.Visit",
}
FORMS = ("csv", "json", "parquet")
# Addresses that show results for certain: if they were not seen to, this test would see nothing at all.
KNOWN = {
    *("home", "search", "search_json", "use_case", "compare", "trend", "element", "embed", "embed_preview"),
    *(
        f"{table}_{form}"
        for table in ("use_case", "comparison", "trend", "element", "element_places")
        for form in FORMS
    ),
    *("sort_words", "word_list", "word_list_of_locale", "count_words"),
    *("api_histogram", "api_comparison", "api_trend"),
    *("admin:reports_worddecision_changelist", "admin:reports_worddecision_change"),
}


# Reads one side, and shows nothing of it where the other has nothing to show, as the few have.
READ_ONLY = {"side_by_side"}


def is_there(answer: Answer) -> bool:
    """Tell by its status whether an example exists: others would be shut out of a wrong address, too."""
    name, status = answer.name, answer.first_status
    if name == "admin:view_on_site":
        return True  # leads to the page that a model says it has, and none does
    # Some only take posts. The admin lets no user delete, nor change most things.
    return status in (200, 302, 405) or (status == 403 and name.endswith(("_delete", "_change")))


def check_who_looked_is_noted(answers: list[Answer], part: str) -> None:
    showing = [answer for answer in answers if answer.shows_results]
    unnoted = {answer.name for answer in showing if not answer.is_noted}
    unnoted -= {answer.name for answer in showing if answer.is_of_few and answer.name in READ_ONLY}
    assert not unnoted, "Call reports.viewings.record_viewing in these views."
    assert {answer.name for answer in showing} >= {known for known in KNOWN if re.match(part, known)}
    objects = {address.name for address in of_objects()}
    examples = [answer for answer in answers if answer.is_example and answer.name in objects]
    assert not {answer.name: answer.first_status for answer in examples if not is_there(answer)}


# --- All of it ---


def test_every_answer_keeps_what_is_promised(
    world: World,
    alice: User,
    bob: User,
    client: Client,
    caplog: pytest.LogCaptureFixture,
    capsys: pytest.CaptureFixture[str],
) -> None:
    alice.is_staff = True
    alice.save()
    client.force_login(alice)
    change_entries(lambda entry: entry.display == "yeet", element=DISCOVERED, display=DISCOVERED)
    WordDecision.objects.filter(word="yeet").update(word=DISCOVERED)
    below = {world.counted.use_case_id: OF_FRUITS, world.discovered.use_case_id: OF_WORDS}
    hidden = numbers_below(below)

    def exported() -> str:
        call_command("export", "fruits")
        return capsys.readouterr().out

    # Some are asked for before, when they may be seen. Nothing has changed in a world of one day.
    asked = [address.path({"slug": "fruits"}) for address in addresses() if address.name in SEEN]
    assert all(hidden.search(client.get(path, follow=True).getvalue().decode()) for path in asked), asked
    assert all(hidden.search(text) for page, text in chosen(world, client) if page != "changes")
    assert hidden.search(exported())
    define(budget_group="fruit-budget", prescribed_threshold=OF_FRUITS)
    define_search(prescribed_threshold=OF_WORDS)
    assert not [page for page, text in chosen(world, client) if hidden.search(text)]
    assert not hidden.search(exported())

    with caplog.at_level(logging.DEBUG):
        few = define_few(alice)
    assert not shown(caplog.text)
    # Logging pages that do not exist takes longer than asking for them.
    caplog.set_level(logging.ERROR, "django.request")
    root = User.objects.create_superuser("root", password="password")
    told = {(reports, name) for reports, case in CASES.items() for name in case.told}
    # Superusers see as much as owners do, and more only in the admin.
    for person, least, part in ((alice, 40, "(?!admin:)"), (root, 60, "admin:")):
        before = everything()
        answers = list(walk(world, few, hidden, person, part))
        changed = {model for model, rows in everything().items() if rows != before[model]}
        assert changed <= NOTED, "A view that changes what is kept asks for a POST."
        check_few(answers, least, told)
        check_who_looked_is_noted(answers, part)
        assert not {answer.name for answer in answers if answer.is_below_threshold}
        # The walk over all pages in a browser leaves these out.
        assert not {answer.name for answer in answers if answer.is_page} & no_pages().keys()
    check_few_are_hidden(logged_in(bob), world, few, "(?!admin:)", 25)
    # Programs read what is public, and the description of the API.
    _token, secret = ApiToken.create("reader", may_read=True)
    check_few_are_hidden(Client(headers={"authorization": f"Bearer {secret}"}), world, few, "api_", 1)
    check_nothing_is_published(few, logged_in(root))

    # Nor of what is published from then on: no row of it is there to be seen.
    send(world.counted, 500, seed=9)
    aggregate(world.counted)
    for histogram in Histogram.objects.all():
        least_estimate = below[histogram.version.use_case_id]
        assert all(entry.estimate >= least_estimate for entry in histogram.entries)
        assert histogram.threshold is None or histogram.threshold >= least_estimate


def test_what_does_not_stand_out_is_nowhere(world: World, bob: User, client: Client) -> None:
    """In a published histogram: fruits that were not reported are above no threshold, and in no answer."""
    entries = HistogramEntries.objects.filter(histogram__version=world.counted)
    shown = {element for each in entries for element in each.elements}
    absent = {"elderberry", "fig"}  # and dates, but that is a word of pages
    assert shown
    assert not absent & shown
    client.force_login(bob)
    of_histograms = ("use_case", "use_case_csv", "use_case_json", "api_histogram")
    of_trends = ("trend", "trend_csv", "trend_json", "api_trend")
    for name in (*of_histograms, *of_trends, "compare", "comparison_csv", "comparison_json", "api_comparison"):
        answer = client.get(reverse(name, args=["fruits"]), follow=True)
        assert answer.status_code == 200
        text = answer.getvalue().decode()
        assert "apple" in text
        for element in absent:
            assert not re.search(rf"\b{element}\b", text), name
