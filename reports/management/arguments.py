"""Arguments that several commands take, and what may be written for them."""

import datetime
from argparse import ArgumentParser, ArgumentTypeError
from collections.abc import Callable

from reports.results import read_iso_date


def add_use_case(parser: ArgumentParser, *, is_optional: bool = False) -> None:
    parser.add_argument(
        "use_case", nargs="?" if is_optional else None, metavar="USE_CASE", help="identifier of the use case"
    )


def add_window(parser: ArgumentParser, default: str) -> None:
    parser.add_argument("--from", dest="first", type=iso_date, metavar="D", help=f"first day (default: {default})")
    parser.add_argument("--to", dest="last", type=iso_date, metavar="D", help="last day")


def add_inline(parser: ArgumentParser, what: str = "do the work") -> None:
    parser.add_argument("--inline", action="store_true", help=f"{what} in this process, without a worker")


def iso_date(text: str) -> datetime.date:
    """Parse a date for `type=` of an argument parser."""
    found = read_iso_date(text)
    if found is None:
        raise ArgumentTypeError(f"{text!r} is not a date such as 2026-03-31")
    return found


def number(what: str, is_right: Callable[[float], bool]) -> Callable[[str], float]:
    """Return what parses numbers of a kind for `type=`; NaN is of none."""

    def parse(text: str) -> float:
        try:
            found = float(text)
        except ValueError:
            raise ArgumentTypeError(f"{text!r} is not a number") from None
        if not is_right(found):
            raise ArgumentTypeError(f"it must be {what}")
        return found

    return parse
