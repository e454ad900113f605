"""Annotations of days, such as a release: owners write them, and all who see the use case read them on its trends."""

import datetime
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from django import forms
from django.contrib import messages
from django.contrib.auth.models import User
from django.db.models import Q
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods

from reports.access import may_define, may_delete, owned, use_cases, writable_annotations
from reports.models import Annotation, UseCase
from reports.models.uploads import utc_today
from reports.models.validators import is_storable
from reports.web.pages.people import person

# No day of a use case is before.
EARLIEST = datetime.date(2000, 1, 1)


class AnnotationForm(forms.Form):
    day = forms.DateField(
        label=gettext_lazy("Day"),
        widget=forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d"),
        input_formats=["%Y-%m-%d"],
    )
    text = forms.CharField(
        label=gettext_lazy("What happened"),
        max_length=120,
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
    )
    everywhere = forms.BooleanField(label=gettext_lazy("Show it with all use cases"), required=False)

    def __init__(self, *args: Any, may_write_everywhere: bool, **kwargs: Any) -> None:
        super().__init__(*args, **{"label_suffix": "", **kwargs})
        if not may_write_everywhere:
            del self.fields["everywhere"]

    def clean_day(self) -> datetime.date:
        day: datetime.date = self.cleaned_data["day"]
        if not EARLIEST <= day <= utc_today() + datetime.timedelta(days=366):
            raise forms.ValidationError(_("Choose a day that may have reports."))
        return day

    def clean_text(self) -> str:
        # A line on a chart has one line.
        text = " ".join(str(self.cleaned_data["text"]).split())
        if not is_storable(text):
            raise forms.ValidationError(_("The text has characters that cannot be kept."))
        return text


@dataclass(frozen=True)
class Line:
    """An annotation as it is listed; who may delete it has the address for that."""

    # By which a chart has it.
    number: int
    day: datetime.date
    text: str
    everywhere: bool
    delete: str


def annotation_form(user: User, use_case: UseCase) -> AnnotationForm | None:
    """Return the form of a user who may write annotations."""
    if use_case.pk not in owned(user):
        return None
    return AnnotationForm(may_write_everywhere=may_define(user), initial={"day": utc_today()})


def annotation_lines(found: Iterable[Annotation], use_case: UseCase, user: User | None = None) -> list[Line]:
    """Lines in the order given; for pages to which a deletion does not lead back, without a user."""
    return [
        Line(
            number,
            annotation.day,
            annotation.text,
            annotation.use_case_id is None,
            reverse("delete_annotation", args=[use_case.slug, annotation.pk])
            if user is not None and may_delete(user, annotation)
            else "",
        )
        for number, annotation in enumerate(found, 1)
    ]


@require_http_methods(["GET", "HEAD", "POST"])
def annotations(request: HttpRequest, slug: str) -> HttpResponse:
    """All of a use case, the newest first, and the form to write one."""
    writing = request.method == "POST"
    found = get_object_or_404(use_cases(person(request), "edit" if writing else "view"), slug=slug)
    form = annotation_form(person(request), found)
    if writing:
        form = AnnotationForm(request.POST, may_write_everywhere=may_define(person(request)))
        if form.is_valid():
            Annotation.objects.create(
                use_case=None if form.cleaned_data.get("everywhere") else found,
                day=form.cleaned_data["day"],
                text=form.cleaned_data["text"],
                written_by=person(request),
            )
            messages.success(request, _("The annotation is added."))
            return _back(request, slug)
    there = Annotation.objects.filter(Q(use_case=found) | Q(use_case=None)).order_by("-day", "-pk")
    context = {
        "use_case": found,
        "annotations": annotation_lines(there, found, person(request)),
        "annotation_form": form,
        # The page from which an annotation came that could not be taken.
        "back": request.POST.get("back"),
    }
    return render(request, "reports/annotations.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
def delete_annotation(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Asks first: there is no way back."""
    found = get_object_or_404(use_cases(person(request), "view"), slug=slug)
    there = writable_annotations(person(request)).filter(Q(use_case=found) | Q(use_case=None))
    annotation = get_object_or_404(there, pk=pk)
    if request.method != "POST":
        back = request.GET.get("back")
        context = {"use_case": found, "annotation": annotation, "back": back, "keep": _address_back(slug, back)}
        return render(request, "reports/delete_annotation.html", context)
    annotation.delete()
    messages.success(request, _("The annotation is deleted."))
    return _back(request, slug)


def _back(request: HttpRequest, slug: str) -> HttpResponse:
    return redirect(_address_back(slug, request.POST.get("back")))


def _address_back(slug: str, query: str | None) -> str:
    """Address of the trend from which the user came, or of the list. Forms know only a query string, no address."""
    if query is None:
        return reverse("annotations", args=[slug])
    return f"{reverse('trend', args=[slug])}{'?' if query else ''}{query[:4000]}"
