"""Windows of days."""

import datetime

from django.db.models import Q


def in_window(first: datetime.date | None, last: datetime.date | None) -> Q:
    """Rows whose `day` lies in the window; an end that is not given is open."""
    window = Q()
    if first is not None:
        window &= Q(day__gte=first)
    if last is not None:
        window &= Q(day__lte=last)
    return window
