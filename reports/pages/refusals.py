"""What a page answers to choices that cannot be used."""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import render
from django.utils.translation import gettext as _

from reports.models import UseCase
from reports.pages.date_fields import DateFields, is_about_dates, typed_fields, without_dates
from reports.results import QueryError
from reports.results.comparison.query import OTHER

# What a page needs to show its form again, given the other choices and the fields of the dates; None without a form.
Again = Callable[[QueryDict, list[DateFields]], dict[str, object] | None]


def refusal(
    request: HttpRequest, found: UseCase, error: QueryError, again: Again, prefixes: tuple[str, ...] = ("",)
) -> HttpResponse:
    """The form with what was typed and what is wrong with it, where that is a date; else a page that says it.

    The form of a comparison has two sides, whose parameters have the two `prefixes`.
    """
    context: dict[str, object] | None = None
    if is_about_dates(error, *prefixes):
        fields = [typed_fields(request.GET, error, prefix) for prefix in prefixes]
        try:
            context = again(without_dates(request.GET, *prefixes), fields)
        except QueryError:
            context = None  # something else is wrong, too
    if context is not None:
        return render(request, "reports/bad_dates.html", {"use_case": found, **context}, status=400)
    field = _labels(sides=len(prefixes) > 1).get(error.field, error.field)
    context = {"use_case": found, "error": error, "field": field}
    return render(request, "reports/bad_query.html", context, status=400)


def _labels(*, sides: bool) -> dict[str, str]:
    """What forms call the parameters."""
    of_side = {"locale": _("Locale"), "from": _("From"), "to": _("To"), "days": _("Days")}
    labels = {
        "version": _("Version"),
        "element": _("Elements"),
        "step": _("Step"),
        "group": _("Group by"),
        "category": _("Category"),
        "top": _("Show the top"),
        "q": _("Search by name"),
        "words": _("Words"),
        "values": _("Values"),
        "unit": _("Chart"),
        "scale": _("Axis"),
    }
    if not sides:
        return labels | of_side
    words = _("%(side)s: %(field)s")
    for prefix, side in (("", _("First side (A)")), (OTHER, _("Second side (B)"))):
        labels |= {f"{prefix}{name}": words % {"side": side, "field": label} for name, label in of_side.items()}
    return labels
