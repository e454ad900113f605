"""Cards of the front page: of each use case what it found, how new that is, and whether all is well."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from reports.models import Run, UseCase
from reports.web.pages.home.card_facts import Facts, facts_of, percents, quarantined
from reports.web.pages.home.card_results import Result, results
from reports.web.pages.home.card_states import Badge, badges, hint, places


@dataclass(frozen=True)
class Card:
    use_case: UseCase
    places: str
    badges: list[Badge]
    result: Result | None
    # Instead of a result.
    hint: str
    # For owners: of the unfinished run, if there is one.
    percent: int | None
    # Of the latest run, if it failed.
    failed: str
    is_active: bool
    # As far as owners know.
    has_reports: bool

    @property
    def step(self) -> str:
        """Changes when what a script follows does."""
        return f"{self.use_case.slug} {self.percent}"


def cards(found: Sequence[UseCase], owned: Collection[int]) -> list[Card]:
    """Of these use cases, of which somebody owns some; the number of queries does not depend on theirs.

    What arrives, and what runs do with it, is for owners: it tells how many reports there are, however few.
    """
    shown, facts = results(found), facts_of(found)
    own = {pk: facts[pk] for pk in facts if pk in owned}
    done, waiting = percents(own), quarantined(list(own))
    return [
        _card(each, facts[each.pk], shown[each.pk], done.get(each.pk), waiting.get(each.pk, 0), is_own=each.pk in own)
        for each in found
    ]


def _card(
    use_case: UseCase, facts: Facts, result: Result | None, done: int | None, waiting: int, *, is_own: bool
) -> Card:
    failed = is_own and facts.run is not None and facts.run_state == Run.State.FAILED
    return Card(
        use_case=use_case,
        places=places(facts),
        badges=badges(use_case, facts, result, done, waiting, is_own=is_own),
        result=result,
        hint=hint(use_case, facts, is_own=is_own) if result is None else "",
        percent=done,
        failed=str(facts.run["pk"]) if failed and facts.run is not None else "",
        is_active=facts.is_active,
        has_reports=is_own and facts.has_reports,
    )
