"""Shares and differences as the page that compares writes them."""

import math
from collections.abc import Callable

from django.utils.translation import get_language_bidi
from django.utils.translation import gettext as _

from reports.formatting import percent, rounded, signed
from reports.results.comparison import ComparisonRow, Share

_MINUS = "\u2212"
_MOST_DIGITS = 5


def digits_for(*thresholds: float) -> int:
    """Return how many digits behind the point say something, given thresholds as shares: theirs and one more."""
    smallest = min((share for share in thresholds if share > 0), default=1.0)
    return min(max(1 - math.floor(math.log10(100 * smallest)), 2), _MOST_DIGITS)


def at_most(value: float, digits: int) -> str:
    """An upper bound, rounded up."""
    return _("at most %(share)s") % {"share": percent(_cut(value, digits + 2, math.ceil), digits)}


def true_at_most(value: float, digits: int) -> str:
    """An upper bound of a share whose estimate is below T: it lies above T, because estimates err."""
    return _("true share ≤ %(share)s") % {"share": percent(_cut(value, digits + 2, math.ceil), digits)}


def interval(found: Share, digits: int) -> str:
    """The interval of a share that is shown, in percent."""
    if found.lower is None or found.upper is None:
        return ""
    return f"{rounded(100 * found.lower, digits)}–{rounded(100 * found.upper, digits)}"


def points(value: float, digits: int) -> str:
    """A difference of shares in percentage points, with its sign."""
    number = signed(100 * value, digits, minus=_MINUS)
    # Where words run from right to left the sign would go to the other end.
    return f"\u2066{number}\u2069" if get_language_bidi() else number


def difference(row: ComparisonRow, digits: int) -> str:
    """The difference of a row; where it is not known, what it is at least; empty if nothing is certain."""
    if row.difference is not None:
        return points(row.difference, digits)
    if row.lower is not None and row.lower > 0:
        return _("at least %(points)s") % {"points": points(_toward_zero(row.lower, digits), digits)}
    if row.upper is not None and row.upper < 0:
        return _("at most %(points)s") % {"points": points(_toward_zero(row.upper, digits), digits)}
    return ""


def difference_interval(row: ComparisonRow, digits: int) -> str:
    if row.lower is None or row.upper is None:
        return ""
    if excludes_zero(row):
        # Nor may an end be written as zero.
        digits = max(digits, -math.floor(math.log10(100 * min(abs(row.lower), abs(row.upper)))))
    lower, upper = (points(end, digits) for end in _ends(row.lower, row.upper, row.difference, digits))
    return _("%(lower)s to %(upper)s") % {"lower": lower, "upper": upper}


def excludes_zero(row: ComparisonRow) -> bool:
    return row.lower is not None and row.upper is not None and not row.lower <= 0 <= row.upper


def but(row: ComparisonRow, *, clear: bool) -> str:
    """Say so where an interval excludes zero and the test, which allows for how many are tested, does not."""
    return _("although its interval does not include zero") if excludes_zero(row) and not clear else ""


def _ends(lower: float, upper: float, difference: float | None, digits: int) -> tuple[float, float]:
    if difference is not None:
        return lower, upper
    # Bounds: no tighter than they are.
    return _cut(lower, digits + 2, math.floor), _cut(upper, digits + 2, math.ceil)


def _toward_zero(value: float, digits: int) -> float:
    return _cut(value, digits + 2, math.floor if value > 0 else math.ceil)


def _cut(value: float, digits: int, how: Callable[[float], int]) -> float:
    # Scale below which the last bits of a float do not count.
    scale = 10.0**digits
    return how(round(value * scale, 6)) / scale
