"""Saved views: a page with everything that was chosen on it, under a name; one's own, or shared with a group."""

from typing import Any

from django import forms
from django.contrib import messages
from django.contrib.auth.models import Group, User
from django.db import IntegrityError, transaction
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods, require_POST

from reports import access
from reports.models import SavedView, UseCase
from reports.models.validators import is_storable
from reports.results import QueryError
from reports.web.pages.bookmarks.pins import pin_view
from reports.web.pages.bookmarks.query_strings import READERS, address, normalised
from reports.web.pages.locales import isolated
from reports.web.pages.people import person
from reports.web.pages.tables import Cell, Heading, Table


class SaveForm(forms.ModelForm):  # type: ignore[type-arg]
    """The name of a view, and who else has it in their list."""

    shared_with = forms.ModelChoiceField(
        Group.objects.none(),
        label=gettext_lazy("Who sees it in their list"),
        required=False,
        empty_label=gettext_lazy("Only me"),
    )
    pinned = forms.BooleanField(label=gettext_lazy("Pin it to my front page"), required=False)

    class Meta:
        model = SavedView
        fields = ["name", "shared_with"]

    def __init__(self, owner: User, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs | {"auto_id": "view-%s"})
        self.owner = owner
        self.fields["shared_with"].queryset = owner.groups.order_by("name")  # type: ignore[attr-defined]
        if self.instance.pk is not None:
            # Later it is pinned on the front page.
            del self.fields["pinned"]

    def clean_name(self) -> str:
        name: str = self.cleaned_data["name"]
        if not is_storable(name):
            raise forms.ValidationError(_("The name has characters that cannot be kept."))
        if self.owner.saved_views.filter(name=name).exclude(pk=self.instance.pk).exists():
            self._refuse_name()
        return name

    def _refuse_name(self) -> None:
        raise forms.ValidationError(_("You have a view of this name already. Choose another name."))

    def save(self, commit: bool = True) -> SavedView:
        """Raises ValidationError if another session of the same person was faster."""
        self.instance.owner = self.owner
        try:
            with transaction.atomic():
                saved: SavedView = super().save(commit)
                if self.cleaned_data.get("pinned"):
                    pin_view(self.owner, saved)
                return saved
        except IntegrityError:
            self._refuse_name()
            raise


@require_http_methods(["GET", "HEAD", "POST"])
def saved_views(request: HttpRequest) -> HttpResponse:
    """The list of saved views that a user may open; posts make new ones."""
    if request.method == "POST":
        return _save(request)
    found = access.saved_views(person(request)).filter(page__in=READERS)
    rows = [_row(view, person(request)) for view in found.select_related("use_case", "owner", "shared_with")]
    names = [_("Name"), _("Use case"), _("Page"), _("Whose"), _("Change")]
    caption = _("Yours, and those that are shared with a group of yours")
    table = Table(caption, [Heading(name) for name in names], rows, "views") if rows else None
    return render(request, "reports/saved_views.html", {"table": table})


def _row(view: SavedView, reader: User) -> list[Cell | str]:
    group = isolated(view.shared_with.name) if view.shared_with is not None else ""
    if view.owner != reader:
        words = _("%(who)s shares it with %(group)s")
        whose = words % {"who": isolated(view.owner.get_username()), "group": group}
    else:
        whose = _("yours, shared with %(group)s") % {"group": group} if group else _("yours alone")
    change = Cell(_("Change"), reverse("saved_view", args=[view.pk]), hidden=view.name)
    return [
        Cell(view.name, address(view.use_case, view.page, view.query)),
        view.use_case.title,
        view.get_page_display(),
        whose,
        change if view.owner == reader else "—",
    ]


def saved_under(reader: User, use_case: UseCase, page: str, query: str) -> list[SavedView]:
    """The views that are what a page shows, one's own first."""
    try:
        kept = normalised(page, query)
    except QueryError:
        return []
    same = {"use_case": use_case, "page": page, "query": kept}
    # Mostly it is not saved yet, and to find out whose it is takes longer than that.
    if not SavedView.objects.filter(**same).exists():
        return []
    there = access.saved_views(reader).filter(**same)
    return sorted(there.select_related("owner", "shared_with"), key=lambda view: view.owner_id != reader.pk)


def _save(request: HttpRequest) -> HttpResponse:
    owner, page = person(request), request.POST.get("page", "")
    found = get_object_or_404(access.use_cases(owner, "view"), slug=request.POST.get("use_case", ""))
    if page not in READERS:
        raise Http404
    form = SaveForm(owner, request.POST, instance=SavedView(use_case=found, page=page))
    try:
        form.instance.query = normalised(page, request.POST.get("query", ""))
    except QueryError as error:
        form.add_error(None, str(error))
    if _saved(form):
        view = form.instance
        messages.success(request, _("The view is saved as “%(name)s”.") % {"name": view.name})
        return redirect(address(view.use_case, view.page, view.query))
    context = {"form": form, "use_case": found, "page": page, "query": request.POST.get("query", "")}
    return render(request, "reports/saved_view.html", context, status=422)


def _saved(form: SaveForm) -> bool:
    if not form.is_valid():
        return False
    try:
        form.save()
    except forms.ValidationError as error:
        form.add_error("name", error)
        return False
    return True


@require_http_methods(["GET", "HEAD", "POST"])
def saved_view(request: HttpRequest, pk: int) -> HttpResponse:
    """Rename a view of one's own, or share it with others."""
    found = _own(request, pk)
    form = SaveForm(person(request), request.POST or None, instance=found)
    if request.method == "POST" and _saved(form):
        messages.success(request, _("The view “%(name)s” is changed.") % {"name": found.name})
        return redirect("saved_views")
    context = {"form": form, "view": found, "use_case": found.use_case, "page": found.page}
    return render(request, "reports/saved_view.html", context, status=422 if form.errors else 200)


@require_POST
def delete_saved_view(request: HttpRequest, pk: int) -> HttpResponse:
    found = _own(request, pk)
    found.delete()
    messages.success(request, _("The view “%(name)s” is deleted.") % {"name": found.name})
    return redirect("saved_views")


def _own(request: HttpRequest, pk: int) -> SavedView:
    theirs = access.saved_views(person(request)).filter(owner=person(request))
    return get_object_or_404(theirs.select_related("use_case"), pk=pk)
