"""The way to the first histogram in three steps, for whoever may go it."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.contrib.auth.models import User

from reports.access import may_define, use_cases
from reports.models import UseCase
from reports.web.pages.home.cards import Card


@dataclass(frozen=True)
class FirstSteps:
    """How far somebody is; `use_case` is the first, once it is defined."""

    may_define: bool
    use_case: UseCase | None = None
    is_defined: bool = False
    has_reports: bool = False
    # Its unfinished or failed run, if there is one.
    has_run: bool = False

    @property
    def next(self) -> int:
        if not self.is_defined:
            return 1
        return 3 if self.has_reports else 2


def first_steps(person: User, visible: Sequence[UseCase], found: Sequence[Card]) -> FirstSteps | None:
    """None for whoever has more than one use case, or a result, or may neither define nor own any."""
    if not visible:
        return FirstSteps(may_define=True) if may_define(person) else None
    if len(visible) > 1 or len(found) != 1 or found[0].result is not None:
        return None
    (card,) = found
    if not use_cases(person, "edit").filter(pk=card.use_case.pk).exists():
        return None
    return FirstSteps(
        may_define=may_define(person),
        use_case=card.use_case,
        is_defined=card.is_active,
        has_reports=card.has_reports,
        has_run=card.percent is not None or bool(card.failed),
    )
