"""Cards of the front page: of each use case what it found, how new that is, and whether all is well."""

import datetime
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.db.models import Count, Exists, OuterRef, Subquery
from django.db.models.functions import JSONObject
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from reports.models import DeviceRecord, Part, QuarantinedShard, Run, Shard, UseCase, Version
from reports.models.uploads import utc_today
from reports.numbers import day_range, percent, rounded, whole
from reports.pages.locales import UNDIVIDED, direction, language_tag, locale_name
from reports.pages.runs import VIEWERS_STEP
from reports.pages.sparklines import sparkline
from reports.results.caching import cached_each
from reports.results.latest import Latest, Leader, latest

# A day is counted when it is over, and once more may have passed.
FRESH_DAYS = 2


@dataclass(frozen=True)
class Line:
    """One of the most frequent, as people read it."""

    display: str
    name: str
    share: str
    interval: str


@dataclass(frozen=True)
class Result:
    """The newest published window, as it is shown until there is another."""

    html: SafeString
    # Of the page that shows it.
    query: str
    last_day: datetime.date
    # In the newest lists of all locales.
    new_words: int

    @property
    def age(self) -> int:
        """In days. A day is counted when it is over."""
        return (utc_today() - self.last_day).days

    @property
    def freshness(self) -> str:
        if self.age <= 0:
            return _("up to today")
        if self.age == 1:
            return _("up to yesterday")
        return ngettext("up to %(days)s day ago", "up to %(days)s days ago", self.age) % {"days": whole(self.age)}


@dataclass(frozen=True)
class Badge:
    """A state in words, and where it leads; the colour only repeats it."""

    words: str
    kind: str = ""
    link: str = ""


@dataclass(frozen=True)
class Card:
    use_case: UseCase
    places: str
    badges: list[Badge]
    result: Result | None
    # Instead of a result.
    hint: str
    # Of the unfinished run, if there is one.
    percent: int | None
    # Of the latest run, if it failed.
    failed: str
    is_active: bool
    has_reports: bool

    @property
    def step(self) -> str:
        """Changes when what a script follows does."""
        return f"{self.use_case.slug} {self.percent}"


@dataclass(frozen=True)
class _Facts:
    """What the database says of a use case now, whatever is published."""

    is_active: bool = False
    # Of the active version.
    locales: Sequence[str] = ()
    run: Mapping[str, Any] | None = None
    has_reports: bool = False


def cards(found: Sequence[UseCase], owned: Collection[int]) -> list[Card]:
    """Of these use cases, of which somebody owns some; the number of queries does not depend on theirs."""
    results, facts = cached_each(found, "card", "", _results), _facts(found)
    progress = _percents(facts, owned)
    waiting = _quarantined([use_case.pk for use_case in found if use_case.pk in owned])
    return [
        _card(
            use_case, facts[use_case.pk], results[use_case.pk], progress.get(use_case.pk), waiting.get(use_case.pk, 0)
        )
        for use_case in found
    ]


def _card(use_case: UseCase, facts: _Facts, result: Result | None, done: int | None, quarantined: int) -> Card:
    badges = [_state(use_case, facts, result, done)]
    if use_case.state == UseCase.State.PAUSED:
        badges.insert(0, Badge(_("Paused")))
    if quarantined:
        words = ngettext("%(count)s batch in quarantine", "%(count)s batches in quarantine", quarantined)
        there = reverse("quarantine", args=[use_case.slug])
        badges.append(Badge(words % {"count": whole(quarantined)}, "busy", there))
    if result is not None and result.new_words:
        badges.append(_new_words(use_case, facts, result))
    return Card(
        use_case=use_case,
        places=_places(facts),
        badges=badges,
        result=result,
        hint=_hint(use_case, facts) if result is None else "",
        percent=done,
        failed=str(facts.run["pk"]) if facts.run is not None and facts.run["state"] == Run.State.FAILED else "",
        is_active=facts.is_active,
        has_reports=facts.has_reports,
    )


def _new_words(use_case: UseCase, facts: _Facts, result: Result) -> Badge:
    words = ngettext("%(count)s new word", "%(count)s new words", result.new_words)
    if len(facts.locales) > 1:
        words = ngettext("%(count)s new word in all locales", "%(count)s new words in all locales", result.new_words)
    there = f"{reverse('use_case', args=[use_case.slug])}?{result.query and result.query + '&'}words=new"
    return Badge(words % {"count": whole(result.new_words)}, "new", there)


def _places(facts: _Facts) -> str:
    if not facts.is_active:
        return _("no active version")
    if facts.locales == [UNDIVIDED]:
        return _("all locales")
    return ngettext("%(count)s locale", "%(count)s locales", len(facts.locales)) % {"count": len(facts.locales)}


def _state(use_case: UseCase, facts: _Facts, result: Result | None, done: int | None) -> Badge:
    state = facts.run["state"] if facts.run is not None else None
    if state == Run.State.WAITING:
        return Badge(_("Waiting for a worker"), "busy", _address(facts))
    if done is not None:
        return Badge(_("Aggregating, %(percent)s %% done") % {"percent": done}, "busy", _address(facts))
    if state == Run.State.FAILED:
        return Badge(_("Last run failed"), "bad", _address(facts))
    if result is not None:
        return _published(result, facts)
    if state == Run.State.FINISHED:
        return Badge(_("Too few reports to show"))
    return Badge(_("Not aggregated yet"), "busy") if facts.has_reports else Badge(_("No reports yet"))


def _address(facts: _Facts) -> str:
    """Of the latest run."""
    return reverse("run", args=[facts.run["pk"]]) if facts.run is not None else ""


def _hint(use_case: UseCase, facts: _Facts) -> str:
    """Why nothing is shown, and what has to happen."""
    if not facts.is_active:
        return _("It has no active version, so devices send nothing for it.")
    if not facts.has_reports:
        return _("Nothing has been received yet.")
    if facts.run is None:
        return _("Reports have arrived. They are counted when their day is over, or when an owner aggregates.")
    return _("Results appear once there are %(minimum)s reports.") % {"minimum": whole(use_case.minimum_reports)}


def _published(result: Result, facts: _Facts) -> Badge:
    if result.age <= FRESH_DAYS:
        return Badge(_("Healthy"), "good")
    # A run has counted later days since, and could publish none of them.
    later = facts.run is not None and facts.run["last_day"] > result.last_day.isoformat()
    return Badge(_("Too few new reports")) if later else Badge(_("Nothing new"))


def _results(use_cases: Sequence[UseCase]) -> dict[int, Result | None]:
    return {pk: None if found is None else _result(found) for pk, found in latest(use_cases).items()}


def _result(found: Latest) -> Result:
    shown = {
        "discovers": found.discovers,
        "locale": locale_name(found.locale),
        "language_tag": language_tag(found.locale),
        "direction": direction(found.locale),
        "window": day_range(found.first_day, found.last_day),
        "n": whole(found.n),
        "lines": [_line(leader) for leader in found.leaders],
        "trend": sparkline(found),
    }
    return Result(
        html=render_to_string("reports/_card_result.html", shown),
        query="" if found.is_first_locale else urlencode({"locale": found.locale}),
        last_day=found.last_day,
        new_words=found.new_words,
    )


def _line(leader: Leader) -> Line:
    ends = {"lower": rounded(100 * leader.lower, 2), "upper": rounded(100 * leader.upper, 2)}
    # Translators: an interval in percent.
    interval = _("%(lower)s – %(upper)s %%") % ends
    return Line(leader.display, leader.name, percent(leader.share), interval)


def _facts(found: Sequence[UseCase]) -> dict[int, _Facts]:
    """Of each use case its active version, the latest run of any version, and whether any has reports."""
    newest = Run.objects.filter(version=OuterRef("pk")).order_by("-created_at")
    described = JSONObject(pk="pk", state="state", created_at="created_at", last_day="last_day")
    versions = Version.objects.filter(use_case__in=found).exclude(state=Version.State.DRAFT).order_by("number")
    rows = versions.values(
        "use_case",
        "state",
        "locales",
        run=Subquery(newest.values(run=described)[:1]),
        has_reports=Exists(Shard.objects.filter(version=OuterRef("pk")))
        | Exists(DeviceRecord.objects.filter(version=OuterRef("pk"))),
    )
    facts = dict.fromkeys((use_case.pk for use_case in found), _Facts())
    for row in rows:
        each = facts[row["use_case"]]
        runs = [run for run in (each.run, row["run"]) if run is not None]
        is_active = row["state"] == Version.State.ACTIVE
        facts[row["use_case"]] = _Facts(
            is_active=is_active or each.is_active,
            locales=row["locales"] if is_active else each.locales,
            run=max(runs, key=lambda run: datetime.datetime.fromisoformat(run["created_at"]), default=None),
            has_reports=each.has_reports or row["has_reports"],
        )
    return facts


def _percents(facts: Mapping[int, _Facts], owned: Collection[int]) -> dict[int, int]:
    """How far the latest run of each use case is, for those where it is not finished."""
    unfinished = {
        each.run["pk"]: use_case
        for use_case, each in facts.items()
        if each.run is not None and each.run["state"] in Run.UNFINISHED
    }
    percents = dict.fromkeys(unfinished.values(), 0)
    parts = Part.objects.filter(run__in=list(unfinished)).order_by().values("run")
    for run, total, done in parts.annotate(total=Count("pk"), done=Count("finished_at")).values_list(
        "run", "total", "done"
    ):
        share, use_case = 100 * done // (total + 1), unfinished[str(run)]
        # The number of parts tells how many reports there are: others are told in steps.
        percents[use_case] = share if use_case in owned else share // VIEWERS_STEP * VIEWERS_STEP
    return percents


def _quarantined(owned: Collection[int]) -> dict[int, int]:
    """How many batches with reports for each use case wait for a decision."""
    shards = QuarantinedShard.objects.filter(version__use_case__in=owned).order_by()
    counted = shards.values("version__use_case").annotate(batches=Count("batch", distinct=True))
    return dict(counted.values_list("version__use_case", "batches"))
