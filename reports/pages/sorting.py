"""Where owners sort discovered words: a row for each, and one button that stores what was changed."""

from urllib.parse import urlencode

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Page, Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_http_methods

from reports.access import use_cases
from reports.models import WordDecision
from reports.pages.choices import Choice
from reports.pages.locales import direction, language_tag, locale_label, locale_name
from reports.pages.numbers import day_range, whole
from reports.pages.people import person
from reports.pages.sorting_form import MOST_ROWS, Form
from reports.results import HistogramQuery, HistogramView, QueryError, default_version, histogram_view
from reports.results.rows import Row
from reports.viewings import record_viewing
from reports.words import DecisionsRefused, decide, named_dictionaries

Verdict = WordDecision.Verdict
# Beside all: what a list may be narrowed to.
_NARROWER = (Verdict.UNDECIDED, "new", Verdict.ACCEPTED, Verdict.REJECTED, Verdict.TRUNCATED, Verdict.FOREIGN)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def sort_words(request: HttpRequest, slug: str) -> HttpResponse:
    found = get_object_or_404(use_cases(person(request), "edit"), slug=slug)
    version = default_version(found)
    if version is None or version.discovery is None:
        raise Http404(_("This use case finds no words."))
    try:
        view = histogram_view(found, HistogramQuery(locale=request.GET.get("locale") or None, words="all"))
        chosen = _chosen(request)
    except QueryError as error:
        field = {"locale": _("Locale"), "words": _("Words")}.get(error.field, error.field)
        return render(
            request, "reports/bad_query.html", {"use_case": found, "error": error, "field": field}, status=400
        )
    if request.method == "POST":
        return _save(request, view, chosen)
    if view.histogram is not None:
        record_viewing(person(request), found, "page")
    page = Paginator(_listed(view, chosen), MOST_ROWS).get_page(request.GET.get("page"))
    form = Form.blank(found, view.locale, list(page.object_list))
    return _render(request, view, chosen, form, page)


def _save(request: HttpRequest, view: HistogramView, chosen: str) -> HttpResponse:
    form = Form.sent(view.use_case, view.locale, view.rows, request.POST)
    try:
        outcome = decide(person(request), view.use_case, view.locale, form.decided())
    except DecisionsRefused as refused:
        form.refuse(refused)
        return _render(request, view, chosen, form, status=422)
    stored = len(outcome.stored)
    if stored:
        words = ngettext("%(count)s word is sorted.", "%(count)s words are sorted.", stored)
        messages.success(request, words % {"count": whole(stored)})
    elif not outcome.overtaken_by:
        messages.info(request, _("Nothing was changed, so nothing was stored."))
    if not outcome.overtaken_by:
        return redirect(request.get_full_path())
    form.overtaken(outcome)
    return _render(request, view, chosen, form, status=409)


def _chosen(request: HttpRequest) -> str:
    chosen = request.GET.get("words", "")
    if chosen and chosen not in _NARROWER:
        raise QueryError("words", _("Choose one of: %(names)s.") % {"names": ", ".join(_NARROWER)})
    return chosen


def _listed(view: HistogramView, chosen: str) -> list[Row]:
    """Without a choice all words, those first about which nobody has decided."""
    if chosen:
        return [row for row in view.rows if _is(row, chosen)]
    return sorted(view.rows, key=lambda row: not _is(row, Verdict.UNDECIDED))


def _is(row: Row, chosen: str) -> bool:
    return row.entry.is_new if chosen == "new" else row.word is not None and row.word.verdict == chosen


def _render(
    request: HttpRequest,
    view: HistogramView,
    chosen: str,
    form: Form,
    page: Page[Row] | None = None,
    status: int = 200,
) -> HttpResponse:
    histogram, version = view.histogram, view.version
    context = {
        "use_case": view.use_case,
        "view": view,
        "form": form,
        "page": page,
        "locale": locale_name(view.locale),
        "window": day_range(histogram.first_day, histogram.last_day) if histogram is not None else "",
        "length": version.discovery.length if version is not None and version.discovery is not None else 0,
        "locales": _locales(view),
        "filters": _filters(view, chosen),
        "dictionaries": sorted({part.name for part in named_dictionaries(view.use_case)}),
        "element_lang": language_tag(view.locale),
        "element_dir": direction(view.locale),
        "before": _address(view, chosen, page.previous_page_number()) if page and page.has_previous() else "",
        "after": _address(view, chosen, page.next_page_number()) if page and page.has_next() else "",
    }
    return render(request, "reports/sort_words.html", context, status=status)


def _address(view: HistogramView, chosen: str, page: int = 1) -> str:
    parameters = {"locale": view.locale, "words": chosen, "page": str(page) if page > 1 else ""}
    return f"?{urlencode({name: value for name, value in parameters.items() if value})}"


def _locales(view: HistogramView) -> list[Choice]:
    codes = view.version.locales if view.version is not None else []
    choices = [Choice(f"?{urlencode({'locale': code})}", locale_label(code), code == view.locale) for code in codes]
    return choices if len(choices) > 1 else []


def _filters(view: HistogramView, chosen: str) -> list[Choice]:
    """All, then what there is some of, each with its number."""
    found = [Choice(_address(view, ""), _("all, undecided first (%(count)s)") % _count(view.rows), not chosen)]
    for name in _NARROWER:
        rows = [row for row in view.rows if _is(row, name)]
        if rows or name == chosen:
            label = _("new since the run before") if name == "new" else str(Verdict(name).label)
            words = _("%(label)s (%(count)s)") % {"label": label, **_count(rows)}
            found.append(Choice(_address(view, name), words, name == chosen))
    return found


def _count(rows: "list[Row] | tuple[Row, ...]") -> dict[str, str]:
    return {"count": whole(len(rows))}
