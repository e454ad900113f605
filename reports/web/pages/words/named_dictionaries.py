"""Named dictionaries: what was accepted under each name, as a page and as files for devices."""

from itertools import groupby

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from reports.access import may_set_up, use_cases
from reports.formatting import whole
from reports.results import default_version
from reports.viewings import record_viewing
from reports.web.pages.kinds import page_kind
from reports.web.pages.locales import locale_label
from reports.web.pages.people import person
from reports.words import accepted_words, named_dictionaries


@require_safe
def dictionaries(request: HttpRequest, slug: str) -> HttpResponse:
    found = get_object_or_404(use_cases(person(request), "view"), slug=slug)
    version = default_version(found)
    discovers = version is not None and not page_kind(version).counts_dictionary
    owner = use_cases(person(request), "edit").filter(pk=found.pk).exists()
    # Only of these is there a page to sort words on.
    sortable = version.locales if version is not None and discovers and owner else []
    by_name = []
    for name, group in groupby(named_dictionaries(found), key=lambda part: part.name):
        parts = list(group)
        labelled = [
            (part.locale, locale_label(part.locale), whole(part.size), part.locale in sortable) for part in parts
        ]
        # A word of two locales is in the whole once.
        whole_size = whole(len(accepted_words(found, name))) if len(parts) > 1 else ""
        by_name.append((name, labelled, whole_size))
    context = {
        "use_case": found,
        "dictionaries": by_name,
        "discovers": discovers,
        "owner": owner,
        "may_count": may_set_up(person(request)),
    }
    return render(request, "reports/named_dictionaries.html", context)


@require_safe
def word_list(request: HttpRequest, slug: str, name: str, locale: str | None = None) -> HttpResponse:
    """One word a line, as it is: a device reads this file, so that nothing is put before what looks like a formula."""
    found = get_object_or_404(use_cases(person(request), "view"), slug=slug)
    words = accepted_words(found, name, locale)
    if not words:
        raise Http404(_("There is no dictionary of this name here."))
    record_viewing(person(request), found, "words")
    file_name = "-".join(part for part in (found.slug, name, locale) if part)
    headers = {"Content-Disposition": f'attachment; filename="{file_name}.txt"'}
    return HttpResponse(
        "".join(f"{word}\n" for word in words), content_type="text/plain; charset=utf-8", headers=headers
    )
