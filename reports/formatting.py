"""Numbers, days and texts as people read them."""

import datetime
import math
import unicodedata
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from decimal import Decimal
from functools import lru_cache
from typing import Final

from django.utils.formats import date_format, get_format
from django.utils.translation import get_language
from django.utils.translation import gettext as _

_numbers: ContextVar[str] = ContextVar("numbers", default="")


def write_numbers_as(language: str) -> None:
    """Write numbers as another language than that of the texts does, in this thread; empty: as that of the texts."""
    _numbers.set(language)


@contextmanager
def numbers_written_as(language: str) -> Iterator[None]:
    """Write numbers so within a block."""
    token = _numbers.set(language)
    try:
        yield
    finally:
        _numbers.reset(token)


def number_language() -> str | None:
    return _numbers.get() or get_language()


def separators() -> tuple[str, str]:
    """Return the decimal and the thousands separator; the latter is empty where digits are not grouped."""
    return _separators(number_language())


# Halves go up, as readers round: 8.25 would else become 8.2, and so would what a few bits of a float make of it.
_HALF_UP: Final = 1 + 2.0**-51
# Beyond, so little would be seen.
_LARGE: Final = 1e9
_PERCENT: Final = 100 * _HALF_UP


def whole(value: float) -> str:
    return rounded(value, 0)


def wholes() -> Callable[[int], str]:
    """Return `whole` bound to the reader's language, which is faster for hundreds of counts."""
    _decimal, thousands = separators()
    return lambda value: f"{value:,}".replace(",", thousands)


def plain(value: Decimal) -> str:
    """Format all digits, without trailing zeros."""
    return _separated(f"{value.normalize():,f}")


def two_figures(value: float) -> str:
    return plain(Decimal(f"{value:.2g}"))


def rounded(value: float, digits: int) -> str:
    """Format a number with `digits` decimals; a number that rounds to 0 has no sign."""
    # `number_format` cuts digits off, and takes five times as long: pages have thousands of numbers.
    return _separated(f"{value if abs(value) > _LARGE else value * _HALF_UP:z,.{digits}f}")


def _separated(number: str) -> str:
    """Put the reader's separators in the place of Python's."""
    decimal, thousands = separators()
    whole_part, point, rest = number.partition(".")
    return f"{whole_part.replace(',', thousands)}{point and decimal}{rest}"


def signed(value: float, digits: int, *, minus: str = "-") -> str:
    """Format a rounded number with its sign, plus included, unless it rounds to 0."""
    number = rounded(abs(value), digits)
    # As it is written: of what is rounded to 0, neither sign says anything.
    return number if number == rounded(0, digits) else f"{'+' if value > 0 else minus}{number}"


@lru_cache(maxsize=32)
def _separators(language: str | None) -> tuple[str, str]:
    thousands = get_format("THOUSAND_SEPARATOR", language) if get_format("NUMBER_GROUPING", language) == 3 else ""
    return get_format("DECIMAL_SEPARATOR", language), thousands


def percent(share: float, digits: int = 2) -> str:
    words, separator = _percent_of(get_language(), number_language())
    if abs(share) >= 10:
        return words % {"number": rounded(100 * share, digits)}
    # Without groups of digits this is quick, and some pages have thousands of shares.
    return words % {"number": f"{_PERCENT * share:z.{digits}f}".replace(".", separator)}


@lru_cache(maxsize=32)
def _percent_of(_language: str | None, numbers: str | None) -> tuple[str, str]:
    return _("%(number)s %%"), _separators(numbers)[0]


def small_percent(share: float) -> str:
    """Format a share as a percentage with at least two significant digits, however small it is."""
    return percent(share, _digits(share))


def percent_with_error(share: float, error: float) -> str:
    """Format a share as `small_percent` does, with half of its interval in as many digits."""
    return f"{small_percent(share)}\u00a0±\u00a0{rounded(100 * error, _digits(share))}"


def small_percents(text: str = "%s") -> Callable[..., str]:
    """Return what puts shares into a text, as `small_percent` writes them: faster for thousands; at once for several.

    The text has a `%s` for each.
    """
    words, separator = _percent_of(get_language(), number_language())
    # Its own dots are no decimal points.
    usual = text.replace(".", "\0").replace("%s", words.replace("%(number)s", "%.2f"))

    def written(*shares: float) -> str:
        if 0.001 <= min(shares) and max(shares) < 10:
            found = usual % tuple([_PERCENT * share for share in shares])
            return (found if separator == "." else found.replace(".", separator)).replace("\0", ".")
        return text % tuple(map(small_percent, shares))

    return written


def _digits(share: float) -> int:
    if share >= 0.001:
        return 2
    leading = -math.floor(math.log10(100 * share)) if share > 0 else 0
    return max(2, min(leading + 1, 8))


def upper_bound(value: float) -> str:
    """Format a factor or a bound with two decimals, rounded up: a little more than 1 must not pass for 1."""
    return rounded(math.ceil(round(value * 100, 6)) / 100, 2)


def written_day(day: datetime.date) -> str:
    return _written_day(day, get_language())


# Pages have a thousand days, most of them the same ones.
@lru_cache(maxsize=8192)
def _written_day(day: datetime.date, _language: str | None) -> str:
    return date_format(day)


def short_day(day: datetime.date, near: datetime.date) -> str:
    """A day beside another that is written in full: the year only if it is not the same."""
    return _short_day(day, get_language()) if day.year == near.year else written_day(day)


@lru_cache(maxsize=8192)
def _short_day(day: datetime.date, _language: str | None) -> str:
    # Translators: the format of a day without its year, such as "Nov 14".
    return date_format(day, _("M j"))


def day_range(first: datetime.date, last: datetime.date) -> str:
    if first == last:
        return written_day(first)
    return _("%(first)s – %(last)s") % {"first": written_day(first), "last": written_day(last)}


def day_ranges() -> Callable[[datetime.date, datetime.date], str]:
    """Return `day_range` bound to the reader's language, which is faster for hundreds of windows."""
    language, words = get_language(), _("%(first)s – %(last)s")

    def written(first: datetime.date, last: datetime.date) -> str:
        if first == last:
            return _written_day(first, language)
        return words % {"first": _written_day(first, language), "last": _written_day(last, language)}

    return written


def duration(took: datetime.timedelta) -> str:
    """A length of time with its two largest units, such as 3 min 20 s."""
    seconds = took.total_seconds()
    if seconds < 10:
        return _("%(seconds)s s") % {"seconds": rounded(seconds, 1)}
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    days, hours = divmod(hours, 24)
    units = {"days": whole(days), "hours": whole(hours), "minutes": whole(minutes), "seconds": whole(rest)}
    if days:
        return _("%(days)s d %(hours)s h") % units
    if hours:
        return _("%(hours)s h %(minutes)s min") % units
    if minutes:
        return _("%(minutes)s min %(seconds)s s") % units
    return _("%(seconds)s s") % units


def data_size(size: float) -> str:
    """Bytes in two digits."""
    units = (_("%(number)s B"), _("%(number)s kB"), _("%(number)s MB"), _("%(number)s GB"))
    short = float(f"{size:.2g}")
    place = min(int(math.log10(short)) // 3, len(units) - 1) if short >= 1 else 0
    number = short / 1000**place
    return units[place] % {"number": rounded(number, 1 if number < 10 and place else 0)}


def isolated(text: str) -> str:
    """Put marks around a text that runs from right to left: what stands beside it then keeps its place."""
    runs = {unicodedata.bidirectional(character) for character in text}
    return f"\u2068{text}\u2069" if runs & {"R", "AL", "AN"} else text
