"""Size of a site for a load, and what breaks next: `manage.py size` as a page."""

from collections.abc import Sequence

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.text import capfirst
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from reports.access import operates
from reports.formatting import data_size, small_percent, two_figures
from reports.operations.sizing import Limit, Need, UnitCosts, kept_costs, limits, needs
from reports.web.pages.operations.size_form import SizeForm
from reports.web.pages.people import person
from reports.web.pages.tables import Heading, Table, number


@require_safe
def size(request: HttpRequest) -> HttpResponse:
    if not operates(person(request)):
        raise Http404
    form, costs = SizeForm(person(request), request.GET.dict()), kept_costs()
    context: dict[str, object] = {
        "form": form,
        "costs": costs,
        "measured": _measured(costs),
        "yardstick": _milliseconds(costs.yardstick_seconds),
    }
    if not form.is_valid():
        return render(request, "reports/size.html", context, status=400)
    load = form.load()
    found, most = needs(load, costs, form.cleaned_data["dollars"]), limits(load, costs)
    context |= {"answer": _answer(found), "breaks": most[0], "needs": _needs(found), "limits": _limits(most)}
    return render(request, "reports/size.html", context)


def _answer(found: Sequence[Need]) -> str:
    words = _(
        "This takes %(web_cores)s cores of web servers, %(worker_cores)s of workers and %(database_cores)s of the"
        " database, %(raw)s TB of raw reports, and every day %(log)s GB of write-ahead log and %(objects)s million"
        " objects, which cost %(dollars)s $ to write."
    )
    return words % {need.name: two_figures(need.amount) for need in found}


def _needs(found: Sequence[Need]) -> Table:
    rows = [[need.words, f"{two_figures(need.amount)} {need.unit}"] for need in found]
    return Table(_("What such a site needs"), [Heading(_("What")), number(_("How much"))], rows)


def _limits(most: Sequence[Limit]) -> Table:
    headings = [Heading(_("What breaks")), number(_("Taken")), number(_("At so many times this load"))]
    rows = [
        [capfirst(limit.words), small_percent(limit.taken), two_figures(1 / limit.taken), f"{limit.remedy}."]
        for limit in most
    ]
    caption = _("What more machines do not raise, the first to break first")
    return Table(caption, [*headings, Heading(_("What to do"))], rows)


def _measured(costs: UnitCosts) -> Table:
    names = (
        ("upload", _("An upload of 1,000 records of a target")),
        ("target", _("Each further target in it")),
        ("document", _("A document of a device, until it is in an object")),
        ("closing", _("An upload of 1,000 records, when its day is closed")),
        ("counting", _("A target and day that is counted and published")),
    )
    headings = [
        *(Heading(_("One")), number(_("Processor time")), number(_("Of the database"))),
        number(_("Write-ahead log")),
    ]
    rows = []
    for name, words in names:
        seconds = getattr(costs, f"{name}_seconds")
        database, log = (getattr(costs, f"{name}_{what}", None) for what in ("database_seconds", "log_bytes"))
        rows.append(
            [
                words,
                _milliseconds(seconds),
                "—" if database is None else _milliseconds(database),
                "—" if log is None else data_size(log),
            ]
        )
    return Table(_("Unit costs that are multiplied"), headings, rows)


def _milliseconds(seconds: float) -> str:
    return _("%(number)s ms") % {"number": two_figures(1000 * seconds)}
