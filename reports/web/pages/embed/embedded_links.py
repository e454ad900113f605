"""The links to embedded pages of a use case: owners see them all, and revoke them one by one."""

from dataclasses import dataclass

from django.contrib import messages
from django.db.models import Sum
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_http_methods, require_safe

from reports.access import people, use_cases
from reports.embedding import may_embed, token_of
from reports.formatting import whole
from reports.models import EmbedLink, UseCase
from reports.web.pages.bookmarks.query_strings import address
from reports.web.pages.people import person
from reports.web.pages.tables import Cell, Heading, Table

# Characters of a token that are shown, to find the page that has it: without the rest it opens nothing.
SHOWN = 6


@dataclass(frozen=True)
class LinkLine:
    """A link, and the number of its views."""

    link: EmbedLink
    # The page that it shows, for those who are logged in.
    address: str
    ending: str
    may_show: bool


@require_safe
def embed_links(request: HttpRequest, slug: str) -> HttpResponse:
    """All that were made, the newest first."""
    found = get_object_or_404(use_cases(person(request), "edit"), slug=slug)
    links = found.embed_links.annotate(opened=Sum("views__number")).select_related("maker")
    makers = set(people(found, "edit"))
    # Links that are over come last, until they are deleted.
    rows = [_row(_line(found, link, link.maker in makers)) for link in sorted(links, key=lambda link: link.is_over)]
    names = [_("View"), _("Link ends in"), _("Made by"), _("Made"), _("Valid until"), _("Opened"), _("Revoke")]
    headings = [Heading(name) for name in names]
    table = Table(_("The newest first, times in UTC"), headings, rows, "links") if rows else None
    return render(request, "reports/embed_links.html", {"use_case": found, "table": table})


def _row(line: LinkLine) -> list[Cell | str]:
    link, dead = line.link, _("It shows nothing: its maker is no owner any more.")
    return [
        Cell(link.get_page_display(), line.address, note=link.query),
        f"…{line.ending}",
        link.maker.get_username(),
        date_format(link.made_at, "DATETIME_FORMAT"),
        Cell(
            date_format(link.until, "DATETIME_FORMAT") if link.until is not None else _("revoked"),
            badges=[_("expired")] if link.is_over else [],
            note="" if link.is_over or line.may_show else dead,
        ),
        _opened(link),
        Cell(
            _("Revoke"),
            reverse("revoke_embed_link", args=[link.use_case.slug, link.pk]),
            hidden=f"…{line.ending}",
        ),
    ]


def _opened(link: EmbedLink) -> Cell:
    """Say how often, and on which day last; links that were opened before that was counted have a day alone."""
    if link.last_opened is None:
        return Cell(_("never"))
    number = getattr(link, "opened", None)
    times = ngettext("%(number)s time", "%(number)s times", number) % {"number": whole(number)} if number else ""
    last = _("last on %(day)s") % {"day": date_format(link.last_opened)}
    return Cell(times or last, note=last if times else "")


@require_http_methods(["GET", "HEAD", "POST"])
def revoke_embed_link(request: HttpRequest, slug: str, pk: str) -> HttpResponse:
    """Asks first: it may stand in pages of others, and there is no way back."""
    found = get_object_or_404(use_cases(person(request), "edit"), slug=slug)
    link = get_object_or_404(found.embed_links.select_related("maker"), pk=pk)
    if request.method == "POST":
        link.delete()
        messages.success(request, _("The link is revoked. It shows nothing any more."))
        return redirect("embed_links", slug)
    return render(
        request,
        "reports/revoke_embed_link.html",
        {"use_case": found, "line": _line(found, link, may_embed(link.maker, found))},
    )


def _line(use_case: UseCase, link: EmbedLink, may_show: bool) -> LinkLine:
    where = address(use_case, link.page, link.query)
    return LinkLine(link, where, token_of(link)[-SHOWN:], may_show)
