"""What is said of an element's two figures, on its page, in pictures and where it is embedded."""

from collections.abc import Sequence

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from reports.formatting import day_range
from reports.results.element import ElementView
from reports.results.trend import Series
from reports.web.pages.figures import MOST_SERIES
from reports.web.pages.locales import isolated, locale_name


def called(view: ElementView) -> str:
    return view.element.name or isolated(view.element.display)


def caption() -> str:
    """How to read them."""
    # xgettext:no-python-format
    return _("Estimated share of reports, not of people. 95 % intervals, adjusted as in each window's histogram.")


def places_summary(view: ElementView) -> str:
    """One sentence for those who do not see the bars; there are some."""
    shown = [place for place in view.newest if place.share is not None]
    words = ngettext(
        "Bar chart of the estimated share of %(element)s with 95 %% intervals in %(count)s locale: %(place)s;"
        " the table has the same numbers.",
        "Bar chart of the estimated share of %(element)s with 95 %% intervals in %(count)s locales, led by %(place)s;"
        " the table has the same numbers.",
        len(shown),
    )
    return words % {"element": called(view), "count": len(shown), "place": locale_name(shown[0].locale)}


def drawn(view: ElementView) -> list[Series]:
    """The locales whose lines are drawn: those of the largest shares."""
    shown = [each for each in view.series if any(point.numbers is not None for point in each.points)]
    return shown[:MOST_SERIES]


def days_summary(view: ElementView, lines: Sequence[Series]) -> str:
    """One sentence for those who do not see the lines."""
    return _("Line chart of the estimated share of %(element)s in %(places)s, %(window)s.") % {
        "element": called(view),
        "places": ", ".join(locale_name(each.locale) for each in lines),
        "window": days_of(view),
    }


def days_of(view: ElementView) -> str:
    return day_range(view.first, view.last) if view.first is not None and view.last is not None else ""
