"""The last step: what it means, in plain words; then devices are asked, or simulated ones try it first."""

from django.contrib import messages
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _

from reports.access import people
from reports.definitions import activate
from reports.planning import advice, plans, solve
from reports.privacy import impact_of
from reports.web.change_history import note
from reports.web.pages.locales import locale_name
from reports.web.pages.planner.planner_table import answer
from reports.web.pages.set_up.begin_page import SimulationForm, simulation_of
from reports.web.pages.set_up.drafts import Draft, drafted_question, of_own_draft, step_page


@of_own_draft
def review(request: HttpRequest, draft: Draft) -> HttpResponse:
    missing = not draft.finds_words and draft.version.current_dictionary() is None
    if request.method == "POST" and not missing:
        try:
            activate(draft.version, instead_of=0)
        except ValidationError as error:
            for problem in error.messages:
                messages.error(request, problem)
            return redirect("set_up_review", draft.use_case.slug)
        note(request, draft.use_case, _("Version %(number)d: %(message)s") % {"number": 1, "message": _("Activated.")})
        return redirect("set_up_begin", draft.use_case.slug)
    use_case, version = draft.use_case, draft.version
    version.mechanism = version.device_mechanism
    # As the plan promised.
    solved = solve(drafted_question(request, draft))
    teams = [use_case.owner_group, *use_case.viewer_groups.all()]
    context = {
        "impact": impact_of(version),
        "finds_words": draft.finds_words,
        "revision": version.current_dictionary(),
        "answer": answer(solved, advice(solved, plans(solved))),
        "locales": ", ".join(locale_name(each) for each in version.locales),
        "people": people(use_case, "view").count(),
        "teams": ", ".join(dict.fromkeys(team.name for team in teams if team is not None)),
        "missing": missing,
        "simulated": SimulationForm(version, drafted_question(request, draft)),
        "simulation": simulation_of(use_case),
    }
    return step_page(request, "review", draft, context, 422 if request.method == "POST" else 200)
