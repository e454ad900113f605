"""The third step: how many reports, how much privacy, how rare an answer; one of them follows from the others."""

from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.http import urlencode

from reports.definitions import change_draft, settings_of
from reports.kinds import kind_of
from reports.planning import advice, plans, solve
from reports.web.pages.planner.planner_table import plan_context
from reports.web.pages.set_up.drafts import (
    Draft,
    PlanForm,
    keep_plan,
    kept_plan,
    of_own_draft,
    question_about,
    size_of,
    step_page,
    with_plan,
)


@of_own_draft
def plan(request: HttpRequest, draft: Draft) -> HttpResponse:
    given = request.GET.dict() or kept_plan(request, draft)
    form = PlanForm(given)
    if not form.is_valid():
        return step_page(request, "plan", draft, {"form": form}, 400)
    revision = draft.version.current_dictionary()
    asked = form.question()
    question = solve(question_about(draft.use_case, size_of(draft), asked, words=draft.finds_words))
    found = plans(question)
    advised = advice(question, found)
    if request.method == "POST" and advised.recommended is not None:
        with transaction.atomic():
            change_draft(draft.version, **with_plan(settings_of(draft.version), advised.recommended))
        keep_plan(request, draft, asked.parameters())
        return redirect("set_up_people", draft.use_case.slug)
    form.show_found(question)
    context = {
        "form": form,
        **plan_context(question, advised),
        "possible": advised.recommended is not None,
        "query": urlencode(given),
        "missing": kind_of(draft.version).has_dictionary and revision is None,
    }
    return step_page(request, "plan", draft, context, 422 if request.method == "POST" else 200)
