"""Links to embedded pages: signed, for one view, until a day; good for as long as their maker could make them anew.

Nothing about a link is stored. It says which page of which use case it shows, with which choices, who made it and until
when it holds; its signature keeps everybody from changing that.
"""

import datetime
from dataclasses import dataclass
from typing import Final

from django.contrib.auth.models import User
from django.core import signing
from django.utils import timezone

from reports.access import owned, use_cases
from reports.models import UseCase
from reports.results.versions import with_versions

SALT: Final = "reports.embedding"
DAYS: Final = (1, 7, 30, 90)


class NotEmbedded(Exception):
    """There is nothing to see behind a link: it was never made, or who made it may not show this any more."""


class Expired(NotEmbedded):
    """Its time is over."""


@dataclass(frozen=True)
class Embedded:
    """What a link shows."""

    use_case: UseCase
    # The name of the page's address, and the query string.
    page: str
    query: str
    maker: User
    until: datetime.datetime


def may_embed(maker: User, use_case: UseCase) -> bool:
    """Owners alone: a link shows results to everybody who has it."""
    return use_case.pk in owned(maker)


def make_token(maker: User, use_case: UseCase, page: str, query: str, days: int) -> str:
    """A link's token; the caller has asked `may_embed`."""
    until = timezone.now() + datetime.timedelta(days=days)
    return signing.dumps([use_case.pk, page, query, maker.pk, int(until.timestamp())], salt=SALT, compress=True)


def read_token(token: str) -> Embedded:
    """What is behind a token. Raises `NotEmbedded`; `Expired` if nothing but its time is wrong."""
    try:
        use_case_id, page, query, maker_id, until = signing.loads(token, salt=SALT)
    except signing.BadSignature as error:
        raise NotEmbedded from error
    maker = User.objects.filter(pk=maker_id).first()
    use_case = with_versions(use_cases(maker, "edit")).filter(pk=use_case_id).first() if maker is not None else None
    if maker is None or use_case is None:
        raise NotEmbedded
    found = Embedded(use_case, page, query, maker, datetime.datetime.fromtimestamp(until, datetime.UTC))
    if timezone.now() >= found.until:
        raise Expired
    return found
