"""Choice of the best of several plans, and what is to be said of it."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from statistics import NormalDist
from typing import Final

from aggregation.planning import LIKELY, zipf_frequencies
from reports.models import UseCase
from reports.planning.plan import ALPHA, NotPossible, Plan, may_see_share, plans
from reports.planning.question import Question

# What has so little more noise, but smaller reports, is better.
NEARLY: Final = 1.05
# From here on a day's reports of one person tell about everything: e^8 is 3,000 to 1.
MUCH: Final = 8
# The largest ε, 16.
_MOST_TENTHS: Final = 160


@dataclass(frozen=True)
class Advice:
    """Conclusion from the figures."""

    # Of those with a dictionary, or the only one; None if none is possible.
    best: Plan | None
    # The one that shows the next most, to say what is given up.
    second: Plan | None
    # The one that crafted reports change least, if that is clearly less than the best.
    safest: Plan | None
    # The one that finds the most words, beside others.
    words: Plan | None
    # Share of the most frequent element.
    largest_share: float
    # Reports a day with which the most frequent element would be seen; None if it, or the wanted share, already is.
    needed: int | None
    # How few reports a histogram may have, if the window would have fewer.
    minimum: int | None
    # Whether ε of a person's day is so large that it hides little.
    much: bool
    # Whether the wanted share is seen; None if none was named.
    reached: bool | None

    @property
    def recommended(self) -> Plan | None:
        """The best, unless all are as good as useless, or none sees what is wanted."""
        return self.best if self.needed is None and self.reached is not False else None


def advice(question: Question, found: Sequence[Plan | NotPossible]) -> Advice:
    """Compare the plans of a question; of those that see the wanted share, if there are any, the best is best."""
    possible = [plan for plan in found if isinstance(plan, Plan)]
    counting = [plan for plan in possible if not plan.finds_words]
    finding = max((p for p in possible if p.finds_words), key=lambda p: p.expectation.visible, default=None)
    best = _best([plan for plan in counting if _sees_share(plan, question)] or counting)
    others = sorted((plan for plan in counting if plan is not best), key=lambda plan: -plan.expectation.visible)
    second = next(iter(others), None)
    if best is None:
        best, finding = finding, None
    share = float(zipf_frequencies(question.size, float(question.exponent)).shares[0])
    minimum = UseCase().minimum_reports
    reached = None if question.share is None or best is None else _sees_share(best, question)
    return Advice(
        best=best,
        second=second,
        safest=None if best is None else _safest(best, others),
        words=finding,
        largest_share=share,
        needed=None if best is None or reached else _needed(best, question, share),
        minimum=minimum if question.reports < minimum else None,
        much=best is not None and best.per_day > MUCH,
        reached=reached,
    )


def for_share(question: Question) -> Question:
    """Return the question with the smallest ε, in steps of 0.1, at which the best mechanism sees the wanted share.

    Of a share that is not seen at 16 either, the question is about 16; without a share, it stays as it is. Every step
    is tried, but whole plans are made only where the share may be seen: sizes are suggested in powers of two, so that
    a larger ε sees less here and there.
    """
    if question.share is None:
        return question
    asked = (replace(question, epsilon=Decimal(tenths) / 10) for tenths in range(1, _MOST_TENTHS))
    seen = (one for one in asked if may_see_share(one) and advice(one, plans(one)).reached)
    return next(seen, replace(question, epsilon=Decimal(_MOST_TENTHS) / 10))


def _sees_share(plan: Plan, question: Question) -> bool:
    """Tell whether the wanted share is seen 9 times of 10; a limit of 1 says that no share is."""
    likely = plan.expectation.limit.likely
    return question.share is not None and likely < 1 and 100 * likely <= question.share


def _best(counting: Sequence[Plan]) -> Plan | None:
    """Return the one with the least noise, or of those with hardly more the one with the smallest reports."""
    least = min((plan.noise for plan in counting), default=0.0)
    return min((plan for plan in counting if plan.noise <= NEARLY * least), key=lambda p: p.report_bytes, default=None)


def _safest(best: Plan, others: Sequence[Plan]) -> Plan | None:
    """Return the one that a crafted report changes least; of several much alike the one that shows most."""
    least = min((plan.raised for plan in others), default=best.raised)
    return next((plan for plan in others if NEARLY * plan.raised < best.raised and plan.raised <= 1.2 * least), None)


def _needed(plan: Plan, question: Question, share: float) -> int | None:
    """Errors fall with the square root of the reports; two digits, because no more of it is true."""
    expected = plan.expectation
    if expected.limit.likely <= share:
        return None
    # A limit is no more than 1, and then says less than the error does.
    z = NormalDist().inv_cdf(1 - ALPHA / expected.candidates) + NormalDist().inv_cdf(LIKELY)
    limit = max(expected.limit.likely, z * expected.standard_error)
    needed = question.n * (limit / share) ** 2
    if question.prescribed_threshold is not None and not plan.finds_words:
        # Its own limit falls with the reports, not with their square root.
        statistical = question.n * (z * expected.standard_error / share) ** 2
        needed = min(needed, max(statistical, _reaching(question.prescribed_threshold, plan, question, share)))
    unit: int = 10 ** max(math.floor(math.log10(needed)) - 1, 0)
    return math.ceil(needed / unit) * unit


def _reaching(prescribed: int, plan: Plan, question: Question, share: float) -> float:
    """With how many reports a day an element of this share reaches so many reports, 9 times of 10.

    Of n reports in the window, share·n is above them by the noise, which grows with √n: a quadratic in √n.
    """
    noise = NormalDist().inv_cdf(LIKELY) * plan.expectation.standard_error * math.sqrt(question.reports)
    root = (noise + math.sqrt(noise**2 + 4 * share * prescribed)) / (2 * share)
    return root**2 / question.days
