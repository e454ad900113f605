"""Answers of pages to choices that cannot be used."""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import render
from django.utils.translation import gettext as _

from reports.models import UseCase
from reports.results import QueryError
from reports.results.comparison import OTHER
from reports.web.pages.windows import WindowControl, as_sent, with_typed, without_window, wrong_window

# Gives a window of the form what was typed into it, and what is wrong with that.
Wrong = Callable[[WindowControl], WindowControl]
# Context of a page's form when it is shown again, given the choices that can be used; None without a form.
Again = Callable[[QueryDict, Wrong], dict[str, object] | None]


def refusal(
    request: HttpRequest, found: UseCase, error: QueryError, again: Again, prefixes: tuple[str, ...] = ("",)
) -> HttpResponse:
    """The form with what was typed and what is wrong with it, where that is a window; else a page that says it.

    The form of a comparison has two sides, whose parameters have the two `prefixes`.
    """
    field = _labels(sides=len(prefixes) > 1).get(error.field, error.field)
    context = {"use_case": found, "error": error, "field": field}
    form = _form_again(request, error, again, prefixes)
    if form is not None:
        return render(request, "reports/bad_dates.html", context | form, status=400)
    return render(request, "reports/bad_query.html", context, status=400)


def _form_again(
    request: HttpRequest, error: QueryError, again: Again, prefixes: tuple[str, ...]
) -> dict[str, object] | None:
    """The form with all that is wrong with its windows; None if there is none, or something else is wrong, too."""
    asked = typed = as_sent(request.GET, *prefixes)
    wrong: dict[str, QueryError] = {}

    def with_errors(control: WindowControl) -> WindowControl:
        return with_typed(control, typed, wrong[control.prefix]) if control.prefix in wrong else control

    while True:
        prefix = wrong_window(error, prefixes)
        if prefix is None or prefix in wrong:
            return None
        wrong[prefix] = error
        asked = without_window(asked, prefix)
        try:
            # It shows no results, so no viewing is recorded.
            context = again(asked, with_errors)
        except QueryError as another:
            error = another
        else:
            dates = any(not each.field.endswith("days") for each in wrong.values())
            return None if context is None else {**context, "date_is_wrong": dates}


def _labels(*, sides: bool) -> dict[str, str]:
    """Labels that forms give to the parameters."""
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
