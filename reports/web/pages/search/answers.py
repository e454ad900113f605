"""Answers to questions: one line with the number, its days, and the page that shows it."""

from collections.abc import Collection, Sequence
from dataclasses import replace
from urllib.parse import urlencode

from django.contrib.auth.models import User
from django.urls import reverse
from django.utils.translation import gettext as _

from reports.formatting import day_range, small_percent
from reports.results import (
    Grade,
    HistogramQuery,
    QueryError,
    Standing,
    default_version,
    histogram_view,
)
from reports.results.trend import PointState
from reports.viewings import record_once_a_day
from reports.web.pages.addresses import DEFAULT_DAYS, DEFAULT_TOP, element_address, page_parameters
from reports.web.pages.histogram.histogram_finding import finding
from reports.web.pages.kinds import page_kind
from reports.web.pages.locales import UNDIVIDED, language_tag, locale_name
from reports.web.pages.search.hits import Hit
from reports.web.pages.search.questions import Question
from reports.web.pages.trend.trend_words import interval, point_words


def answer(person: User, question: Question, standings: Sequence[Standing]) -> Hit | None:
    """Return the best answer to a question, about one of these elements; None if nothing is shown of what it names."""
    if not question.words:
        return _leaders(person, question) if question.names_use_cases else None
    asked = {use_case.pk for use_case in question.use_cases}
    own = [
        of_locales
        for each in standings
        if each.grade <= Grade.BEGINNINGS and each.version.use_case_id in asked
        if (of_locales := _in_locales(each, question.locales)).newest
    ]
    if not own:
        return None
    best = min(own, key=lambda each: (each.version.use_case.simulation_of_id is not None, not each.share))
    record_once_a_day(person, [best.version.use_case], "search")
    return of_standing(best)


def of_standing(standing: Standing) -> Hit:
    """Return the line about an element in a use case, which leads to all locales and days."""
    locales = standing.version.locales
    return Hit(
        title=standing.element.display,
        name=standing.element.name,
        detail=_("%(name)s: %(value)s") % {"name": standing.version.use_case.title, "value": standing_words(standing)},
        address=element_address(standing.version.use_case.slug, standing.element.text),
        lang=language_tag(locales[0]) if len(locales) == 1 else UNDIVIDED,
    )


def _in_locales(standing: Standing, locales: Collection[str]) -> Standing:
    """Leave other locales out; all stay where the use case has none of these."""
    own = tuple(result for result in standing.newest if result.locale in locales)
    return replace(standing, newest=own) if own else standing


def _leaders(person: User, question: Question) -> Hit | None:
    """Say what leads in the first of the use cases that shows something of the locale and days."""
    for use_case in question.use_cases:
        version = default_version(use_case)
        locale = next((each for each in version.locales if each in question.locales), None) if version else None
        if version is None or (question.locales and locale is None):
            continue
        counts = page_kind(version).counts_dictionary
        days = (question.days or DEFAULT_DAYS) if counts else None
        query = HistogramQuery(locale=locale, days=days, top=DEFAULT_TOP)
        try:
            view = histogram_view(use_case, query)
        except QueryError:
            continue
        if view.histogram is None or not view.rows:
            continue
        record_once_a_day(person, [use_case], "search")
        written = day_range(view.histogram.first_day, view.histogram.last_day)
        where = [use_case.title, *([locale_name(view.locale)] if view.locale != UNDIVIDED else []), written]
        found = finding(view, view.histogram, page_kind(version))
        address = f"{reverse('use_case', args=[use_case.slug])}?{urlencode(page_parameters(query, view))}"
        return Hit(found, address, detail=" · ".join(where))
    return None


def standing_words(standing: Standing) -> str:
    """The largest share with its interval and the other locales that show one; or why there is none."""
    if not standing.newest:
        return ""
    first = standing.newest[0]
    shown = [result for result in standing.newest if result.share is not None]
    if not shown:
        return _below(standing)
    days = day_range(first.slot.first, first.slot.last)
    words = f"{point_words(first.slot, first.point)} ({interval(first.slot, first.point)})"
    if first.locale == UNDIVIDED:
        return f"{words}, {days}"
    words = _("%(words)s in %(locale)s") % {"words": words, "locale": locale_name(first.locale)}
    words = f"{words}, {days}"
    if len(standing.newest) == 1:
        return words
    if len(shown) == len(standing.newest):
        return _("%(words)s, above the threshold in all %(all)s locales") % {"words": words, "all": len(shown)}
    counts = {"words": words, "count": len(shown), "all": len(standing.newest)}
    return _("%(words)s, above the threshold in %(count)s of %(all)s locales") % counts


def _below(standing: Standing) -> str:
    bounds = [
        (result.point.at_most / result.slot.histogram.n, result.slot)
        for result in standing.newest
        if result.point.at_most is not None and result.slot.histogram is not None
    ]
    if bounds:
        bound, slot = max(bounds, key=lambda each: each[0])
        facts = {"share": small_percent(bound), "days": day_range(slot.first, slot.last)}
        return _("too rare to be told from noise, %(share)s of reports at most, %(days)s") % facts
    states = {result.point.state for result in standing.newest}
    if PointState.NOT_FOUND in states:
        return _("not in the newest lists")
    if PointState.NOT_COUNTED in states:
        return _("in the dictionary, not counted in these days")
    return _("in the dictionary; too few reports yet, or none")
