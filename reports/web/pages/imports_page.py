"""Reports that are read from buckets and folders: where they are looked for, what was read, and what was left out."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from django.contrib import messages
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from reports.access import imports, may_import, operates
from reports.bulk import Door, Tally, doors, start_import, tally_of
from reports.collection.ingest import Refusal
from reports.formatting import whole
from reports.jobs import Progress, progress_by_job
from reports.models import Import, UseCase
from reports.retention import how_many
from reports.web.pages.people import person
from reports.web.pages.reasons import Reason, reason_of
from reports.web.pages.tables import Cell, Heading, Row, Table, number

LISTED = 20
REFUSALS = {
    Refusal.EMPTY: gettext_lazy("it holds no records"),
    Refusal.BROKEN: gettext_lazy("it is damaged, cut short, or of another form than its name says"),
    Refusal.TOO_LARGE: gettext_lazy("it is larger than this server takes"),
    Refusal.EXPANDS: gettext_lazy("it is larger than this server takes"),
    Refusal.NOTHING_USABLE: gettext_lazy("nothing in it can be used"),
    Refusal.WRONG_DAY: gettext_lazy("its day is to come, or its reports would not be kept any more"),
    Refusal.TOO_LITTLE: gettext_lazy("too little of it is reports"),
    Refusal.TOO_COSTLY: gettext_lazy("too little of it is reports"),
}


@dataclass(frozen=True)
class Read:
    """An import with what came of it, and the largest minimum of the use cases that it may be for."""

    order: Import
    tally: Tally
    minimum: int

    def records(self, count: int) -> str:
        return how_many(count, self.minimum) if count else "0"


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
def all_imports(request: HttpRequest) -> HttpResponse:
    user = person(request)
    if not operates(user):
        raise Http404
    theirs = [door for door in doors() if may_import(user, door.use_case_ids)]
    if request.method == "POST":
        return _look(request, theirs)
    seen = imports(user)
    newest = seen.filter(address__in=[door.address for door in theirs]).order_by("address", "-created_at")
    progress = {order.address: progress for order, progress in _with_progress(newest.distinct("address"))}
    sources = [(door, progress.get(door.address)) for door in theirs]
    read = _read(seen[:LISTED])
    context = {
        "sources": sources,
        "under_way": any(not each.finished for each in progress.values()),
        "table": _table(read) if read else None,
        "left_out": _left_out(read),
        "refused": _refused(read),
    }
    template = "reports/_imports_live.html" if "live" in request.GET else "reports/imports.html"
    return render(request, template, context)


def _look(request: HttpRequest, theirs: Sequence[Door]) -> HttpResponse:
    """Order that an address be read now, one of those that the person sees."""
    door = next((door for door in theirs if door.address == request.POST.get("address")), None)
    if door is None:
        raise Http404
    if door.unknown:
        messages.error(request, _("Not read: the settings name use cases that are not there."))
    else:
        start_import(door.address, door.use_case_ids)
    return redirect("imports")


def _with_progress(orders: QuerySet[Import]) -> Iterator[tuple[Import, Progress]]:
    found = list(orders)
    return zip(found, progress_by_job(found).values(), strict=True)


def _read(listed: QuerySet[Import]) -> list[Read]:
    minimums = dict(UseCase.objects.values_list("pk", "minimum_reports"))
    largest = max(minimums.values(), default=0)
    return [
        Read(order, tally_of(order), max((minimums.get(pk, largest) for pk in order.use_case_ids), default=largest))
        for order in listed
    ]


def _table(read: Sequence[Read]) -> Table:
    headings = [
        Heading(_("Ordered (UTC)")),
        Heading(_("Address")),
        Heading(_("State")),
        number(_("Objects read")),
        number(_("Records stored")),
        number(_("There already")),
        number(_("Left out")),
        number(_("Parts refused")),
    ]
    rows: list[Row] = [
        [
            date_format(each.order.created_at, "DATETIME_FORMAT"),
            each.order.address,
            Cell(each.order.state_in_words, note=each.order.failure_in_words),
            whole(each.tally.objects),
            each.records(each.tally.accepted),
            each.records(each.tally.known),
            each.records(each.tally.rejected.total()),
            whole(each.tally.refused.total()),
        ]
        for each in read
    ]
    return Table(_("The last imports"), headings, rows)


def _left_out(read: Sequence[Read]) -> list[tuple[Reason, str]]:
    """Records of these imports that were left out, by reason, the most frequent first."""
    minimum = max((each.minimum for each in read), default=0)
    total = Tally().plus(each.tally for each in read).rejected
    return [(reason_of(reason), how_many(count, minimum)) for reason, count in total.most_common()]


def _refused(read: Sequence[Read]) -> list[tuple[str, str]]:
    total = Tally().plus(each.tally for each in read).refused
    return [(str(REFUSALS.get(Refusal(refusal), refusal)), whole(count)) for refusal, count in total.most_common()]
