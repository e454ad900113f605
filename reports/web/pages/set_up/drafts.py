"""Drafts of guided set-up: whose they are, what steps there are, and how a plan becomes a draft's parameters."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import wraps
from typing import Any, Final

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods

from aggregation.mechanisms import MECHANISMS
from aggregation.parameters import json_epsilon
from reports.access import use_cases
from reports.definitions import Settings
from reports.kinds import kind_of
from reports.models import UseCase, Version
from reports.models.versions import without
from reports.planning import Plan, Question, advice, plans, solve
from reports.web.pages.people import person
from reports.web.pages.planner.planner_form import PlannerForm
from reports.web.pages.set_up.kinds_of_question import KINDS, kind_of_question

STEPS: Final[dict[str, str | Promise]] = {
    "question": gettext_lazy("Question"),
    "answers": gettext_lazy("Answers"),
    "plan": gettext_lazy("Precision"),
    "people": gettext_lazy("Who and where"),
    "review": gettext_lazy("Review"),
}


@dataclass(frozen=True)
class Draft:
    """A use case that is not active yet, with the version that will be."""

    use_case: UseCase
    version: Version

    @property
    def finds_words(self) -> bool:
        return not kind_of(self.version).has_dictionary


DraftView = Callable[[HttpRequest, Draft], HttpResponse]


def of_own_draft(view: DraftView) -> Callable[[HttpRequest, str], HttpResponse]:
    """Give a step the draft, or answer 404 unless the person may change it; what has begun is past these steps."""

    @require_http_methods(["GET", "HEAD", "POST"])
    @wraps(view)
    def wrapped(request: HttpRequest, slug: str) -> HttpResponse:
        use_case = get_object_or_404(use_cases(person(request), "edit"), slug=slug)
        if use_case.versions.frozen().exists():
            return redirect("set_up_begin", slug)
        version = use_case.versions.order_by("-number").first()
        if version is None:
            raise Http404
        version.use_case = use_case
        return view(request, Draft(use_case, version))

    return wrapped


def step_page(
    request: HttpRequest, step: str, draft: Draft | None, context: dict[str, Any], status: int = 200
) -> HttpResponse:
    slug = draft.use_case.slug if draft is not None else ""
    steps = [
        (label, reverse(f"set_up_{name}", args=[slug]) if draft is not None else "", name == step)
        for name, label in STEPS.items()
    ]
    own = {"steps": steps, "step": step, "use_case": draft.use_case if draft is not None else None}
    return render(request, f"reports/set_up/{step}.html", {**own, **context}, status=status)


def kept_plan(request: HttpRequest, draft: Draft) -> dict[str, str]:
    """Return the figures that were planned with, as in an address; none if nothing was planned yet."""
    kept: dict[str, str] = request.session.get(_key(draft), {})
    return kept


def keep_plan(request: HttpRequest, draft: Draft, parameters: dict[str, str]) -> None:
    request.session[_key(draft)] = parameters


def _key(draft: Draft) -> str:
    return f"set-up-{draft.use_case.pk}"


class PlanForm(PlannerForm):
    """The figures of the planner that are asked first; over a week, unless something else is said."""

    SHOWN: Final = ("n", "days", "epsilon", "share", "probability")

    def __init__(self, given: dict[str, str]) -> None:
        super().__init__({"days": "7", **given})
        for name in self.fields.keys() - {*self.SHOWN}:
            del self.fields[name]


def question_about(use_case: UseCase, size: int, asked: Question, *, words: bool) -> Question:
    """Return what is asked of the planner about a use case with so many answers, or where words are found."""
    return replace(
        asked,
        size=size,
        complete=use_case.dictionary_complete,
        words=words,
        limit=use_case.daily_limit,
        retention=use_case.retention_days,
        prescribed_threshold=use_case.prescribed_threshold,
    )


def size_of(draft: Draft) -> int:
    """Return how many answers are counted, or until that is known, how many are expected."""
    revision = draft.version.current_dictionary()
    return revision.size if revision is not None else KINDS[kind_of_question(draft.use_case, draft.version)].size


def kept_question(request: HttpRequest, draft: Draft, size: int) -> Question:
    form = PlanForm(kept_plan(request, draft))
    asked = form.question() if form.is_valid() else Question(days=7)
    return question_about(draft.use_case, size, asked, words=draft.finds_words)


def drafted_question(request: HttpRequest, draft: Draft) -> Question:
    """Return what was planned, with the mechanism and the ε of the draft: its answer is what will be seen."""
    question = solve(kept_question(request, draft, size_of(draft)))
    version = draft.version
    epsilon = Decimal(str(version.parameters.get("epsilon", question.epsilon)))
    return replace(question, algorithm=version.algorithm, epsilon=epsilon, share=None, find="share")


def planned(settings: Settings, question: Question) -> Settings:
    """Return settings with the mechanism that is best for a question, and its parameters."""
    solved = solve(question)
    best = advice(solved, plans(solved)).best
    return settings if best is None else with_plan(settings, best)


def with_plan(settings: Settings, plan: Plan) -> Settings:
    # Defaults that follow from the dictionary follow from the one that is frozen with the version.
    known = MECHANISMS[plan.algorithm]
    chosen = without({**plan.parameters}, {*known.dictionary_parameters, *known.dictionary_defaults})
    parameters = {name: json_epsilon(each) if isinstance(each, Decimal) else each for name, each in chosen.items()}
    return {**settings, "algorithm": plan.algorithm, "parameters": parameters}
