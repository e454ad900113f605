"""Troubles in the site's operation: what needs an operator now, in sentences that tell no result."""

import datetime
from collections import defaultdict
from collections.abc import Iterator
from typing import Final, NamedTuple

from django.contrib.auth.models import User
from django.core.cache import cache
from django.db.models import F, Max, OuterRef, QuerySet, Subquery
from django.utils.formats import date_format
from django.utils.translation import gettext as _

from reports.access import may_define, use_cases
from reports.clock import clock_doubt
from reports.jobs import is_nearly_full, is_silent, worker_hosts
from reports.models import Period, Run, UseCase, Version
from reports.models.failures import CANCELLED, in_words
from reports.models.uploads import utc_today
from reports.notifications.messages import site_address

# A locale was published daily if it had results of so many of the seven days up to its last; it is silent after days
# without any. Of days that are published together one has results: a locale of few reports is not missed.
DAILY: Final = 5
SILENT_DAYS: Final = 3
# Later it is news no more.
_FORGOTTEN: Final = datetime.timedelta(days=30)
_WEEK: Final = datetime.timedelta(days=7)


class SilentLocale(NamedTuple):
    """A locale of a version, and the last day that has results, by primary keys."""

    use_case: int
    version: int
    locale: str
    last_day: datetime.date


def troubles_of(operator: User | None = None) -> Iterator[tuple[str, str]]:
    """Yield a key by which each trouble is known again, and a sentence in the active language.

    Of an operator's own use cases; of all, of hosts and the clock to those who may define any, or if none is given.
    """
    theirs = UseCase.objects.all() if operator is None else use_cases(operator, "edit")
    yield from _failed_runs(theirs)
    yield from _silences(theirs)
    if operator is None or may_define(operator):
        yield from _of_machines()


def _failed_runs(theirs: QuerySet[UseCase]) -> Iterator[tuple[str, str]]:
    """Yield failed runs that are the newest of their version."""
    newest = Run.objects.filter(version=OuterRef("pk")).order_by("-created_at").values("pk")[:1]
    versions = Version.objects.filter(use_case__in=theirs.values("pk"))
    latest = versions.annotate(newest=Subquery(newest)).exclude(newest=None).values("newest")
    failed = Run.objects.filter(state=Run.State.FAILED, pk__in=latest).exclude(failure=CANCELLED)
    for pk, reason in failed.order_by("created_at").values_list("pk", "failure"):
        facts = {"reason": in_words(reason), "link": site_address("run", pk)}
        yield f"run {pk}", _("A run failed: %(reason)s %(link)s") % facts


def _silences(theirs: QuerySet[UseCase]) -> Iterator[tuple[str, str]]:
    """Yield locales that fell silent, without a name: the page *Operations* has them."""
    use_cases_of_theirs = {*theirs.values_list("pk", flat=True)}
    for each in silent_locales():
        if each.use_case in use_cases_of_theirs:
            facts = {"day": date_format(each.last_day), "link": site_address("operations")}
            words = _("A locale that had results daily has had none since %(day)s. %(link)s") % facts
            yield f"silent {each.version} {each.locale} {each.last_day}", words


def silent_locales() -> list[SilentLocale]:
    """Return the locales of all active versions that were published daily and are not any more: as pages show it.

    Looked up every ten minutes at most.
    """
    today = utc_today()
    found: list[SilentLocale] | None = cache.get(f"silent-locales:{today}")
    if found is None:
        found = _silent_since(today)
        cache.set(f"silent-locales:{today}", found, 600)
    return found


def _silent_since(today: datetime.date) -> list[SilentLocale]:
    versions = Version.objects.filter(use_case__state=UseCase.State.RUNNING, state=Version.State.ACTIVE)
    recent = Period.objects.filter(version__in=versions, last_day__gt=today - _FORGOTTEN, last_day__lt=today)
    shown = recent.shown(F("version__use_case__minimum_reports")).order_by()
    # The database finds the few first: of all others their days are many.
    places = shown.values_list("version", "locale").annotate(last=Max("last_day"))
    quiet = list(places.filter(last__lt=today - datetime.timedelta(days=SILENT_DAYS)))
    known = versions.filter(pk__in={pk for pk, _locale, _last in quiet}).values_list("pk", "use_case", "locales")
    facts = {pk: (use_case, locales) for pk, use_case, locales in known}
    silent = [SilentLocale(facts[pk][0], pk, locale, last) for pk, locale, last in quiet if locale in facts[pk][1]]
    days: dict[tuple[int, str], set[datetime.date]] = defaultdict(set)
    of_these = shown.filter(version__in={each.version for each in silent}, locale__in={each.locale for each in silent})
    for version, locale, day in of_these.values_list("version", "locale", "last_day").distinct():
        days[version, locale].add(day)
    return sorted(
        each for each in silent if sum(day > each.last_day - _WEEK for day in days[each.version, each.locale]) >= DAILY
    )


def _of_machines() -> Iterator[tuple[str, str]]:
    for host in worker_hosts():
        if is_silent(host):
            seen = date_format(host.seen_at, "DATETIME_FORMAT")
            yield (
                f"host {host.name}",
                _("No worker on %(host)s since %(time)s UTC.") % {"host": host.name, "time": seen},
            )
        elif is_nearly_full(host):
            yield f"disk {host.name}", _("Less than 10%% of the disk of %(host)s is free.") % {"host": host.name}
    if (doubt := clock_doubt()) is not None:
        yield "clock", str(doubt)
