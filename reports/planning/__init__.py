"""Planning a use case before anything is collected: what would be seen, and what it would cost."""

from reports.planning.advice import Advice, advice
from reports.planning.curve import Curve, curve
from reports.planning.plan import NotPossible, Plan, plans
from reports.planning.plan_document import plan_document
from reports.planning.question import MOST_A_DAY, MOST_REPORTS, Found, Question
from reports.planning.shapes import parameter_errors, suggest
from reports.planning.solving import solve
