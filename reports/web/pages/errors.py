"""What a page answers to choices that cannot be used."""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import render
from django.utils.translation import gettext as _

from reports.models import UseCase
from reports.results import QueryError
from reports.results.comparison import OTHER
from reports.web.pages.date_fields import DateFields, as_typed, typed_fields, without_window, wrong_window

# What a page needs to show its form again, given the choices that can be used, and the fields of the windows that
# cannot, by the prefix of their parameters; None without a form.
Again = Callable[[QueryDict, dict[str, DateFields]], dict[str, object] | None]


def refusal(
    request: HttpRequest,
    found: UseCase,
    error: QueryError,
    again: Again,
    prefixes: tuple[str, ...] = ("",),
    *,
    length: bool = False,
) -> HttpResponse:
    """The form with what was typed and what is wrong with it, where that is a date; else a page that says it.

    The form of a comparison has two sides, whose parameters have the two `prefixes`; `length` says whether the form has
    a field for the number of days.
    """
    field = _labels(sides=len(prefixes) > 1).get(error.field, error.field)
    context = {"use_case": found, "error": error, "field": field}
    form = _form_again(request, error, again, prefixes, length=length)
    if form is not None:
        return render(request, "reports/bad_dates.html", context | form, status=400)
    return render(request, "reports/bad_query.html", context, status=400)


def _form_again(
    request: HttpRequest, error: QueryError, again: Again, prefixes: tuple[str, ...], *, length: bool
) -> dict[str, object] | None:
    """The form with all that is wrong with its windows; None if there is none, or something else is wrong, too."""
    asked = typed = as_typed(request.GET, *prefixes)
    wrong: dict[str, DateFields] = {}
    while True:
        prefix = wrong_window(error, prefixes, length=length)
        if prefix is None:
            return None
        rest = without_window(asked, error, prefix)
        if rest == asked:
            return None
        asked = rest
        wrong.setdefault(prefix, typed_fields(typed, error, prefix, length=length))
        try:
            # It shows no results, and nobody is noted to have looked at any.
            context = again(asked, wrong)
        except QueryError as another:
            error = another
        else:
            dates = any(field.error for fields in wrong.values() for field in fields.fields)
            return None if context is None else {**context, "date_is_wrong": dates}


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
