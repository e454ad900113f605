"""Planning a use case before anything is collected: what would be seen, and what it would cost."""

from reports.planning.advice import Advice, advice, for_share
from reports.planning.plan import NotPossible, Plan, plans
from reports.planning.plan_document import plan_document
from reports.planning.question import Question
from reports.planning.shapes import parameter_errors, suggest

__all__ = [
    "Advice",
    "NotPossible",
    "Plan",
    "Question",
    "advice",
    "for_share",
    "parameter_errors",
    "plan_document",
    "plans",
    "suggest",
]
