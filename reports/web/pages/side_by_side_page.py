"""The page that puts two use cases side by side: what each shows of the same days, at which price, and why."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import sqrt
from typing import Final

import numpy as np
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from aggregation.planning import estimate_cost
from aggregation.registry import Mechanism
from aggregation.screening import effect_of_fakes
from reports.access import use_cases
from reports.demo.twins import twin_of
from reports.formatting import data_size, day_range, plain, rounded, small_percent, upper_bound, whole
from reports.mechanisms import title_of
from reports.models import Histogram, UseCase, Version
from reports.results import (
    MOST_DAYS,
    HistogramQuery,
    HistogramRow,
    HistogramView,
    QueryError,
    default_version,
    histogram_view,
    with_versions,
)
from reports.viewings import record_viewing
from reports.web.pages.choices import Choice
from reports.web.pages.locales import writing
from reports.web.pages.people import person

MOST_ROWS: Final = 400
# The rest is there when it is asked for.
FIRST_ROWS: Final = 20
# How much less time of the server's, or how many more reports, is worth a sentence.
_WORTH_SAYING: Final = 1.5


@dataclass(frozen=True)
class Side:
    """A use case with what it shows."""

    view: HistogramView
    histogram: Histogram
    mechanism: Mechanism

    @property
    def title(self) -> str:
        return self.view.use_case.title

    @property
    def total(self) -> int:
        return self.view.total

    @property
    def raised(self) -> float:
        """The most that one crafted report adds to an estimate."""
        return effect_of_fakes(self.mechanism).raised

    @property
    def seconds(self) -> float:
        """About what one core needs for the reports of a day."""
        days = (self.histogram.last_day - self.histogram.first_day).days + 1
        size = self.histogram.revision.size if self.histogram.revision is not None else self.total
        return estimate_cost(self.mechanism, max(1, self.histogram.n // days), size).seconds


@dataclass(frozen=True)
class Cell:
    """An element on one side: its share in words, and the length of its bar in percent; neither if it is not shown."""

    share: str = ""
    length: str = ""


@dataclass(frozen=True)
class Line:
    """An element that one side shows, or both."""

    display: str
    name: str
    cells: tuple[tuple[str, Cell], ...]


@require_safe
def side_by_side(request: HttpRequest, slug: str) -> HttpResponse:
    reader = person(request)
    visible = with_versions(use_cases(reader, "view"))
    found = get_object_or_404(visible, slug=slug)
    others = [each for each in visible.exclude(pk=found.pk) if _is_alike(found, each)]
    asked = request.GET.get("with", "")
    wanted = asked or _usual(found, others)
    context = {
        "use_case": found,
        "others": [Choice(each.slug, each.title, each.slug == wanted) for each in others],
        "locale": request.GET.get("locale", ""),
    }
    if wanted:
        other = next((each for each in others if each.slug == wanted), None)
        if other is None:
            raise Http404
        try:
            views = _views((found, other), HistogramQuery.from_parameters(request.GET))
        except QueryError as error:
            answer = {"use_case": found, "error": error, "field": error.field}
            return render(request, "reports/bad_query.html", answer, status=400)
        sides = [side for side in map(_side, views) if side is not None]
        if len(sides) == len(views):
            for side in sides:
                record_viewing(reader, side.view.use_case, "page")
            context |= _shown(sides)
        else:
            context["missing"] = [view.use_case.title for view in views if view.histogram is None]
    return render(request, "reports/side_by_side.html", context)


def _is_alike(found: UseCase, other: UseCase) -> bool:
    """Return whether both can show the same elements: one dictionary counts them, or neither has any."""
    mine, its = default_version(found), default_version(other)
    return mine is not None and its is not None and _counted(mine) == _counted(its)


def _counted(version: Version) -> tuple[str, str | None]:
    revision = version.current_dictionary()
    return version.normalization, revision.digest if revision is not None else None


def _usual(found: UseCase, others: Sequence[UseCase]) -> str:
    """Return which one is shown if none is asked for: the twin, or the only one there is."""
    slugs = [each.slug for each in others]
    twin = twin_of(found.slug)
    return twin if twin in slugs else slugs[0] if len(slugs) == 1 else ""


def _views(pair: tuple[UseCase, UseCase], query: HistogramQuery) -> list[HistogramView]:
    """Return both views over the same days: of those that are asked for, or of all that both have."""
    query = HistogramQuery(locale=query.locale, first=query.first, last=query.last, days=query.days, top=MOST_ROWS)
    if not query.has_window:
        spans = [histogram_view(each, query, results=False).span for each in pair]
        if all(spans):
            first, last = max(span.first for span in spans if span), min(span.last for span in spans if span)
            if first <= last:
                days = min((last - first).days + 1, MOST_DAYS)
                query = replace(query, last=last, days=days)
    return [histogram_view(each, query) for each in pair]


def _side(view: HistogramView) -> Side | None:
    if view.histogram is None or view.version is None:
        return None
    return Side(view, view.histogram, view.version.mechanism)


def _shown(sides: Sequence[Side]) -> dict[str, object]:
    """All that the page says of two sides, the one that shows fewer first."""
    fewer, more = sorted(sides, key=lambda side: side.total)
    lines = list(_lines(fewer, more))[:MOST_ROWS]
    language, direction = writing(more.histogram.locale, neutral=True)
    pair = (fewer, more)
    return {
        "sides": pair,
        "answer": _answer(fewer, more),
        "reasons": list(_reasons(fewer, more)),
        "otherwise": _otherwise(fewer, more),
        "facts": [(label, list(zip(_labels(*pair), values, strict=True))) for label, values in _facts(pair)],
        "first_lines": lines[:FIRST_ROWS],
        "more_lines": lines[FIRST_ROWS:],
        "element_lang": language,
        "element_dir": direction,
    }


def _answer(fewer: Side, more: Side) -> str:
    """Ask what a reader asks first, or ought to: why not take the one that shows more."""
    facts = {"fewer": fewer.title, "more": more.title, "few": whole(fewer.total), "many": whole(more.total)}
    if fewer.total == more.total:
        return _("“%(fewer)s” and “%(more)s” show as many elements: %(few)s. What speaks for “%(fewer)s”:") % facts
    return (
        _("Why would anybody use “%(fewer)s”, which shows %(few)s elements where “%(more)s” shows %(many)s? Because")
        % facts
    )


def _reasons(fewer: Side, more: Side) -> Iterator[str]:
    """Yield what speaks for the one that shows fewer: what of it is better, and what is there already."""
    if fewer.raised < more.raised:
        yield _(
            "crafted reports do less to it: each adds up to %(low)s reports to an element, and up to %(high)s to the"
            " other."
        ) % {"low": upper_bound(fewer.raised), "high": upper_bound(more.raised)}
    if fewer.seconds * _WORTH_SAYING < more.seconds:
        yield _("the server counts its reports about %(times)s times as fast.") % {
            "times": rounded(more.seconds / fewer.seconds, 0 if more.seconds > 3 * fewer.seconds else 1)
        }
    if fewer.mechanism.report_characters < more.mechanism.report_characters:
        sizes = (data_size(side.mechanism.report_characters) for side in (fewer, more))
        yield _("its reports are smaller: %(small)s, and %(large)s with the other.") % dict(
            zip(("small", "large"), sizes, strict=True)
        )
    if fewer.mechanism.report_epsilon < more.mechanism.report_epsilon:
        yield _("each report gives away less: its ε is smaller.")
    yield _(
        "devices that are out there send what they were built for: another mechanism is a new version, which needs new"
        " devices, and begins a new trend."
    )


def _otherwise(fewer: Side, more: Side) -> str:
    if fewer.mechanism.report_epsilon < more.mechanism.report_epsilon or fewer.total == more.total:
        return ""
    return _("Without one of these reasons, take “%(more)s”.") % {"more": more.title}


def _facts(sides: Sequence[Side]) -> Iterator[tuple[str, list[str]]]:
    """Yield what is compared, and its value on either side."""
    yield _("Mechanism"), [title_of(side.mechanism.algorithm) for side in sides]
    yield _("ε of a report"), [plain(side.mechanism.report_epsilon) for side in sides]
    yield _("Days"), [day_range(side.histogram.first_day, side.histogram.last_day) for side in sides]
    yield _("Reports"), [whole(side.histogram.n) for side in sides]
    yield _("Elements shown"), [whole(side.total) for side in sides]
    yield _("Smallest share that is shown"), [_threshold(side.histogram) for side in sides]
    yield _("Standard error of a small share"), [f"± {small_percent(_error(side))}" for side in sides]
    yield _("Size of a report"), [data_size(side.mechanism.report_characters) for side in sides]
    added = _("%(count)s reports")
    yield _("One crafted report adds at most"), [added % {"count": upper_bound(side.raised)} for side in sides]


def _threshold(histogram: Histogram) -> str:
    return "" if histogram.threshold is None else small_percent(histogram.threshold / histogram.n)


def _error(side: Side) -> float:
    n = side.histogram.n
    return sqrt(float(side.mechanism.debiased.variance(np.zeros(1), n, side.histogram.f2)[0])) / n


def _lines(fewer: Side, more: Side) -> Iterator[Line]:
    """Yield all that either shows, in the order of the one that shows more, and then the rest."""
    rows: tuple[dict[str, HistogramRow], ...] = tuple(
        {row.entry.element: row for row in side.view.rows} for side in (fewer, more)
    )
    largest = max((row.share for own in rows for row in own.values()), default=1.0)
    for element in dict.fromkeys([*rows[1], *rows[0]]):
        shown = next(own[element] for own in rows if element in own)
        cells = (_cell(own.get(element), largest) for own in rows)
        yield Line(shown.display, shown.name, tuple(zip(_labels(fewer, more), cells, strict=True)))


def _labels(fewer: Side, more: Side) -> list[str]:
    """Return what either side is called in a line of its own: by the mechanism, if that tells them apart."""
    names = [title_of(side.mechanism.algorithm) for side in (fewer, more)]
    return names if names[0] != names[1] else [fewer.title, more.title]


def _cell(row: HistogramRow | None, largest: float) -> Cell:
    if row is None:
        return Cell()
    error = row.share * row.entry.standard_error / max(row.value, 1e-9)
    return Cell(f"{small_percent(row.share)} ± {small_percent(error)}", f"{100 * row.share / largest:.2f}")
