"""Accepted words are counted: by a new use case, or by one that counts others already, whose dictionary they extend."""

from dataclasses import dataclass

from django.contrib import messages
from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.http import urlencode
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_http_methods

from reports.access import may_set_up, use_cases
from reports.definitions import Entry, locked, read_proposal, revise_dictionary
from reports.formatting import whole
from reports.kinds import kind_of
from reports.models import DictionaryDraft, DictionaryEntry, UseCase, Version
from reports.viewings import record_viewing
from reports.web.change_history import note_on_version
from reports.web.pages.people import person
from reports.web.pages.set_up.question_step import PARAMETER
from reports.web.query_strings import key_of
from reports.words import accepted_words

# Normalisations of words in versions that may count them.
_WRITTEN_AS = ("word", "raw")


@dataclass(frozen=True)
class Counting:
    """A version that may count the words too, and what of them it does not count yet."""

    version: Version
    # Revision of the dictionary in force; 0 if there is none yet.
    revision: int
    size: int
    new: list[Entry]


@require_http_methods(["GET", "HEAD", "POST"])
def count_words(request: HttpRequest, slug: str, name: str) -> HttpResponse:
    """Offer use cases that may count the words of a named dictionary; add them to the one that is chosen."""
    if not may_set_up(person(request)):
        raise Http404
    found = get_object_or_404(use_cases(person(request), "view"), slug=slug)
    words = accepted_words(found, name)
    if not words:
        raise Http404(_("There is no dictionary of this name here."))
    record_viewing(person(request), found, "words")
    if request.method == "POST":
        return _add(request, found, name, words)
    countings = _countings(_versions(request), words)
    new_one = f"{reverse('set_up')}?{urlencode({PARAMETER: f'{found.pk} {name}'})}"
    if not countings:
        return redirect(new_one)
    context = {"use_case": found, "name": name, "size": len(words), "countings": countings, "new_one": new_one}
    return render(request, "reports/count_words.html", context)


def _versions(request: HttpRequest) -> list[Version]:
    """Return the versions that may take the words: of each use case of the person's the active one, or the draft."""
    owned = use_cases(person(request), "edit").filter(simulation_of=None).exclude(state=UseCase.State.ARCHIVED)
    open_ones = Version.objects.filter(
        use_case__in=owned, normalization__in=_WRITTEN_AS, state__in=(Version.State.ACTIVE, Version.State.DRAFT)
    )
    newest = {
        each.use_case_id: each
        for each in sorted(open_ones.select_related("use_case"), key=lambda each: each.state == Version.State.ACTIVE)
    }
    return sorted(filter(_may_grow, newest.values()), key=lambda each: each.use_case.title)


def _may_grow(version: Version) -> bool:
    """Tell whether a version counts a dictionary, and one that devices were not given."""
    return kind_of(version).has_dictionary and not version.dictionary_parameters


def _countings(versions: list[Version], words: list[str]) -> list[Counting]:
    revisions = {version.pk: version.current_dictionary() for version in versions}
    entries = {version.pk: _as_counted(version, words) for version in versions}
    counted = DictionaryEntry.objects.filter(
        revision__in=[revision for revision in revisions.values() if revision is not None],
        element__in={entry.element for of_version in entries.values() for entry in of_version},
    )
    known = set(counted.values_list("revision_id", "element"))
    return [
        Counting(
            version,
            revision.number if (revision := revisions[version.pk]) is not None else 0,
            revision.size if revision is not None else 0,
            [entry for entry in entries[version.pk] if revision is None or (revision.pk, entry.element) not in known],
        )
        for version in versions
    ]


def _as_counted(version: Version, words: list[str]) -> list[Entry]:
    return read_proposal("\n".join(words), DictionaryDraft.Form.LINES, version).entries


@transaction.atomic
def _add(request: HttpRequest, found: UseCase, name: str, words: list[str]) -> HttpResponse:
    chosen = key_of(request.POST.get("version", ""))
    version = next((each for each in _versions(request) if each.pk == chosen), None)
    if version is None:
        raise Http404
    version = locked(version)[1]
    (counting,) = _countings([version], words)
    if request.POST.get("revision") != str(counting.revision) or not counting.new:
        messages.error(
            request, _("Nothing was saved: something has changed since you saw this page. Look at it again.")
        )
        return redirect("count_words", found.slug, name)
    revision = version.current_dictionary()
    present = revision.entries.order_by("position") if revision is not None else DictionaryEntry.objects.none()
    before = [Entry(*row) for row in present.values_list("element", "display", "category")]
    after = [*before, *counting.new]
    revise_dictionary(version, after)
    facts = {"title": version.use_case.title, "number": counting.revision + 1, "size": whole(len(after))}
    said = ngettext(
        "%(title)s counts %(new)s word more: revision %(number)d of its dictionary, of %(size)s elements.",
        "%(title)s counts %(new)s words more: revision %(number)d of its dictionary, of %(size)s elements.",
        len(counting.new),
    )
    said %= {**facts, "new": whole(len(counting.new))}
    note_on_version(request, version, said)
    messages.success(request, said)
    return redirect("count_words", found.slug, name)
