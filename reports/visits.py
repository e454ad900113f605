"""The pages that a person visited last: few, for that person alone, and forgotten by a button or after some days.

Unlike viewings, which say who saw results and are kept for owners, they say what to go back to.
"""

import datetime
from typing import Final

from django.contrib.auth.models import User

from reports.models import UseCase, Visit
from reports.models.uploads import utc_today

MOST_VISITS: Final = 8
VISIT_DAYS: Final = 30


def remember(person: User, use_case: UseCase, page: str, query: str) -> None:
    """Note a page as the one that was visited last, in place of the same before, and forget the oldest."""
    wanted = (use_case.pk, page, query)
    there = list(Visit.objects.filter(owner=person).values_list("pk", "day", "use_case", "page", "query"))
    if there and there[0][1:] == (utc_today(), *wanted):
        return
    same = [pk for pk, _day, *what in there if tuple(what) == wanted]
    others = [pk for pk, *_rest in there if pk not in same]
    Visit.objects.filter(pk__in=[*same, *others[MOST_VISITS - 1 :]]).delete()
    Visit.objects.create(owner=person, use_case=use_case, page=page, query=query)


def forget_visits(person: User) -> None:
    Visit.objects.filter(owner=person).delete()


def forget_old_visits() -> None:
    """Delete visits whose time is over."""
    Visit.objects.filter(day__lt=utc_today() - datetime.timedelta(days=VISIT_DAYS)).delete()
