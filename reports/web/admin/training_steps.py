"""Steps of a training task's version: activated, once what that will spend is confirmed; drafted from another."""

import json
from collections.abc import Mapping
from typing import Any

from django.contrib import messages
from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST

from aggregation import training
from reports import access
from reports.models import TrainingVersion, failures
from reports.training import activate, draft_from, parameters_digest, parameters_of
from reports.web.admin.admin_pages import admin_page, drafted, page_of, step_of
from reports.web.change_history import note


def listed(values: Mapping[str, Any]) -> SafeString:
    rows = format_html_join("", '<div><dt>{}</dt><dd class="wide"><code>{}</code></dd></div>', _written(values).items())
    return format_html('<dl class="figures">{}</dl>', rows)


def _written(values: Mapping[str, Any]) -> dict[str, str]:
    """Return values as a task file has them, numbers with as many digits as matter."""
    parts = {name: value for name, value in values.items() if value is not None}
    for name, value in list(parts.items()):
        if isinstance(value, dict):
            del parts[name]
            parts |= {f"{name}: {part}": inner for part, inner in value.items()}
    return {name: f"{value:.6g}" if isinstance(value, float) else json.dumps(value) for name, value in parts.items()}


@step_of
def of_owned_version(person: User) -> QuerySet[TrainingVersion]:
    tasks = access.training_tasks(person, "edit")
    return TrainingVersion.objects.select_related("task").filter(task__in=tasks)


@require_http_methods(["GET", "HEAD", "POST"])
@of_owned_version
def confirm_activation(request: HttpRequest, version: TrainingVersion) -> HttpResponse:
    """Show what will be frozen and spent, and activate it once that is confirmed."""
    try:
        if request.method != "POST" and version.state == TrainingVersion.State.DRAFT:
            plan = training.plan_training(parameters_of(version)).to_mapping()
            more = {
                "plan": plan,
                "delta": f"{plan['delta']:g}",
                "before": version.task.active_version(),
                "rules": listed(version.parameters),
                "planned": listed(plan),
                "digest": parameters_digest(version),
            }
            return admin_page(request, version, _("Activate"), "activate", more)
        activated = activate(version, confirmed=request.POST.get("parameters", ""))
    except training.InvalidTask as error:
        raise ValidationError([failures.in_words(str(problem)) for problem in error.problems]) from error
    note(request, activated, _("Activated."))
    messages.success(request, _("Version %(number)s is active, and frozen.") % {"number": activated.number})
    return page_of(activated)


@require_POST
@of_owned_version
def new_version_from(request: HttpRequest, source: TrainingVersion) -> HttpResponse:
    return drafted(request, draft_from(source), source, note)
