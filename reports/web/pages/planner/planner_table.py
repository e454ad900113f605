"""The plans of all mechanisms side by side, a line for every figure, and the recommendation in words."""

import datetime
import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from django.urls import reverse
from django.utils.http import urlencode
from django.utils.translation import gettext as _
from django.utils.translation import ngettext, pgettext

from aggregation.mechanisms import MECHANISMS
from reports.formatting import data_size, duration, plain, rounded, small_percent, upper_bound, whole
from reports.mechanisms import refusal, say, title_of, words_of
from reports.planning import Advice, NotPossible, Plan, Question, curve
from reports.web.pages.planner.planner_curve import chart, table
from reports.web.pages.planner.planner_form import times_of


def plan_context(question: Question, advised: Advice) -> dict[str, Any]:
    """Return what pages with a plan say of it: the answer, the curve, and what the template of the advice takes."""
    drawn = curve(question, advised.best.algorithm) if advised.best is not None else None
    figure = {} if drawn is None else {"chart": chart(drawn), "curve": table(drawn)}
    return {"answer": answer(question, advised), **figure, **_advice(question, advised)}


def _advice(question: Question, advised: Advice) -> dict[str, Any]:
    """Return what that template takes; nothing if there is no advice."""
    best = advised.best
    said = (advised.recommended, advised.words, advised.minimum, advised.much or None)
    if best is None or (said == (None,) * 4 and not best.finds_words):
        return {}
    added = whole(CRAFTED * question.reports * best.raised)
    return {"advised": advised, "question": question, "parameters": ", ".join(_parameters(best)), "added": added}


def impossible(plan: NotPossible) -> str:
    """Say why a mechanism is left out: which parameter it cannot have, and what that may be."""
    label, rule = words_of(plan.algorithm).PARAMETERS[plan.error.field].label, refusal(plan.algorithm, plan.error)
    facts = {"name": title_of(plan.algorithm), "parameter": say(label), "rule": rule}
    return _("%(name)s is left out. %(parameter)s: %(rule)s") % facts


def _not_possible(question: Question) -> str:
    """Say what to leave out where no mechanism is possible; why each of them is not stands beside it."""
    if given := [name for name in ("k", "m", "g", "w") if getattr(question, name) is not None]:
        words = _("None of the mechanisms can have these parameters. Leave empty what you gave of them (%(names)s).")
        return words % {"names": ", ".join(given)}
    return _("%(name)s is not possible here. Look at all mechanisms, side by side, to see which are.") % {
        "name": title_of(question.algorithm)
    }


def _too_few(advised: Advice, needed: int) -> str:
    facts = {"share": small_percent(advised.largest_share), "needed": whole(needed)}
    if not needed:
        words = _(
            "This shows next to nothing: the most frequent element would have %(share)s of the reports, and with these"
            " parameters no number of reports shows that reliably. A larger ε would."
        )
        return words % facts
    words = _(
        "This shows next to nothing: the most frequent element would have %(share)s of the reports, and with so few"
        " reports that is not seen reliably. About %(needed)s reports a day would show it; so would more days together,"
        " or a larger ε."
    )
    return words % facts


def _out_of_reach(question: Question, advised: Advice) -> str:
    facts = {
        "share": _wanted(question),
        "often": times_of(question.probability),
        "epsilon": plain(question.epsilon),
        "reports": whole(question.n),
        "possible": small_percent(advised.smallest),
    }
    words = {
        "epsilon": _(
            "No mechanism shows %(share)s of the reports %(often)s, not even at ε = %(epsilon)s, the largest there is."
        ),
        "n": _(
            "No mechanism shows %(share)s of the reports %(often)s at ε = %(epsilon)s, not even with %(reports)s"
            " reports a day, the most there can be."
        ),
    }.get(
        question.find,
        _(
            "No: with ε = %(epsilon)s and %(reports)s reports a day, no mechanism shows %(share)s of the reports"
            " %(often)s."
        ),
    )
    if advised.smallest >= _NOTHING:
        return words % facts
    return " ".join([words % facts, _("The best that is possible is %(possible)s.") % facts])


def answer(question: Question, advised: Advice) -> str:
    """The answer in one sentence; what is wrong with the question, if it has no answer."""
    best = advised.best
    if best is None:
        return _not_possible(question)
    if advised.needed is not None:
        return _too_few(advised, advised.needed)
    if advised.reached is False:
        return _out_of_reach(question, advised)
    facts = {
        "epsilon": plain(best.per_report),
        "reports": whole(question.n),
        "days": ngettext("%(days)s day", "%(days)s days", question.days) % {"days": whole(question.days)},
        "share": small_percent(best.expectation.limit.likely),
        "wanted": _wanted(question),
        "often": times_of(question.probability),
        "now": times_of(Decimal(min(math.floor(100 * (best.chance or 0)), 99)) / 100),
    }
    words = {
        "share": _(
            "With ε = %(epsilon)s and %(reports)s reports a day, over %(days)s, an element with %(share)s of the"
            " reports is seen %(often)s."
        ),
        "epsilon": _(
            "ε = %(epsilon)s is enough to see an element with %(wanted)s of the reports %(often)s, with %(reports)s"
            " reports a day, over %(days)s."
        ),
        "n": _(
            "%(reports)s reports a day, over %(days)s, are enough to see an element with %(wanted)s of the reports"
            " %(often)s, at ε = %(epsilon)s."
        ),
        "": _(
            "Yes: with ε = %(epsilon)s and %(reports)s reports a day, over %(days)s, an element with %(wanted)s of the"
            " reports is seen %(now)s."
        ),
    }
    return words[question.find] % facts


def _wanted(question: Question) -> str:
    return small_percent(float(question.share or 0) / 100)


# Share of crafted reports in the sentence on poisoning, as the template has it; their effect is in proportion to it.
CRAFTED = 0.01
# The largest share there is.
_NOTHING = 1.0


@dataclass(frozen=True)
class Column:
    """A mechanism, and where its plan is tested and a use case is made of it; words are found, which is not tested."""

    name: str
    recommended: bool
    address: str
    test: str


def columns(question: Question, plans: Sequence[Plan], recommended: Plan | None) -> list[Column]:
    return [
        Column(title_of(plan.algorithm), plan is recommended, _making(question, plan), _testing(question, plan))
        for plan in plans
    ]


def lines(question: Question, plans: Sequence[Plan]) -> list[tuple[str, list[tuple[str, list[str]]]]]:
    """Every figure of the plans in the order in which one asks for them: its name, and lines of text of each plan."""
    days = ngettext("ε over %(days)s day", "ε over the %(days)s days together", question.days)
    often = _("Smallest share that is seen %(often)s")
    held = _("ε of all reports held at the same time")
    figures: list[tuple[str, Callable[[Plan], str | list[str]]]] = [
        (_("Elements that would be seen"), lambda plan: _seen(question, plan)),
        (_("Smallest share that is seen half of the time"), lambda plan: _share(plan.expectation.limit.half)),
        (often % {"often": times_of(question.probability)}, lambda plan: _share(plan.expectation.limit.likely)),
        (_("Standard error of a share"), lambda plan: f"± {small_percent(plan.expectation.standard_error)}"),
        (_("Parameters"), _parameters),
        (_("Size of a report"), lambda plan: data_size(plan.report_bytes)),
        (_("Most that a crafted report adds to an element"), _added),
        (_("Server time for a day’s reports, on one core"), lambda plan: _time(plan.cost.seconds)),
        (_("Memory of a worker"), lambda plan: data_size(plan.memory)),
        (_("Storage for a day’s raw reports"), lambda plan: data_size(plan.cost.stored)),
        (_("ε of a report"), _epsilon),
        (_("ε of a person’s day"), lambda plan: plain(plan.per_day)),
        (days % {"days": whole(question.days)}, lambda plan: plain(plan.over_window)),
        (held, _held),
    ]
    return [(label, [(title_of(plan.algorithm), _cell(figure(plan))) for plan in plans]) for label, figure in figures]


def _cell(value: str | Iterable[str]) -> list[str]:
    return [value] if isinstance(value, str) else list(value)


def _seen(question: Question, plan: Plan) -> str:
    seen = plan.expectation.visible
    number = rounded(seen, 1) if seen < 10 else whole(seen)
    if plan.finds_words:
        return _("about %(number)s of %(all)s words") % {"number": number, "all": whole(question.size)}
    return _("about %(number)s of %(all)s") % {"number": number, "all": whole(question.size)}


def _share(share: float) -> str:
    return pgettext("a share", "none") if share >= _NOTHING else small_percent(share)


def _parameters(plan: Plan) -> list[str]:
    written = {
        name: value if isinstance(value, str) else plain(Decimal(value)) for name, value in plan.parameters.items()
    }
    return words_of(plan.algorithm).plan(written, say)


def _added(plan: Plan) -> str:
    return _("%(count)s reports") % {"count": upper_bound(plan.raised)}


def _time(seconds: float) -> str:
    if seconds < 0.1:
        return _("less than %(duration)s") % {"duration": duration(datetime.timedelta(seconds=0.1))}
    return duration(datetime.timedelta(seconds=seconds))


def _epsilon(plan: Plan) -> str:
    return plain(plan.per_report)


def _held(plan: Plan) -> str:
    words = ngettext("%(epsilon)s, over %(days)s day", "%(epsilon)s, over %(days)s days", plan.days_held)
    return words % {"epsilon": plain(plan.over_retention), "days": whole(plan.days_held)}


def _testing(question: Question, plan: Plan) -> str:
    if plan.finds_words:
        return ""
    own = {name: f"{value:f}" if isinstance(value, Decimal) else value for name, value in plan.parameters.items()}
    values = {
        "algorithm": plan.algorithm,
        "distributions": "harmonic" if question.exponent else "even",
        "reports": question.reports,
        "elements": question.size,
        **({"estimator": "corrected"} if plan.corrected else {}),
        **own,
    }
    return f"{reverse('evaluations')}?{urlencode(values)}"


def _making(question: Question, plan: Plan) -> str:
    """The form of a new use case with what was planned, which hands the rest on to that of its first version."""
    # Defaults that follow from the dictionary follow from the one that it will have.
    following = MECHANISMS[plan.algorithm].dictionary_defaults
    chosen = {name: value for name, value in plan.parameters.items() if name not in following}
    values = {
        "daily_limit": question.limit,
        "retention_days": question.retention,
        **({"prescribed_threshold": question.prescribed_threshold} if question.prescribed_threshold else {}),
        "algorithm": plan.algorithm,
        **{name: f"{value:f}" if isinstance(value, Decimal) else value for name, value in chosen.items()},
        **({"dictionary_complete": "on"} if question.complete and not plan.finds_words else {}),
        **({"normalization": "word"} if plan.finds_words else {}),
    }
    return f"{reverse('admin:reports_usecase_add')}?{urlencode(values)}"
