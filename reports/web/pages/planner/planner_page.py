"""The planner: what would be seen, before anything is collected. The same as JSON."""

from typing import cast

from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.utils.http import urlencode
from django.views.decorators.http import require_safe

from reports.access import may_define, may_set_up
from reports.planning import NotPossible, Plan, advice, plan_document, plans, solve
from reports.web.pages.addresses import exact_address
from reports.web.pages.planner.planner_form import PlannerForm
from reports.web.pages.planner.planner_table import columns, impossible, lines, plan_context


@require_safe
def planner(request: HttpRequest) -> HttpResponse:
    form = PlannerForm(request.GET.dict())
    if not form.is_valid():
        return render(request, "reports/planner.html", {"form": form}, status=400)
    question = form.question()
    parameters = question.parameters()
    if request.GET.dict() != parameters:
        # One view, one address: without what is as usual.
        return redirect(f"{request.path}?{urlencode(parameters)}" if parameters else request.path)
    question = solve(question)
    found = plans(question)
    advised = advice(question, found)
    form.show_found(question)
    possible = [plan for plan in found if isinstance(plan, Plan)]
    person = cast(User, request.user)
    context = {
        "form": form,
        "columns": columns(question, possible, advised.recommended),
        "lines": lines(question, possible),
        "impossible": [impossible(one) for one in found if isinstance(one, NotPossible)],
        **plan_context(question, advised),
        # Use cases are made in the admin, which asks for both.
        "makes": may_define(person) and person.is_staff,
        "sets_up": may_set_up(person),
        "json_address": urlencode(parameters),
        "provenance": form.given(),
        "exactly": exact_address(request, urlencode(parameters)).removesuffix("?"),
    }
    return render(request, "reports/planner.html", context)


@require_safe
def planner_file(request: HttpRequest) -> JsonResponse:
    form = PlannerForm(request.GET.dict())
    if not form.is_valid():
        return JsonResponse({"errors": form.errors}, status=400)
    question = solve(form.question())
    found = plans(question)
    return JsonResponse(plan_document(question, found, advice(question, found)))
