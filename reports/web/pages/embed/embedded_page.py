"""Embedded pages: one view for everybody who has its link, in frames of the sites that a setting names.

Strangers open them: they say nothing but what the link shows, lead nowhere, and set no cookie.
"""

import html
from collections.abc import Callable
from typing import TypeAlias
from urllib.parse import urlencode

from django import forms
from django.conf import settings
from django.contrib.auth.decorators import login_not_required
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext
from django.views.decorators.http import require_http_methods, require_safe

from reports.access import may_define, use_cases
from reports.embedding import DAYS, Expired, NotEmbedded, make_token, note_opening, read_token
from reports.models import EmbedLink, SavedView, UseCase
from reports.results import QueryError
from reports.viewings import record_once_a_day
from reports.web.pages.bookmarks.query_strings import address, normalised
from reports.web.pages.changes.changes_page import CHANGES
from reports.web.pages.compare.comparison_page import COMPARISON
from reports.web.pages.element.element_page import ELEMENT
from reports.web.pages.embed.embedded import ANNOTATED, EVERYWHERE, OF_USE_CASE, PREVIEWED, Embedded
from reports.web.pages.embed.preview import picture
from reports.web.pages.histogram.histogram_page import HISTOGRAM
from reports.web.pages.people import person
from reports.web.pages.trend.trend_page import TREND

Show: TypeAlias = Callable[[UseCase, QueryDict], Embedded | None]

# The pages that can be embedded, by the names of their addresses.
PAGES: dict[str, Show] = {page.page: page.embedded for page in (HISTOGRAM, COMPARISON, TREND, ELEMENT, CHANGES)}
# Pages with annotations of days.
_OF_DAYS = frozenset({SavedView.Page.TREND, SavedView.Page.ELEMENT})
# Parameters that name days, of either side.
_OF_WINDOWS = frozenset({"from", "to", "other-from", "other-to"})


class EmbedForm(forms.Form):
    """Time for which a link holds, and what it shows when newer days have come."""

    days = forms.TypedChoiceField(
        label=gettext_lazy("The link holds for"),
        coerce=lambda days: int(days) or None,
        choices=lambda: [
            (days or 0, ngettext("%d day", "%d days", days) % days if days else _("until it is revoked"))
            for days in DAYS
        ],
        initial=30,
    )
    window = forms.ChoiceField(
        label=gettext_lazy("It shows"),
        choices=[
            ("these", gettext_lazy("the days that are shown now")),
            ("newest", gettext_lazy("the newest days, whenever it is opened")),
        ],
        initial="these",
        widget=forms.RadioSelect,
    )
    annotated = forms.BooleanField(
        label=gettext_lazy("Show the annotations of these days"),
        help_text=gettext_lazy("Everybody who opens the link then reads them, also those that are written later."),
        required=False,
    )

    previewed = forms.BooleanField(
        label=gettext_lazy("Show the finding and a picture of the chart where the link is pasted"),
        help_text=gettext_lazy("Programs that show links, such as chats, may keep both when the link is over."),
        required=False,
    )

    def __init__(self, page: str, query: str, data: QueryDict | None) -> None:
        super().__init__(data, auto_id="embed-%s")
        if _OF_WINDOWS & set(QueryDict(query)):
            del self.fields["window"]  # the days are named
        if page not in _OF_DAYS:
            del self.fields["annotated"]


@require_http_methods(["GET", "HEAD", "POST"])
def embed_link(request: HttpRequest, slug: str) -> HttpResponse:
    """Make a link to one view of a use case, for owners."""
    found = get_object_or_404(use_cases(person(request), "edit"), slug=slug)
    page = request.GET.get("page", SavedView.Page.EXPLORE)
    if page not in PAGES:
        raise Http404
    try:
        query = normalised(page, request.GET.get("query", ""))
        form = EmbedForm(page, query, request.POST or None)
        link = _link(request, found, page, query, form) if request.method == "POST" and form.is_valid() else {}
    except QueryError as error:
        context = {"use_case": found, "error": error, "field": _("View")}
        return render(request, "reports/bad_query.html", context, status=400)
    context = {
        "use_case": found,
        "form": form,
        "back": address(found, page, query),
        "origins": settings.LDPSITE_EMBED_ORIGINS,
        **link,
    }
    return render(request, "reports/embed_link.html", context, status=422 if form.errors else 200)


def _link(request: HttpRequest, use_case: UseCase, page: str, query: str, form: EmbedForm) -> dict[str, object]:
    """The message about a new link; nothing, but an error of the form, if there is nothing to be seen by it."""
    shown = PAGES[page](use_case, QueryDict(query))
    if shown is None:
        form.add_error(None, _("There is nothing to show in this view yet. Once it shows results, it can be embedded."))
        return {}
    kept = query if form.cleaned_data.get("window") == "newest" else shown.exactly
    if form.cleaned_data.get("annotated"):
        whose = EVERYWHERE if may_define(person(request)) else OF_USE_CASE
        kept = "&".join(filter(None, [kept, urlencode({ANNOTATED: whose})]))
    if form.cleaned_data.get("previewed"):
        kept = "&".join(filter(None, [kept, urlencode({PREVIEWED: "1"})]))
    token = make_token(person(request), use_case, page, kept, form.cleaned_data["days"])
    link, made = request.build_absolute_uri(reverse("embed", args=[token])), read_token(token)
    preview = reverse("embed_preview", args=[token]) if _is_previewed(made) and shown.result.chart is not None else ""
    return {
        "link": link,
        "frame": _frame(link, use_case.title),
        "until": made.until,
        "preview": preview,
        "finding": shown.result.finding,
        "words": shown.result.chart.summary if shown.result.chart is not None else "",
    }


def _frame(link: str, title: str) -> str:
    """Markup to paste into another page. A title must be no markup already here."""
    return (
        f'<iframe src="{html.escape(link)}" title="{html.escape(title)}" width="100%" height="900" loading="lazy"'
        ' referrerpolicy="no-referrer"></iframe>'
    )


@login_not_required
@require_safe
def embed(request: HttpRequest, token: str) -> HttpResponse:
    """The page behind a link. Whether its maker may still show it is asked every time."""
    found, shown, refused = _shown(request, token)
    if found is None:
        return refused
    if shown is not None:
        record_once_a_day(found.maker, [found.use_case], "embed")
        note_opening(found)
    address = reverse("embed_preview", args=[token])
    preview = request.build_absolute_uri(address) if shown is not None and _is_previewed(found) else ""
    context = {"use_case": found.use_case, "shown": shown, "preview": preview}
    return _framed(render(request, "reports/embed.html", context))


@login_not_required
@require_safe
def embed_preview(request: HttpRequest, token: str) -> HttpResponse:
    """Answer with a picture of what a link shows, if its maker wanted that; asking for it is no opening of the link."""
    found, shown, refused = _shown(request, token)
    if found is None:
        return refused
    if shown is None or shown.result.chart is None or not _is_previewed(found):
        return _framed(HttpResponse(status=404))
    record_once_a_day(found.maker, [found.use_case], "embed")
    return _framed(HttpResponse(picture(shown.result.chart.figure), content_type="image/png"))


def _is_previewed(found: EmbedLink) -> bool:
    return PREVIEWED in QueryDict(found.query)


def _shown(request: HttpRequest, token: str) -> tuple[EmbedLink | None, Embedded | None, HttpResponse]:
    """Return a link and what it shows, if anything yet; without a link, the answer that it shows nothing."""
    nothing = HttpResponse()
    try:
        found = read_token(token)
    except Expired:
        return None, None, _framed(render(request, "reports/embed_gone.html", {"expired": True}, status=410))
    except NotEmbedded:
        return None, None, _framed(render(request, "reports/embed_gone.html", status=404))
    show = PAGES.get(found.page)
    try:
        if show is not None:
            return found, show(found.use_case, _parameters(found)), nothing
    except QueryError:
        pass
    return None, None, _framed(render(request, "reports/embed_gone.html", status=404))


def _parameters(found: EmbedLink) -> QueryDict:
    """The link's parameters. Annotations about all use cases are shown as long as its maker may write them."""
    parameters = QueryDict(found.query, mutable=True)
    if parameters.get(ANNOTATED) == EVERYWHERE and not may_define(found.maker):
        parameters[ANNOTATED] = OF_USE_CASE
    return parameters


def _framed(response: HttpResponse) -> HttpResponse:
    """Mark a response as for strangers, in frames of the sites that may have it, and not to be kept or found."""
    origins = " ".join(settings.LDPSITE_EMBED_ORIGINS) or "'none'"
    response.headers["Content-Security-Policy"] = "; ".join(
        [
            "default-src 'self'",
            "img-src 'self' data: blob:",
            "style-src 'self' 'unsafe-inline'",
            "connect-src 'none'",
            "form-action 'none'",
            f"frame-ancestors {origins}",
            "base-uri 'none'",
            "object-src 'none'",
        ]
    )
    # Browsers that know the above ignore it, and it cannot name more than one site.
    response.xframe_options_exempt = True
    response.headers["Referrer-Policy"] = "no-referrer"
    response.headers["X-Robots-Tag"] = "noindex, nofollow"
    response.headers["Cache-Control"] = "private, no-store"
    return response
