"""The query strings of pages that are kept: in a saved view, or in the link of an embedded page.

What is kept is read as the page reads it and written anew, so that nothing is in it that the page does not know. An
address is made of the page's name and the use case; none is ever kept.
"""

from collections.abc import Callable
from typing import Final, TypeAlias

from django.http import QueryDict
from django.urls import reverse
from django.utils.translation import gettext as _

from reports.formatting import written_day
from reports.models import SavedView, UseCase
from reports.results import HistogramQuery, QueryError, read_iso_date
from reports.results.changes import ChangesQuery
from reports.results.comparison import ComparisonQuery
from reports.results.locales_together import LocalesQuery
from reports.results.trend import TrendQuery
from reports.web.pages.locales import locale_name
from reports.web.pages.windows import relative
from reports.web.query_strings import without_nul

LONGEST: Final = 2000

# Reads parameters and writes those anew that say something, or raises `QueryError`.
Reader: TypeAlias = Callable[[QueryDict], str]

READERS: dict[str, Reader] = {
    SavedView.Page.EXPLORE: lambda parameters: HistogramQuery.from_parameters(parameters).encoded(),
    SavedView.Page.COMPARE: lambda parameters: ComparisonQuery.from_parameters(parameters).encoded(),
    SavedView.Page.TREND: lambda parameters: TrendQuery.from_parameters(parameters).encoded(),
    SavedView.Page.CHANGES: lambda parameters: ChangesQuery.from_parameters(parameters).encoded(),
    SavedView.Page.LOCALES: lambda parameters: LocalesQuery.from_parameters(parameters).encoded(),
    SavedView.Page.ELEMENT: lambda parameters: TrendQuery.from_parameters(parameters).encoded(),
}


def normalised(page: str, query: str) -> str:
    """The query string of a page without what it does not know. Raises `QueryError`; KeyError for no page of ours."""
    read = READERS[page]
    found = read(QueryDict(without_nul(query.removeprefix("?")))) if len(query) <= LONGEST else query
    if len(found) > LONGEST:
        raise QueryError("query", _("This view has too many choices to be kept."))
    return found


def in_words(page: str, query: str) -> str:
    """A kept query in a few words: the page, elements, the locale, the window, what is searched for."""
    parameters = QueryDict(query)
    locale, days = parameters.get("locale", ""), parameters.get("days", "")
    dates = [written_day(day) for name in ("from", "to") if (day := read_iso_date(parameters.get(name, "")))]
    words = [str(SavedView.Page(page).label), *parameters.getlist("element")[:3], locale and locale_name(locale)]
    words += [" – ".join(dates), relative(int(days), None) if days.isdecimal() else "", parameters.get("q", "")]
    return " · ".join(filter(None, words))


def address(use_case: UseCase, page: str, query: str) -> str:
    """Where a kept query is answered."""
    path = reverse(page, args=[use_case.slug])
    return f"{path}?{query}" if query else path
