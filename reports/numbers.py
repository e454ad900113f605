"""Numbers and days as people read them."""

import datetime
import math
from decimal import Decimal

from django.utils.formats import date_format, number_format
from django.utils.translation import gettext as _


def whole(value: float) -> str:
    return number_format(round(value), decimal_pos=0, use_l10n=True, force_grouping=True)


def plain(value: Decimal) -> str:
    """All its digits, and no more zeros than it needs."""
    return number_format(f"{value.normalize():f}", use_l10n=True, force_grouping=True)


def rounded(value: float, digits: int) -> str:
    # Here, because `number_format` cuts off.
    return number_format(f"{value:.{digits}f}", digits, use_l10n=True, force_grouping=True)


def percent(share: float, digits: int = 2) -> str:
    return _("%(number)s\u00a0%%") % {"number": rounded(100 * share, digits)}


def small_percent(share: float) -> str:
    """With two digits that say something, however small the share is."""
    leading = -math.floor(math.log10(100 * share)) if share > 0 else 0
    return percent(share, max(2, min(leading + 1, 8)))


def factor(value: float) -> str:
    """With two digits, rounded up: what is a little more than 1 must not pass for 1."""
    return number_format(math.ceil(round(value * 100, 6)) / 100, 2, use_l10n=True)


def short_day(day: datetime.date, near: datetime.date) -> str:
    """A day beside another that is written in full: the year only if it is not the same."""
    # Translators: the format of a day without its year, such as "Nov 14".
    return date_format(day, _("M j")) if day.year == near.year else date_format(day)


def day_range(first: datetime.date, last: datetime.date) -> str:
    if first == last:
        return date_format(first)
    return _("%(first)s – %(last)s") % {"first": date_format(first), "last": date_format(last)}
