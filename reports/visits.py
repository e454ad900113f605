"""The pages that a person visited last: few, for that person alone, and forgotten by a button or after some days.

Unlike viewings, which say who saw results and are kept for owners, they say what to go back to.
"""

import datetime
from typing import Final

from django.contrib.auth.models import User
from django.db import connection

from reports.models import UseCase, Visit
from reports.models.uploads import utc_today

MOST_VISITS: Final = 8
VISIT_DAYS: Final = 30
_REPLACE: Final = """
    WITH gone AS (DELETE FROM reports_visit WHERE id = ANY(%s))
    INSERT INTO reports_visit (owner_id, use_case_id, page, query, day) VALUES (%s, %s, %s, %s, %s)
"""


def remember(person: User, use_case: UseCase, page: str, query: str) -> None:
    """Note a page as the one that was visited last, in place of the same before, and forget the oldest."""
    wanted = (use_case.pk, page, query)
    there = list(Visit.objects.filter(owner=person).values_list("pk", "day", "use_case", "page", "query"))
    if there and there[0][1:] == (utc_today(), *wanted):
        return
    same = [pk for pk, _day, *what in there if tuple(what) == wanted]
    others = [pk for pk, *_rest in there if pk not in same]
    with connection.cursor() as cursor:
        # At once: every page of results does it.
        cursor.execute(_REPLACE, [[*same, *others[MOST_VISITS - 1 :]], person.pk, *wanted, utc_today()])


def forget_visits(person: User) -> None:
    Visit.objects.filter(owner=person).delete()


def forget_old_visits() -> None:
    """Delete visits whose time is over."""
    Visit.objects.filter(day__lt=utc_today() - datetime.timedelta(days=VISIT_DAYS)).delete()
