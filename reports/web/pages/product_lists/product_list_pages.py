"""Lists for products: what products read, what waits for approval, and what changed from version to version."""

import datetime
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from django.contrib import messages
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from reports.access import owned, use_cases
from reports.formatting import day_range, small_percent, whole
from reports.models import ProductList, ProductListVersion, UseCase, Version
from reports.product_lists import approve, changes_between, proposal_of, propose, rules_of
from reports.results import (
    HistogramQuery,
    cached_each,
    colourful,
    default_version,
    element_name,
    histogram_view,
    unpadded,
)
from reports.viewings import record_viewing
from reports.web.pages.locales import locale_label
from reports.web.pages.people import person
from reports.web.pages.product_lists.product_list_form import ProductListForm

# Versions whose changes are listed.
HISTORY = 20
# Elements of a locale, and of a kind of change, that pages show.
SHOWN = 50
# A share with its interval.
SHARE: Final = "%s (%s\u00a0– %s)"

# By locale, of each element.
Shares: TypeAlias = dict[str, dict[str, str]]
NO_SHARES: Final[Shares] = {}


@dataclass(frozen=True)
class Element:
    """An element, its name if it has another one, and its share with its interval while it waits for approval."""

    display: str
    name: str
    share: str = ""


@dataclass(frozen=True)
class Some:
    """The first of some elements, which pages show, and how many there are; a file has all."""

    elements: Sequence[Element]
    number: int

    @property
    def more(self) -> int:
        return self.number - len(self.elements)


# Changes of a version by locale: kinds of change in words, each with its elements.
Changes: TypeAlias = list[tuple[str, list[tuple[str, Some]]]]


@require_http_methods(["GET", "HEAD", "POST"])
def product_lists(request: HttpRequest, slug: str) -> HttpResponse:
    """The lists of a use case; posts make new ones."""
    writing = request.method == "POST"
    found = _use_case(request, "edit" if writing else "view", slug)
    form = ProductListForm(found, request.POST if writing else None) if found.pk in owned(person(request)) else None
    if writing and form is not None and form.is_valid():
        form.instance.made_by = person(request)
        made = form.save()
        if propose(made) is None:
            messages.info(request, _("The list is made. It will be proposed once there are results for it."))
        return redirect("product_list", slug, made.name)
    context = {
        "use_case": found,
        "lists": _lines(found),
        "form": form,
        "has_dictionaries": form is None or "dictionary" not in form.fields or bool(form.fields["dictionary"].choices),  # type: ignore[attr-defined]
    }
    return render(request, "reports/product_lists.html", context, status=422 if writing else 200)


def _lines(use_case: UseCase) -> list[tuple[ProductList, str, ProductListVersion | None, bool]]:
    """Return each list, its rule in words, the version that products read, and whether one waits for approval."""
    versions = ProductListVersion.objects.filter(product_list__use_case=use_case).defer("locales")
    newest = versions.approved().order_by("product_list_id", "-number").distinct("product_list_id")
    approved = {version.product_list_id: version for version in newest}
    waiting = {version.product_list_id for version in versions.filter(approved_at=None)}
    return [
        (each, rule_in_words(each), approved.get(each.pk), each.pk in waiting) for each in use_case.product_lists.all()
    ]


def _lists(use_case: UseCase) -> QuerySet[ProductList]:
    return use_case.product_lists.select_related("use_case")


@require_safe
def product_list(request: HttpRequest, slug: str, name: str) -> HttpResponse:
    found = _found(request, "view", slug, name)
    version = default_version(found.use_case)
    history = list(found.versions.approved().select_related("approved_by")[: HISTORY + 1])
    approved, proposal = history[0] if history else None, proposal_of(found)
    shares = _shares(found, version, proposal)
    context = {
        "use_case": found.use_case,
        "list": found,
        "rule": rule_in_words(found),
        "approved": approved,
        "parts": _parts(version, approved),
        "proposed_parts": _parts(version, proposal, shares),
        "proposal": proposal,
        "proposed": _changes(version, approved, proposal, shares) if proposal is not None else (),
        "history": [
            (after, _changes(version, before, after))
            for after, before in zip(history[:HISTORY], [*history[1:], None], strict=False)
        ],
        "address": request.build_absolute_uri(reverse("api_product_list", args=[slug, name])),
        "is_owner": found.use_case_id in owned(person(request)),
        "is_about": found.rule in rules_of(version),
    }
    record_viewing(person(request), found.use_case, "page")
    return render(request, "reports/product_list.html", context)


@require_POST
def propose_product_list(request: HttpRequest, slug: str, name: str) -> HttpResponse:
    """Ask the rule now, and not within the hour."""
    if propose(_found(request, "edit", slug, name)) is None:
        messages.info(request, _("Nothing has changed: products read what the rule gives."))
    return redirect("product_list", slug, name)


@require_POST
def approve_product_list(request: HttpRequest, slug: str, name: str) -> HttpResponse:
    """Approve the proposal that was looked at, and no newer one."""
    found = _found(request, "edit", slug, name)
    proposal = proposal_of(found)
    if proposal is None or str(proposal.pk) != request.POST.get("proposal") or not approve(proposal, person(request)):
        messages.error(request, _("The proposal has changed meanwhile. Look at it once more."))
    else:
        messages.success(request, _("Version %(number)s is approved: products read it.") % {"number": proposal.number})
    return redirect("product_list", slug, name)


@require_http_methods(["GET", "HEAD", "POST"])
def delete_product_list(request: HttpRequest, slug: str, name: str) -> HttpResponse:
    """Asks first: products that read it find nothing then."""
    found = _found(request, "edit", slug, name)
    if request.method != "POST":
        return render(request, "reports/delete_product_list.html", {"use_case": found.use_case, "list": found})
    found.delete()
    messages.success(request, _("The list is deleted."))
    return redirect("product_lists", slug)


def _found(request: HttpRequest, action: Literal["view", "edit"], slug: str, name: str) -> ProductList:
    return get_object_or_404(_lists(_use_case(request, action, slug)), name=name)


def _use_case(request: HttpRequest, action: Literal["view", "edit"], slug: str) -> UseCase:
    """Find a use case that is no simulation: products read nothing that is made up."""
    return get_object_or_404(use_cases(person(request), action), slug=slug, simulation_of=None)


def rule_in_words(product_list: ProductList) -> str:
    """Say what a list holds, in one sentence."""
    if product_list.rule == ProductList.Rule.WORDS:
        return _("Words that were accepted into “%(name)s”.") % {"name": product_list.dictionary}
    days = ngettext("the newest day", "the newest %(days)s days", product_list.days) % {"days": product_list.days}
    if product_list.rule == ProductList.Rule.ABOVE:
        share = small_percent(product_list.least_share or 0)
        return _("All that are certainly above %(share)s of reports in %(days)s.") % {"share": share, "days": days}
    return _("The %(length)s most reported of %(days)s, in order.") % {
        "length": whole(product_list.length or 0),
        "days": days,
    }


def _shares(found: ProductList, version: Version | None, proposal: ProductListVersion | None) -> Shares:
    """Write the shares of what is proposed, by the histograms that its rule read; none of words and of what is gone."""
    if version is None or proposal is None:
        return {}
    locales = {locale: part for locale, part in proposal.locales.items() if "first_day" in part}

    def find(missing: list[UseCase]) -> dict[int, Shares]:
        return {
            use_case.pk: {
                locale: _shares_of(use_case, version, locale, part)
                for locale, part in locales.items()
                if locale in version.locales
            }
            for use_case in missing
        }

    kept: Shares = cached_each([found.use_case], "list-shares", str(proposal.pk), find)[found.use_case_id]
    return kept


def _shares_of(use_case: UseCase, version: Version, locale: str, part: Mapping[str, str]) -> dict[str, str]:
    first, last = (datetime.date.fromisoformat(part[day]) for day in ("first_day", "last_day"))
    query = HistogramQuery(locale=locale, first=first, last=last, version=version.number, top=1)
    histogram = histogram_view(use_case, query).histogram
    if histogram is None:
        return {}
    return {
        unpadded(version, entry.element): SHARE
        % tuple(
            small_percent(max(x, 0) / histogram.n) for x in (entry.estimate, entry.adjusted_lower, entry.adjusted_upper)
        )
        for entry in histogram.entries
    }


def _parts(
    version: Version | None, shown: ProductListVersion | None, shares: Shares = NO_SHARES
) -> list[tuple[str, str, Some]]:
    """Return each locale's part of a version, with the days whose shares are shown."""
    if version is None or shown is None:
        return []
    found = []
    for locale, elements in shown.elements.items():
        part = shown.locales[locale]
        days = [datetime.date.fromisoformat(part[day]) for day in ("first_day", "last_day") if day in part]
        some = _some(version, elements, shares.get(locale, {}))
        found.append((locale_label(locale), day_range(*days) if days else "", some))
    return found


def _changes(
    version: Version | None, before: ProductListVersion | None, after: ProductListVersion, shares: Shares = NO_SHARES
) -> Changes:
    if version is None:
        return []
    found: Changes = []
    for change in changes_between(before.elements if before is not None else {}, after.elements):
        kinds = {_("New"): change.added, _("Gone"): change.removed, _("Moved"): change.moved}
        own = shares.get(change.locale, {})
        lines = [(words, _some(version, elements, own)) for words, elements in kinds.items() if elements]
        found.append((locale_label(change.locale), lines))
    return found


def _some(version: Version, elements: Sequence[str], shares: Mapping[str, str]) -> Some:
    shown = [Element(colourful(each), element_name(version, each), shares.get(each, "")) for each in elements[:SHOWN]]
    return Some(shown, len(elements))
