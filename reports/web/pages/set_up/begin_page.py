"""After the steps: how devices are asked and reports are sent, and a simulated fleet to see what comes of it."""

from typing import Any

from django import forms
from django.contrib import messages
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from reports.access import use_cases
from reports.formatting import whole
from reports.jobs import progress_of
from reports.models import Run, Simulation, UseCase, Version
from reports.planning import Question
from reports.privacy import sample, site_document
from reports.simulation import remove_simulation, start_simulation
from reports.web.pages.people import person
from reports.web.pages.set_up.drafts import Draft, drafted_question

MOST_REPORTS, MOST_DAYS = 1_000_000, 28


class SimulationForm(forms.Form):
    days = forms.IntegerField(label=gettext_lazy("Over so many days"), min_value=1, max_value=MOST_DAYS)
    reports = forms.IntegerField(label=gettext_lazy("Simulated reports"), min_value=1, max_value=MOST_REPORTS)

    def __init__(self, version: Version, planned: Question, data: Any = None) -> None:
        """Begin with as many reports as were planned, so that the chart shows what was promised."""
        use_case = version.use_case
        self._least, self._kept = use_case.minimum_reports * len(version.locales), use_case.retention_days
        days = min(planned.days, self._kept, MOST_DAYS)
        reports = planned.n * days * len(version.locales)
        super().__init__(data, initial={"days": days, "reports": min(max(reports, self._least), MOST_REPORTS)})
        if reports > MOST_REPORTS:
            words = _("You planned %(reports)s; of fewer, rare answers are not seen.")
            self.fields["reports"].help_text = words % {"reports": whole(reports)}

    def clean_days(self) -> int:
        days: int = self.cleaned_data["days"]
        if days > self._kept:
            words = _("Raw reports are kept for %(days)s days: simulate no more.")
            raise forms.ValidationError(words % {"days": whole(self._kept)})
        return days

    def clean_reports(self) -> int:
        reports: int = self.cleaned_data["reports"]
        if reports < self._least:
            words = _("Nothing would be shown of fewer than %(least)s reports, the minimum in each locale.")
            raise forms.ValidationError(words % {"least": whole(self._least)})
        return reports


def _own(request: HttpRequest, slug: str) -> tuple[UseCase, Version]:
    """Return a use case of the person's that takes reports of devices, with its newest version."""
    use_case = get_object_or_404(use_cases(person(request), "edit").filter(simulation_of=None), slug=slug)
    version = use_case.versions.active().first() or use_case.versions.order_by("-number").first()
    return use_case, version if version is not None else get_object_or_404(use_case.versions)


@require_safe
def begin(request: HttpRequest, slug: str) -> HttpResponse:
    use_case, version = _own(request, slug)
    if version.state != Version.State.ACTIVE:
        return redirect("set_up_review" if version.state == Version.State.DRAFT else "use_case", slug)
    form = SimulationForm(version, drafted_question(request, Draft(use_case, version)))
    return _page(request, use_case, version, form)


def _page(
    request: HttpRequest, use_case: UseCase, version: Version, form: SimulationForm, status: int = 200
) -> HttpResponse:
    context: dict[str, Any] = {"use_case": use_case, "simulated": form, "simulation": simulation_of(use_case)}
    if version.state == Version.State.ACTIVE:
        # For programs of devices and collecting servers; neither holds a token.
        context |= {
            "example": sample(version),
            # A device's consent covers everything that it is asked.
            "epsilon": f"{site_document(person(request))['epsilon']['per_day']:g}",
            "site": request.build_absolute_uri(reverse("home")).rstrip("/"),
        }
    return render(request, "reports/set_up/begin.html", context, status=status)


def simulation_of(use_case: UseCase) -> Simulation | None:
    found = Simulation.objects.filter(version__use_case__simulation_of=use_case)
    return found.select_related("version__use_case").first()


@require_POST
def simulate(request: HttpRequest, slug: str) -> HttpResponse:
    use_case, version = _own(request, slug)
    form = SimulationForm(version, drafted_question(request, Draft(use_case, version)), request.POST)
    if form.is_valid():
        try:
            start_simulation(version, form.cleaned_data["reports"], form.cleaned_data["days"])
        except ValidationError as error:
            form.add_error(None, error.messages)
        else:
            return redirect("simulation", slug)
    return _page(request, use_case, version, form, 422)


@require_safe
@never_cache
def simulation(request: HttpRequest, slug: str, *, live: bool = False) -> HttpResponse:
    """Follow a simulation until it is counted, and then lead to its chart; or answer with the part that changes."""
    use_case, _version = _own(request, slug)
    found = simulation_of(use_case)
    if found is None:
        return redirect("set_up_begin", slug)
    context = {**_progress(found), "use_case": use_case}
    if context["counted"] and not live:
        return redirect("use_case", found.version.use_case.slug)
    return render(request, f"reports/set_up/{'_simulation' if live else 'simulation'}.html", context)


def _progress(simulation: Simulation) -> dict[str, Any]:
    run = simulation.version.runs.first()
    sent = simulation.state == Simulation.State.FINISHED
    failed = next((job for job in (simulation, run) if job is not None and job.state == Run.State.FAILED), None)
    counted = sent and (run is None or run.state == Run.State.FINISHED)
    job = run if sent and run is not None else simulation
    return {
        "simulation": simulation,
        "progress": progress_of(job),
        "sent": sent,
        "failed": failed,
        "counted": counted,
        "over": counted or failed is not None,
    }


@require_POST
def remove(request: HttpRequest, slug: str) -> HttpResponse:
    use_case, _version = _own(request, slug)
    if (copy := UseCase.objects.filter(simulation_of=use_case).first()) is not None:
        remove_simulation(copy)
        messages.success(request, _("The simulation is removed, with all that came of it."))
    return redirect("set_up_begin", slug)
