"""The last step: what it means, in plain words; then devices are asked, or simulated ones try it first."""

from decimal import Decimal

from django.contrib import messages
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from reports.access import people
from reports.definitions import activate
from reports.formatting import data_size, plain, whole
from reports.models import UseCase
from reports.planning import Question, advice, plans, solve
from reports.privacy import impact_of
from reports.web.change_history import note
from reports.web.pages.locales import locale_name
from reports.web.pages.planner.planner_table import answer
from reports.web.pages.set_up.begin_page import SimulationForm, simulation_of
from reports.web.pages.set_up.drafts import Draft, drafted_question, of_own_draft, step_page

Line = tuple[str, str, str]


@of_own_draft
def review(request: HttpRequest, draft: Draft) -> HttpResponse:
    missing = missing_answers(draft)
    if request.method == "POST" and not missing:
        try:
            activate(draft.version, instead_of=0)
        except ValidationError as error:
            for problem in error.messages:
                messages.error(request, problem)
            return redirect("set_up_review", draft.use_case.slug)
        note(request, draft.use_case, _("Version %(number)d: %(message)s") % {"number": 1, "message": _("Activated.")})
        return redirect("set_up_begin", draft.use_case.slug)
    context = {
        "lines": lines(request, draft),
        "missing": missing,
        "simulated": SimulationForm(draft.version, drafted_question(request, draft)),
        "simulation": simulation_of(draft.use_case),
    }
    return step_page(request, "review", draft, context, 422 if request.method == "POST" else 200)


def missing_answers(draft: Draft) -> bool:
    return not draft.finds_words and draft.version.current_dictionary() is None


def lines(request: HttpRequest, draft: Draft) -> list[Line]:
    """Facts to know before devices are asked: a heading, a sentence, and the step that changes it."""
    use_case, version = draft.use_case, draft.version
    version.mechanism = version.device_mechanism
    impact = impact_of(version)
    return [
        (_("Asked"), use_case.title, "question"),
        (_("Counted"), _counted(draft), "answers"),
        (_("What leaves a device"), _leaving(impact.sent_bytes, impact.loss.reports_per_day), "people"),
        (_("Privacy"), _privacy(impact.loss.per_report, impact.loss.per_day), "plan"),
        (_("What will be seen"), _seen(drafted_question(request, draft), use_case), "plan"),
        (_("Where"), ", ".join(locale_name(each) for each in version.locales), "people"),
        (_("Who sees it"), _who(use_case), "people"),
        (_("How long"), _kept(use_case), "people"),
    ]


def _counted(draft: Draft) -> str:
    if draft.finds_words:
        return _("words that no list has, put together from the letters that you gave")
    revision = draft.version.current_dictionary()
    if revision is None:
        return _("nothing yet: say which answers there are")
    words = ngettext("%(size)s answer", "%(size)s answers", revision.size)
    return words % {"size": whole(revision.size)}


def _leaving(size: int, limit: int) -> str:
    words = ngettext(
        "At most %(limit)s report a day, of %(size)s: what was observed, hidden in random noise. No name, no time, no"
        " text in the clear.",
        "At most %(limit)s reports a day, of %(size)s each: what was observed, hidden in random noise. No name, no"
        " time, no text in the clear.",
        limit,
    )
    return words % {"limit": whole(limit), "size": data_size(size)}


def _privacy(per_report: Decimal, per_day: Decimal) -> str:
    words = _("ε = %(report)s a report, %(day)s a day at most: the smaller, the better each answer is hidden.")
    return words % {"report": plain(per_report), "day": plain(per_day)}


def _seen(question: Question, use_case: UseCase) -> str:
    """Repeat what was promised with the plan."""
    solved = solve(question)
    least = _("Nothing of fewer than %(minimum)s reports.") % {"minimum": whole(use_case.minimum_reports)}
    return f"{answer(solved, advice(solved, plans(solved)))} {least}"


def _who(use_case: UseCase) -> str:
    number = people(use_case, "view").count()
    words = ngettext("%(teams)s: %(number)s person now", "%(teams)s: %(number)s people now", number)
    teams = [group.name for group in use_case.viewer_groups.all()]
    owner = use_case.owner_group
    named = ", ".join(dict.fromkeys([*([owner.name] if owner is not None else []), *teams]))
    return words % {"number": whole(number), "teams": named or _("Administrators alone")}


def _kept(use_case: UseCase) -> str:
    days = use_case.retention_days
    words = ngettext(
        "Raw reports are deleted after %(days)s day; results stay.",
        "Raw reports are deleted after %(days)s days; results stay.",
        days,
    )
    return words % {"days": whole(days)}
