"""An evaluation in a few words, for lists: what was asked for."""

from collections.abc import Iterator
from decimal import Decimal

from django.utils.translation import gettext as _

from aggregation.evaluation import DEFAULTS
from reports.formatting import plain, whole
from reports.mechanisms import title_of
from reports.models import Evaluation


def in_few_words(evaluation: Evaluation) -> str:
    """Elements, reports, ε and mechanisms of a grid, without reading its lists."""
    return " · ".join(_facts(evaluation))


def _facts(evaluation: Evaluation) -> Iterator[str]:
    grid = {**DEFAULTS, **evaluation.grid}
    is_invented = any(isinstance(each, str) for each in grid["distributions"])
    # A list has its own elements and, unless the grid says how many, its own reports.
    if is_invented:
        yield _("%(count)s elements") % {"count": whole(grid["elements"])}
    else:
        yield _("elements of a list")
    if is_invented or "reports" in evaluation.grid:
        yield _("%(count)s reports") % {"count": whole(grid["reports"])}
    epsilon = grid["epsilon"]
    values = epsilon if isinstance(epsilon, list) else [epsilon]
    yield f"ε = {', '.join(plain(Decimal(str(value))) for value in values)}"
    yield ", ".join(dict.fromkeys(title_of(each["algorithm"]) for each in grid["mechanisms"]))
