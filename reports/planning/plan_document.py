"""A plan as JSON."""

from collections.abc import Sequence
from decimal import Decimal
from typing import Any

from aggregation.parameters import json_epsilon
from reports.planning.advice import Advice
from reports.planning.plan import ALPHA, NotPossible, Plan
from reports.planning.question import Question


def plan_document(question: Question, found: Sequence[Plan | NotPossible], advised: Advice) -> dict[str, Any]:
    """Return the figures of the page; shares are of reports, ε adds up over what one person may send."""
    return {
        "question": {
            "epsilon": json_epsilon(question.epsilon),
            "wanted_share": None if question.share is None else float(question.share) / 100,
            "probability": float(question.probability),
            "found": question.find or None,
            "reports_per_day": question.n,
            "days": question.days,
            "dictionary_size": question.size,
            "dictionary_complete": question.complete,
            "zipf_exponent": float(question.exponent),
            "m": question.m,
            "k": question.k,
            "g": question.g,
            "w": question.w,
            "reports_per_device_and_day": question.limit,
            "retention_days": question.retention,
            "alpha": ALPHA,
            "prescribed_threshold": question.prescribed_threshold,
        },
        "plans": [_plan(plan) for plan in found],
        "recommended": None if advised.recommended is None else advised.recommended.algorithm,
        "wanted_share_is_seen": advised.reached,
        "smallest_share_possible": advised.smallest if advised.smallest < 1 else None,
        "reports_per_day_needed": advised.needed or None,
    }


def _plan(plan: Plan | NotPossible) -> dict[str, Any]:
    if isinstance(plan, NotPossible):
        return {"algorithm": plan.algorithm, "problem": str(plan.error)}
    expected = plan.expectation
    return {
        "algorithm": plan.algorithm,
        "parameters": {name: _number(value) for name, value in plan.parameters.items()},
        "estimator": "corrected" if plan.corrected else "debiased",
        "noise_per_report": plan.noise,
        "standard_error": expected.standard_error,
        "smallest_share": {"half": expected.limit.half, "likely": expected.limit.likely},
        "visible": expected.visible,
        "candidates": expected.candidates,
        "bytes_per_report": plan.report_bytes,
        "most_added_by_a_crafted_report": plan.raised,
        "server_seconds_per_day": plan.cost.seconds,
        "memory_bytes": plan.memory,
        "stored_bytes_per_day": plan.cost.stored,
        "epsilon": {
            "report": json_epsilon(plan.per_report),
            "day": json_epsilon(plan.per_day),
            "window": json_epsilon(plan.over_window),
            "held": json_epsilon(plan.over_retention),
        },
    }


def _number(value: Decimal | int | str) -> int | float | str:
    return json_epsilon(value) if isinstance(value, Decimal) else value
