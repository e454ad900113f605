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
# At once: every page of results does it.
_REMEMBER: Final = """
    WITH mine AS (
        SELECT id, day, (use_case_id, page, query) = (%(use_case)s, %(page)s, %(query)s) AS same
        FROM reports_visit WHERE owner_id = %(owner)s
    ), counted AS (
        SELECT id, same, row_number() OVER (PARTITION BY same ORDER BY id DESC) AS place FROM mine
    ), known AS (
        SELECT same AND day = %(day)s AS is_newest FROM mine ORDER BY id DESC LIMIT 1
    ), gone AS (
        DELETE FROM reports_visit WHERE id IN (SELECT id FROM counted WHERE same OR place >= %(most)s)
        AND NOT (SELECT is_newest FROM known)
    )
    INSERT INTO reports_visit (owner_id, use_case_id, page, query, day)
    SELECT %(owner)s, %(use_case)s, %(page)s, %(query)s, %(day)s WHERE NOT EXISTS (SELECT FROM known WHERE is_newest)
"""


def remember(person: User, use_case: UseCase, page: str, query: str) -> None:
    """Note a page as the one that was visited last, in place of the same before, and forget the oldest."""
    visit: dict[str, int | str | datetime.date] = {
        "owner": person.pk,
        "use_case": use_case.pk,
        "page": page,
        "query": query,
        "day": utc_today(),
        "most": MOST_VISITS,
    }
    with connection.cursor() as cursor:
        cursor.execute(_REMEMBER, visit)


def forget_visits(person: User) -> None:
    Visit.objects.filter(owner=person).delete()


def forget_old_visits() -> None:
    """Delete visits whose time is over."""
    Visit.objects.filter(day__lt=utc_today() - datetime.timedelta(days=VISIT_DAYS)).delete()
