"""Choice of the best of several plans, and what is to be said of it."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Final

from aggregation.planning import zipf_frequencies
from reports.models import UseCase
from reports.planning.plan import NotPossible, Plan, is_enough, is_share_seen
from reports.planning.question import Question
from reports.planning.solving import fewest_reports

# A plan with so little more noise, but smaller reports, is better.
NEARLY: Final = 1.05
# From here on a day's reports of one person tell about everything: e^8 is 3,000 to 1.
MUCH: Final = 8


@dataclass(frozen=True)
class Advice:
    """Conclusion from the figures."""

    # The best of those with a dictionary, or the only one; None if none is possible.
    best: Plan | None
    # The one that shows the next most, to say what is given up.
    second: Plan | None
    # The one that crafted reports change least, if that is clearly less than the best.
    safest: Plan | None
    # The one that finds the most words, beside others.
    words: Plan | None
    # Share of the most frequent element.
    largest_share: float
    # Reports a day with which the most frequent element would be seen, 0 if no number is enough; None if it, or the
    # wanted share, already is.
    needed: int | None
    # How few reports a histogram may have, if the window would have fewer.
    minimum: int | None
    # Whether ε of a person's day is so large that it hides little.
    much: bool
    # Whether the wanted share is seen; None if none was named.
    reached: bool | None
    # The smallest share that any of those with a dictionary shows as probably as wanted; 1 if none is seen.
    smallest: float

    @property
    def recommended(self) -> Plan | None:
        """The best, unless all are as good as useless, or none sees what is wanted."""
        return self.best if self.needed is None and self.reached is not False else None


def advice(question: Question, found: Sequence[Plan | NotPossible]) -> Advice:
    """Compare the plans of a question; of those that see the wanted share, if there are any, the best is best."""
    possible = [plan for plan in found if isinstance(plan, Plan)]
    counting = [plan for plan in possible if not plan.finds_words]
    finding = max((p for p in possible if p.finds_words), key=lambda p: p.expectation.visible, default=None)
    best = _best([plan for plan in counting if is_enough(plan.chance, question)] or counting)
    others = sorted((plan for plan in counting if plan is not best), key=lambda plan: -plan.expectation.visible)
    second = next(iter(others), None)
    if best is None:
        best, finding = finding, None
    share = float(zipf_frequencies(question.size, float(question.exponent)).shares[0])
    minimum = UseCase().minimum_reports
    reached = None if question.share is None or best is None else is_enough(best.chance, question)
    return Advice(
        best=best,
        second=second,
        safest=None if best is None else _safest(best, others),
        words=finding,
        largest_share=share,
        needed=_needed(best, question, share)
        if best is not None and not reached and _is_useless(best, share)
        else None,
        minimum=minimum if question.reports < minimum else None,
        much=best is not None and best.per_day > MUCH,
        reached=reached,
        smallest=min((plan.expectation.limit.likely for plan in counting or possible), default=1.0),
    )


def _best(counting: Sequence[Plan]) -> Plan | None:
    """Return the one with the least noise, or of those with hardly more the one with the smallest reports."""
    least = min((plan.noise for plan in counting), default=0.0)
    return min((plan for plan in counting if plan.noise <= NEARLY * least), key=lambda p: p.report_bytes, default=None)


def _safest(best: Plan, others: Sequence[Plan]) -> Plan | None:
    """Return the one that a crafted report changes least; of several much alike the one that shows most."""
    least = min((plan.raised for plan in others), default=best.raised)
    return next((plan for plan in others if NEARLY * plan.raised < best.raised and plan.raised <= 1.2 * least), None)


def _is_useless(plan: Plan, share: float) -> bool:
    """Tell whether not even the most frequent element, which has this share, is seen."""
    return plan.expectation.limit.likely > share


def _needed(plan: Plan, question: Question, share: float) -> int:
    """Return with how many reports a day the most frequent element is seen, 0 if no number is enough.

    Two digits, because no more of it is true.
    """
    asked = replace(question, share=Decimal(100 * share), algorithm=plan.algorithm)
    needed = fewest_reports(asked)
    if not is_share_seen(replace(asked, n=needed)):
        return 0
    unit: int = 10 ** max(math.floor(math.log10(needed)) - 1, 0)
    return math.ceil(needed / unit) * unit
