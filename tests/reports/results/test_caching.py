"""Computed results are kept until there are newer ones, and no longer."""

from collections.abc import Iterator
from itertools import count, pairwise

import pytest
from django.db import transaction
from django.utils import translation

from reports.definitions.dictionary import Entry, revise_dictionary
from reports.definitions.versions import change_locales
from reports.models import UseCase
from reports.results import HistogramQuery, histogram_view
from reports.results.caching import LARGEST, cached, cached_each
from reports.words import Decided, decide
from tests.conftest import make_user
from tests.reports.small_fleet import aggregate, days_ago, define, define_words, send, send_words

pytestmark = [pytest.mark.exact, pytest.mark.django_db]


class Computer:
    """Computes something new each time."""

    def __init__(self) -> None:
        self.numbers: Iterator[int] = count(1)

    def of(self, use_case: UseCase, name: str = "number", key: str = "") -> int:
        """Return the facts of the use case as it is now."""
        use_case.refresh_from_db()
        return cached(use_case, name, key, lambda: next(self.numbers))


@pytest.fixture
def computer() -> Computer:
    return Computer()


def test_what_was_computed_is_kept(computer: Computer) -> None:
    use_case = define().use_case
    assert [computer.of(use_case) for _ in range(3)] == [1, 1, 1]
    assert [computer.of(use_case, key="top=5"), computer.of(use_case, name="other")] == [2, 3]
    assert computer.of(define(slug="other").use_case) == 4


def test_nothing_is_a_result_too(computer: Computer) -> None:
    use_case = define().use_case
    assert cached(use_case, "nothing", "", lambda: None) is None
    cached(use_case, "nothing", "", lambda: pytest.fail("computed again"))


def test_languages_have_their_own(computer: Computer) -> None:
    use_case = define().use_case
    assert computer.of(use_case) == 1
    with translation.override("fr"):
        assert computer.of(use_case) == 2
    assert computer.of(use_case) == 1


def test_what_results_are_read_by_may_change_at_any_time(computer: Computer) -> None:
    use_case = define().use_case
    assert computer.of(use_case) == 1
    UseCase.objects.update(minimum_reports=150)
    assert computer.of(use_case) == 2
    UseCase.objects.update(title="Renamed")
    assert computer.of(use_case) == 2


def test_what_is_too_large_is_not_kept(computer: Computer) -> None:
    use_case = define().use_case
    sizes = [len(cached(use_case, "text", "", lambda: "x" * (LARGEST * next(computer.numbers)))) for _ in range(2)]
    assert sizes == [LARGEST, 2 * LARGEST]


def test_many_at_once_are_computed_once() -> None:
    first, second, third = (define(slug=slug).use_case for slug in ("one", "two", "three"))
    asked: list[list[str]] = []

    def slugs(missing: list[UseCase]) -> dict[int, str]:
        asked.append([use_case.slug for use_case in missing])
        return {use_case.pk: use_case.slug for use_case in missing}

    assert cached_each([first, second], "slug", "", slugs) == {first.pk: "one", second.pk: "two"}
    UseCase.renew_generation(second.pk)
    second.refresh_from_db()
    found = cached_each([first, second, third], "slug", "", slugs)
    assert found == {first.pk: "one", second.pk: "two", third.pk: "three"}
    cached_each([first, second, third], "slug", "", slugs)
    assert asked == [["one", "two"], ["two", "three"]]


# --- Who changes results ---


def test_a_run_makes_it_old_and_asking_for_windows_does_not(computer: Computer) -> None:
    version = define(minimum_reports=100)
    other = define(slug="other").use_case
    assert [computer.of(version.use_case), computer.of(other)] == [1, 2]
    for day in (3, 2, 1):
        send(version, 120, day=days_ago(day))
    aggregate(version)
    assert computer.of(version.use_case) == 3
    made = set(version.histograms.values_list("first_day", "last_day"))
    # One of the two may be what is released of a week, which the run made.
    first, last = next(days for days in pairwise(days_ago(day) for day in (3, 2, 1)) if days not in made)
    view = histogram_view(version.use_case, HistogramQuery(first=first, last=last))
    assert view.histogram is not None
    assert version.histograms.count() == len(made) + 1
    assert computer.of(version.use_case) == 3
    assert computer.of(other) == 2


def test_so_are_words_and_what_people_decide_about_them(computer: Computer) -> None:
    version = define_words()
    send_words(version, 400, day=days_ago(1))
    assert computer.of(version.use_case) == 1
    aggregate(version)
    assert version.histograms.get().entries.size
    assert computer.of(version.use_case) == 2
    owner = make_user("owner", "keyboard-owners")
    decide(owner, version.use_case, "en_US", [Decided("lol", "rejected")])
    assert computer.of(version.use_case) == 3


def test_so_is_what_the_next_run_will_count(computer: Computer) -> None:
    version = define()
    assert computer.of(version.use_case) == 1
    revise_dictionary(version, [Entry("apple", "apple", ""), Entry("plum", "plum", "")])
    assert computer.of(version.use_case) == 2
    change_locales(version, ["fr_FR"])
    assert computer.of(version.use_case) == 3
    define(parameters={"epsilon": 4, "k": 1024, "m": 64, "seed": "0e" * 16})
    assert computer.of(version.use_case) == 4


# --- Transactions ---


@pytest.mark.django_db(transaction=True)
def test_a_publication_that_is_taken_back_leaves_nothing_behind(computer: Computer) -> None:
    """A look before the commit may compute from what will not be; the next publication must not meet that."""
    use_case = define().use_case
    assert computer.of(use_case) == 1
    for _ in range(2):
        with transaction.atomic():
            UseCase.renew_generation(use_case.pk)
            assert computer.of(use_case) > 1
            transaction.set_rollback(True)
        assert computer.of(use_case) == 1
    UseCase.renew_generation(use_case.pk)
    assert computer.of(use_case) == 4


def test_saving_what_was_loaded_before_takes_no_publication_back() -> None:
    loaded = define().use_case
    UseCase.renew_generation(loaded.pk)
    generation = UseCase.objects.get().generation
    loaded.title = "Renamed"
    loaded.save()
    now = UseCase.objects.get()
    assert (now.title, now.generation) == ("Renamed", generation)


def test_generations_only_grow() -> None:
    use_case = define().use_case
    UseCase.objects.update(generation=2**62)  # by a clock that was wrong
    UseCase.renew_generation(use_case.pk)
    assert UseCase.objects.get().generation == 2**62 + 1
