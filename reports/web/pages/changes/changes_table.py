"""The table of what changed: the rows of the chart, with numbers as people read them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple, Self, TypeAlias
from urllib.parse import urlencode

from django.urls import reverse
from django.utils.translation import gettext as _

from reports.formatting import day_range
from reports.models import Version
from reports.publication import Days
from reports.results import colourful, element_name, unpadded
from reports.results.changes import Change, ChangeRow, ChangesView, Pair
from reports.results.comparison import OTHER, Share
from reports.web.pages.addresses import element_address
from reports.web.pages.changes import changes_words
from reports.web.pages.compare import comparison_numbers
from reports.web.pages.locales import UNDIVIDED, locale_name, writing


@dataclass(frozen=True)
class Cell:
    """A share with its interval; or that it is below the threshold, and what it is at most."""

    value: str
    note: str
    is_known: bool


class Mark(NamedTuple):
    """A difference as it is drawn in its row, from 0, with its interval; the longest of a page is 100."""

    left: float
    width: float
    lower: float
    upper: float


@dataclass(frozen=True)
class Line:
    """A row in words, with its links."""

    locale: str
    display: str
    name: str
    lang: str
    dir: str
    category: str
    before: Cell
    now: Cell
    difference: str
    interval: str
    change: Change
    sign: str
    verdict: str
    # Where the interval, by itself, would seem to say something else.
    but: str
    page: str
    trend: str
    compare: str
    # Where no chart stands beside the table.
    mark: Mark | None = None

    def unlinked(self) -> Self:
        return replace(self, page="", trend="", compare="")


def digits_of(pairs: Sequence[Pair]) -> int:
    listed = [each.histogram for pair in pairs for each in (pair.now, pair.before) if each is not None]
    return comparison_numbers.digits_for(*(each.threshold / each.n for each in listed if each.threshold is not None))


# The newer window of a locale, and the one before.
Windows: TypeAlias = Callable[[str], tuple[Days, Days]]


def windows_of(pairs: Sequence[Pair]) -> Windows:
    """Return what tells the windows of a locale of which both are published."""
    found = {
        pair.locale: (pair.now.days, pair.before.days)
        for pair in pairs
        if pair.now is not None and pair.before is not None
    }
    return lambda locale: found[locale]


def lines(
    version: Version, rows: Sequence[ChangeRow], digits: int, windows: Windows, asked: int | None = None
) -> list[Line]:
    """Put rows in words; `asked` is the version that the address names, if it names one."""
    slug = version.use_case.slug
    trend, compare = reverse("trend", args=[slug]), reverse("compare", args=[slug])
    of_version = {} if asked is None else {"version": str(asked)}

    def line(change: ChangeRow) -> Line:
        row = change.row
        element = unpadded(version, row.element)
        lang, direction = writing(change.locale, neutral=version.normalization == "domain")
        sign, verdict = changes_words.NAMES[change.change]
        of_locale = {} if change.locale == UNDIVIDED else {"locale": change.locale}
        now, before = windows(change.locale)
        sides = {**_side("", now, of_locale), **_side(OTHER, before, of_locale)}
        return Line(
            locale="" if change.locale == UNDIVIDED else locale_name(change.locale),
            display=colourful(row.display),
            name=element_name(version, row.display),
            lang=lang,
            dir=direction,
            category=row.category,
            before=_cell(row.second, digits),
            now=_cell(row.first, digits),
            difference=comparison_numbers.difference(row, digits) or "—",
            interval=comparison_numbers.difference_interval(row, digits),
            change=change.change,
            sign=sign,
            verdict=str(verdict),
            but=comparison_numbers.but(row, clear=change.is_clear),
            page=element_address(slug, element, asked),
            trend=f"{trend}?{urlencode({**of_locale, 'element': element, **of_version})}",
            compare=f"{compare}?{urlencode({**sides, 'q': element, **of_version})}",
        )

    return [line(row) for row in rows]


def _side(prefix: str, days: Days, of_locale: dict[str, str]) -> dict[str, str]:
    own = {**of_locale, "from": days[0].isoformat(), "to": days[1].isoformat()}
    return {f"{prefix}{name}": value for name, value in own.items()}


def _cell(share: Share, digits: int) -> Cell:
    if share.value is not None:
        return Cell(changes_words.share(share, digits), comparison_numbers.interval(share, digits), is_known=True)
    bound = comparison_numbers.true_at_most(share.at_most or 0.0, digits)
    return Cell(_("below T"), bound, is_known=False)


class Count(NamedTuple):
    """Number of changes of a kind, with its sign and its word."""

    change: Change
    sign: str
    word: str
    number: int


class OfLocale(NamedTuple):
    """Changes of a locale in words, and what cannot be compared."""

    name: str
    link: str
    counts: list[Count]
    note: str


def of_locales(view: ChangesView, link: Callable[[str], str]) -> list[OfLocale]:
    """Return a line for each locale, where there are several."""
    if len(view.pairs) < 2:
        return []
    return [_of_locale(view, pair, link(pair.locale)) for pair in view.pairs]


def _of_locale(view: ChangesView, pair: Pair, link: str) -> OfLocale:
    own = [row.change for row in view.all_rows if row.locale == pair.locale]
    counts = [Count(change, sign, str(word), own.count(change)) for change, (sign, word) in changes_words.NAMES.items()]
    return OfLocale(locale_name(pair.locale), link, counts, _note(view, pair))


def _note(view: ChangesView, pair: Pair) -> str:
    """Note on what deviates from the question in all locales."""
    if pair.now_days is None:
        return _("nothing is published of the newer days")
    if pair.before_days is None:
        return _("nothing is published of the days before")
    if (pair.now_days, pair.before_days) != (view.now, view.before):
        words = _("%(now)s against %(before)s")
        return words % {"now": day_range(*pair.now_days), "before": day_range(*pair.before_days)}
    return ""
