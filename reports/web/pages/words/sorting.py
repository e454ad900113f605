"""Where owners sort discovered words: a row for each, and one button that stores what was changed."""

from collections.abc import Sized
from dataclasses import replace
from urllib.parse import urlencode

from django.contrib import messages
from django.core.paginator import Page, Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_http_methods

from reports.access import use_cases
from reports.formatting import day_range, whole
from reports.models import UseCase, WordDecision
from reports.results import HistogramQuery, HistogramView, QueryError, default_version, histogram_view
from reports.results.changes import count_clear_changes
from reports.viewings import record_viewing
from reports.web.pages.choices import Choice
from reports.web.pages.kinds import page_kind
from reports.web.pages.locales import direction, language_tag, locale_label, locale_name
from reports.web.pages.people import person
from reports.web.pages.words.sorting_form import MOST_ROWS, Form
from reports.web.pages.words.sorting_list import NARROWER, Sortable, narrowed, words_to_sort
from reports.words import DecisionsRefused, decide, named_dictionaries

Verdict = WordDecision.Verdict
# Parameters that name a list of words, as on the page of the use case.
_OF_THE_LIST = ("locale", "from", "to", "version")


@require_http_methods(["GET", "HEAD", "POST"])
def sort_words(request: HttpRequest, slug: str) -> HttpResponse:
    found = get_object_or_404(use_cases(person(request), "edit"), slug=slug)
    version = default_version(found)
    if not request.GET.get("version") and page_kind(version).counts_dictionary:
        raise Http404(_("This use case finds no words."))
    try:
        view = histogram_view(found, _query(request))
        chosen = _chosen(request)
    except QueryError as error:
        field = _labels().get(error.field, error.field)
        return render(
            request, "reports/bad_query.html", {"use_case": found, "error": error, "field": field}, status=400
        )
    words = words_to_sort(view)
    if request.method == "POST":
        return _save(request, view, words, chosen)
    page = Paginator(narrowed(words, chosen), MOST_ROWS).get_page(request.GET.get("page"))
    form = Form.blank(found, view.locale, list(page.object_list))
    return _render(request, view, words, chosen, form, page)


def _save(request: HttpRequest, view: HistogramView, words: list[Sortable], chosen: str) -> HttpResponse:
    form = Form.sent(view.use_case, view.locale, words, request.POST)
    try:
        outcome = decide(person(request), view.use_case, view.locale, form.decided())
    except DecisionsRefused as refused:
        form.refuse(refused)
        return _render(request, view, words, chosen, form, status=422)
    stored = len(outcome.stored)
    if stored:
        # A rejected word is no change any more: the card says so at once, and not after the next run.
        count_clear_changes(UseCase.objects.get(pk=view.use_case.pk))
        text = ngettext("%(count)s change is saved.", "%(count)s changes are saved.", stored)
        messages.success(request, text % {"count": whole(stored)})
    elif not outcome.overtaken_by:
        messages.info(request, _("Nothing was changed, so nothing was stored."))
    if not outcome.overtaken_by:
        return redirect(request.get_full_path())
    form.overtaken(outcome)
    return _render(request, view, words, chosen, form, status=409)


def _query(request: HttpRequest) -> HistogramQuery:
    """The list of words. All of its words are read, whichever of them are shown, for the numbers of each kind."""
    of_the_list = {name: request.GET[name] for name in _OF_THE_LIST if name in request.GET}
    return replace(HistogramQuery.from_parameters(of_the_list), words="all")


def _chosen(request: HttpRequest) -> str:
    chosen = request.GET.get("words", "")
    if chosen in ("", "all"):
        return ""
    if chosen not in NARROWER:
        raise QueryError("words", _("Choose one of: %(names)s.") % {"names": ", ".join(("all", *NARROWER))})
    return chosen


def _labels() -> dict[str, str]:
    return {"locale": _("Locale"), "from": _("From"), "to": _("To"), "version": _("Version"), "words": _("Words")}


def _render(
    request: HttpRequest,
    view: HistogramView,
    words: list[Sortable],
    chosen: str,
    form: Form,
    page: Page[Sortable] | None = None,
    status: int = 200,
) -> HttpResponse:
    histogram = view.histogram
    if histogram is not None or words:
        record_viewing(person(request), view.use_case, "page")
    context = {
        "use_case": view.use_case,
        "view": view,
        "form": form,
        "page": page,
        "words": words,
        "waiting": _waiting(view, words),
        "here": _address(view),
        "locale": locale_name(view.locale),
        "window": day_range(histogram.first_day, histogram.last_day) if histogram is not None else "",
        "locales": _locales(view),
        "filters": _filters(view, words, chosen),
        "dictionaries": sorted({part.name for part in named_dictionaries(view.use_case)}),
        "element_lang": language_tag(view.locale),
        "element_dir": direction(view.locale),
        "before": _address(view, chosen, page.previous_page_number()) if page and page.has_previous() else "",
        "after": _address(view, chosen, page.next_page_number()) if page and page.has_next() else "",
    }
    return render(request, "reports/sort_words.html", context, status=status)


def _address(view: HistogramView, chosen: str = "", page: int = 1, locale: str = "") -> str:
    """Address of this page with the same list of words; without a choice, of the list on the use case's page."""
    parameters = replace(view.query, locale=locale or view.locale, words=chosen).parameters()
    if page > 1:
        parameters["page"] = str(page)
    return f"?{urlencode(parameters)}"


def _waiting(view: HistogramView, words: list[Sortable]) -> str:
    """Say how many words are still to be decided."""
    undecided, locale = len(narrowed(words, Verdict.UNDECIDED)), locale_name(view.locale)
    if not undecided:
        return _("No word waits for a decision in %(locale)s.") % {"locale": locale}
    text = ngettext(
        "%(count)s word waits for a decision in %(locale)s.",
        "%(count)s words wait for a decision in %(locale)s.",
        undecided,
    )
    return text % {"count": whole(undecided), "locale": locale}


def _locales(view: HistogramView) -> list[Choice]:
    codes = view.version.locales if view.version is not None else []
    choices = [Choice(_address(view, locale=code), locale_label(code), code == view.locale) for code in codes]
    return choices if len(choices) > 1 else []


def _filters(view: HistogramView, words: list[Sortable], chosen: str) -> list[Choice]:
    """All, then what there is some of, each with its number."""
    found = [Choice(_address(view), _("all, undecided first (%(count)s)") % _count(words), not chosen)]
    for name in NARROWER:
        those = narrowed(words, name)
        if those or name == chosen:
            label = _("new since the run before") if name == "new" else _label(name)
            text = _("%(label)s (%(count)s)") % {"label": label, **_count(those)}
            found.append(Choice(_address(view, name), text, name == chosen))
    return found


def _label(name: str) -> str:
    if name in Verdict.values:
        return str(Verdict(name).label)
    return _("accepted: %(kind)s") % {"kind": WordDecision.Kind(name).label}


def _count(words: Sized) -> dict[str, str]:
    return {"count": whole(len(words))}
