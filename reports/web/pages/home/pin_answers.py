"""The answer of a saved view in one line, as its page has it: what leads, with its interval, and how it went."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from django.http import QueryDict
from django.utils.translation import gettext as _

from reports.formatting import day_range, small_percent
from reports.models import SavedView, UseCase
from reports.models.uploads import utc_today
from reports.results import HistogramQuery, QueryError, histogram_view, place_of
from reports.results.changes import ChangesQuery, changes_view
from reports.results.comparison import ComparisonQuery, comparison_view
from reports.results.element import element_view
from reports.results.locales_together import LocalesQuery, locales_view
from reports.results.trend import Element, Point, Series, Slot, TrendQuery, elements_of, trend_view
from reports.web.pages.changes.changes_table import digits_of
from reports.web.pages.changes.changes_words import headline
from reports.web.pages.compare.comparison_facts import side_names
from reports.web.pages.compare.comparison_numbers import difference, difference_interval, digits_for
from reports.web.pages.compare.comparison_table import in_words
from reports.web.pages.locales import locale_name, writing
from reports.web.pages.locales_together.locales_page import headline as headline_of_locales
from reports.web.pages.trend.trend_words import INTERVAL, interval, point_words

# In units of the drawing, which is stretched to the room there is.
WIDTH, HEIGHT = 100, 24
COLUMNS = 10


@dataclass(frozen=True)
class Answer:
    """An element with its number, and where and when that is so; or a sentence in place of all that."""

    place: str
    days: str
    element: str = ""
    name: str = ""
    lang: str = ""
    direction: str = ""
    value: str = ""
    interval: str = ""
    # The drawing: columns of the largest elements, or the line of one over days.
    columns: str = ""
    path: str = ""


def answer_of(view: SavedView) -> Answer | None:
    """The answer as of now, for everybody who sees the view's use case; None where there is nothing to see.

    It takes as long as the view's page, and is kept with the view until there are newer results or another day.
    """
    place = place_of(view.use_case, f"pin {utc_today()}", f"{view.page} {view.query}")
    if place in view.answers:
        kept = view.answers[place]
        return None if kept is None else Answer(**kept)
    found = _answer(view.use_case, view.page, view.query)
    of_now = place.rpartition(":")[0]
    others = {each: answer for each, answer in view.answers.items() if each.startswith(f"{of_now}:")}
    view.answers = others | {place: None if found is None else vars(found)}
    SavedView.objects.filter(pk=view.pk).update(answers=view.answers)
    return found


def _answer(use_case: UseCase, page: str, query: str) -> Answer | None:
    read = _ANSWERS.get(page)
    try:
        return None if read is None else read(use_case, QueryDict(query))
    except QueryError:
        # It asks for what the use case does not have any more.
        return None


def _of_histogram(use_case: UseCase, parameters: QueryDict) -> Answer | None:
    view = histogram_view(use_case, replace(HistogramQuery.from_parameters(parameters), top=COLUMNS))
    if view.histogram is None or view.version is None or not view.rows:
        return None
    row, *_rest = view.rows
    n = view.histogram.n
    place = locale_name(view.locale)
    ends = (small_percent(end / n) for end in (row.entry.adjusted_lower, row.entry.adjusted_upper))
    lang, direction = writing(view.locale)
    return Answer(
        element=row.display,
        name=row.name,
        lang=lang,
        direction=direction,
        value=small_percent(row.share),
        interval=INTERVAL % tuple(ends),
        place=_("%(place)s; which is first is open") % {"place": place} if row.tied else place,
        days=day_range(view.histogram.first_day, view.histogram.last_day),
        columns=_columns([max(each.share, 0.0) for each in view.rows]),
    )


def _columns(shares: Sequence[float]) -> str:
    width, scale = WIDTH / COLUMNS, (HEIGHT - 1) / (max(shares) or 1.0)
    return "".join(
        f"M{width * place:.1f} {HEIGHT}v-{scale * share:.1f}h{width - 2:.1f}V{HEIGHT}z"
        for place, share in enumerate(shares)
    )


def _of_comparison(use_case: UseCase, parameters: QueryDict) -> Answer | None:
    view = comparison_view(use_case, replace(ComparisonQuery.from_parameters(parameters), top=1))
    if view.version is None or view.histograms is None or not view.rows:
        return None
    (row,), (first, second) = view.rows, view.histograms
    digits = digits_for(*((each.threshold or 0.0) / each.n for each in view.histograms))
    (element,) = elements_of(view.version, [(row.element, row.display, row.category)])
    lang, direction = writing(first.locale, neutral=first.locale != second.locale)
    return Answer(
        element=element.display,
        name=element.name,
        lang=lang,
        direction=direction,
        value=_("%(points)s points") % {"points": difference(row, digits)} if difference(row, digits) else "",
        interval=difference_interval(row, digits),
        place=in_words(row.verdict, side_names(view)),
        days=" / ".join(dict.fromkeys(day_range(each.first_day, each.last_day) for each in view.histograms)),
    )


def _of_changes(use_case: UseCase, parameters: QueryDict) -> Answer | None:
    view = changes_view(use_case, ChangesQuery.from_parameters(parameters))
    if view.version is None or view.now is None or not view.all_rows:
        return None
    sentence = headline(view.version, view.now, view.clear, view.tested, digits_of(view.pairs))
    return Answer(place=sentence, days=day_range(*view.now))


def _of_locales(use_case: UseCase, parameters: QueryDict) -> Answer | None:
    view = locales_view(use_case, LocalesQuery.from_parameters(parameters))
    if view.days is None or not view.elements:
        return None
    return Answer(place=headline_of_locales(view), days=day_range(*view.days))


def _of_trend(use_case: UseCase, parameters: QueryDict) -> Answer | None:
    view = trend_view(use_case, TrendQuery.from_parameters(parameters), weeks_if_noisy=True)
    return _of_series(view.series[0]) if view.series else None


def _of_element(use_case: UseCase, parameters: QueryDict) -> Answer | None:
    view = element_view(use_case, TrendQuery.from_parameters(parameters), most_locales=1)
    if view is None or view.is_empty:
        return None
    newest = view.newest[0]
    answer = _of_point(view.element, newest.locale, newest.slot, newest.point)
    return replace(answer, path=path_of(view.series[0]) if view.series else "")


def _of_series(series: Series) -> Answer | None:
    shown = [(slot, point) for slot, point in zip(series.slots, series.points, strict=True) if slot.histogram]
    if not shown:
        return None
    return replace(_of_point(series.element, series.locale, *shown[-1]), path=path_of(series))


def _of_point(element: Element, locale: str, slot: Slot, point: Point) -> Answer:
    lang, direction = writing(locale)
    return Answer(
        element=element.display,
        name=element.name,
        lang=lang,
        direction=direction,
        value=point_words(slot, point),
        interval=interval(slot, point),
        place=locale_name(locale),
        days=day_range(slot.first, slot.last),
    )


def path_of(series: Series) -> str:
    """Draw the shares of a series, from zero; a line ends where nothing is shown."""
    shares = [
        point.numbers.estimate / slot.histogram.n if point.numbers is not None and slot.histogram is not None else None
        for slot, point in zip(series.slots, series.points, strict=True)
    ]
    return "".join(_steps(shares)) if sum(share is not None for share in shares) > 1 else ""


def _steps(shares: Sequence[float | None]) -> list[str]:
    most = max((share for share in shares if share is not None), default=0.0) or 1.0
    found, before = [], None
    for place, share in enumerate(shares):
        if share is not None:
            x = WIDTH * place / max(1, len(shares) - 1)
            # One that stands alone is a dot.
            found.append(
                f"{'M' if before is None else 'L'}{x:.1f} {HEIGHT - 1 - (HEIGHT - 2) * max(share, 0) / most:.1f}h.1"
            )
        before = share
    return found


_ANSWERS: Final[dict[str, Callable[[UseCase, QueryDict], Answer | None]]] = {
    SavedView.Page.EXPLORE: _of_histogram,
    SavedView.Page.COMPARE: _of_comparison,
    SavedView.Page.TREND: _of_trend,
    SavedView.Page.CHANGES: _of_changes,
    SavedView.Page.LOCALES: _of_locales,
    SavedView.Page.ELEMENT: _of_element,
}
