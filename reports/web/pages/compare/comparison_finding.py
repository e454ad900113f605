"""Finding of a comparison, in one sentence or two: its headline."""

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from reports.formatting import percent, whole
from reports.results import colourful, element_name
from reports.results.comparison import ComparisonRow, ComparisonView, Share, Verdict
from reports.web.pages.compare import comparison_numbers
from reports.web.pages.compare.comparison_table import SideNames
from reports.web.pages.kinds import page_kind
from reports.web.pages.locales import called


def finding(view: ComparisonView, names: SideNames, digits: int) -> str:
    """The element that differs most of those that differ clearly, and how many do.

    `digits` are those of the shares in the table, of which a headline has one less.
    """
    row, digits = view.leading, max(digits - 1, 1)
    if row is None:
        words = (
            _("Nothing differs clearly between %(first)s and %(second)s.")
            if names.later is None
            else _("Nothing changed clearly between %(first)s and %(second)s.")
        )
        return words % {"first": names.first, "second": names.second}
    said = _leading(view, row, names, digits)
    clear = view.more_in_first + view.more_in_second
    differ = ngettext(
        "%(count)s of %(total)s %(elements)s differs clearly.",
        "%(count)s of %(total)s %(elements)s differ clearly.",
        clear,
    )
    changed = ngettext(
        "%(count)s of %(total)s %(elements)s changed clearly.",
        "%(count)s of %(total)s %(elements)s changed clearly.",
        clear,
    )
    words = differ if names.later is None else changed
    return f"{said} " + words % {
        "count": whole(clear),
        "total": whole(view.total),
        "elements": page_kind(view.version).elements,
    }


def _leading(view: ComparisonView, row: ComparisonRow, names: SideNames, digits: int) -> str:
    more_in = 0 if row.verdict == Verdict.MORE_IN_FIRST else 1
    name = element_name(view.version, row.display) if view.version is not None else ""
    element = called(colourful(row.display), name)
    shares = [_share(share, digits) for share in (row.first, row.second)]
    if names.later is not None:
        words = (
            _("%(element)s rose most, from %(before)s to %(after)s.")
            if more_in == names.later
            else _("%(element)s fell most, from %(before)s to %(after)s.")
        )
        return words % {"element": element, "before": shares[1 - names.later], "after": shares[names.later]}
    return _("%(element)s sets %(side)s apart most: %(more)s against %(less)s.") % {
        "element": element,
        "side": (names.first, names.second)[more_in],
        "more": shares[more_in],
        "less": shares[1 - more_in],
    }


def _share(share: Share, digits: int) -> str:
    if share.value is not None:
        return percent(share.value, digits)
    return comparison_numbers.at_most(share.at_most or 0.0, digits)
