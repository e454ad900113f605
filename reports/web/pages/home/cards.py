"""Cards of the front page: of each use case what it found, how new that is, and whether all is well."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from reports.formatting import whole
from reports.models import Run, UseCase
from reports.results.changes import clear_changes_of
from reports.web.pages.home.card_facts import Facts, facts_of, percents, quarantined
from reports.web.pages.home.card_results import Result, results
from reports.web.pages.locales import UNDIVIDED

# A day is counted when it is over, and once more may have passed.
FRESH_DAYS = 2


@dataclass(frozen=True)
class Badge:
    """A state in words, and where it leads; the colour only repeats it."""

    words: str
    kind: str = ""
    link: str = ""


def badges(
    use_case: UseCase, facts: Facts, result: Result | None, done: int | None, quarantined: int, *, is_own: bool
) -> list[Badge]:
    """`done`: percent of the unfinished run, if there is one. `quarantined`: batches that the reader decides about."""
    found = [_state_for_owners(facts, result, done) if is_own else _state(result)]
    if use_case.state == UseCase.State.PAUSED:
        found.insert(0, Badge(_("Paused")))
    if quarantined:
        words = ngettext("%(count)s batch in quarantine", "%(count)s batches in quarantine", quarantined)
        there = reverse("quarantine", args=[use_case.slug])
        found.append(Badge(words % {"count": whole(quarantined)}, "busy", there))
    if result is not None and (changes := clear_changes_of(use_case)):
        words = ngettext("%(count)s clear change", "%(count)s clear changes", changes)
        there = reverse("changes", args=[use_case.slug])
        found.append(Badge(words % {"count": whole(changes)}, "changed", there))
    if result is not None and result.new_words:
        found.append(_new_words(use_case, facts, result))
    return found


def places(facts: Facts) -> str:
    if not facts.is_active:
        return _("no active version")
    if facts.locales == [UNDIVIDED]:
        return _("all locales")
    return ngettext("%(count)s locale", "%(count)s locales", len(facts.locales)) % {"count": len(facts.locales)}


def hint(use_case: UseCase, facts: Facts, *, is_own: bool) -> str:
    """Why nothing is shown, and what has to happen."""
    if not facts.is_active:
        return _("It has no active version, so devices send nothing for it.")
    if is_own and not facts.has_reports:
        return _("Nothing has been received yet.")
    if is_own and facts.run is None:
        return _("Reports have arrived. They are counted when their day is over, or when an owner aggregates.")
    return _("Results appear once there are %(minimum)s reports.") % {"minimum": whole(use_case.minimum_reports)}


def _state(result: Result | None) -> Badge:
    """One for all that shows nothing, however many reports there are, and wherever they wait."""
    if result is None:
        return Badge(_("Too few reports yet, or none"))
    return Badge(_("Healthy"), "good") if result.age <= FRESH_DAYS else Badge(_("Nothing new"))


def _state_for_owners(facts: Facts, result: Result | None, done: int | None) -> Badge:
    if facts.run_state == Run.State.WAITING:
        return Badge(_("Waiting for a worker"), "busy", _address(facts))
    if done is not None:
        return Badge(_("Aggregating, %(percent)s %% done") % {"percent": done}, "busy", _address(facts))
    if facts.run_state == Run.State.FAILED:
        return Badge(_("Last run failed"), "bad", _address(facts))
    if result is not None or facts.run_state == Run.State.FINISHED:
        return _state(result)
    return Badge(_("Not aggregated yet"), "busy") if facts.has_reports else _state(result)


def _address(facts: Facts) -> str:
    """Address of the latest run."""
    return reverse("run", args=[facts.run["pk"]]) if facts.run is not None else ""


def _new_words(use_case: UseCase, facts: Facts, result: Result) -> Badge:
    words = ngettext("%(count)s new word", "%(count)s new words", result.new_words)
    if len(facts.locales) > 1:
        words = ngettext("%(count)s new word in all locales", "%(count)s new words in all locales", result.new_words)
    there = f"{reverse('use_case', args=[use_case.slug])}?{result.query and result.query + '&'}words=new"
    return Badge(words % {"count": whole(result.new_words)}, "new", there)


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
    # Error of the latest run, if it failed.
    failed: str
    is_active: bool
    # As far as owners know.
    has_reports: bool

    @property
    def step(self) -> str:
        """Changes when what a script follows does."""
        return f"{self.use_case.slug} {self.percent}"


def cards(found: Sequence[UseCase], owned: Collection[int]) -> list[Card]:
    """Cards of these use cases, of which the user owns some; the number of queries does not depend on theirs.

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
        # Results begin with their locale.
        places=places(facts) if result is None or facts.locales != [UNDIVIDED] else "",
        badges=badges(use_case, facts, result, done, waiting, is_own=is_own),
        result=result,
        hint=hint(use_case, facts, is_own=is_own) if result is None else "",
        percent=done,
        failed=str(facts.run["pk"]) if failed and facts.run is not None else "",
        is_active=facts.is_active,
        has_reports=is_own and facts.has_reports,
    )
