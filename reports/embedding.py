"""Links to embedded pages: each a row that owners of the use case see and revoke; its token is the signed key of it.

A link is good for one view, until a day, and for as long as its maker could make it anew.
"""

import datetime
import uuid
from typing import Final

from django.contrib.auth.models import User
from django.core import signing
from django.db import transaction
from django.db.models import F
from django.utils import timezone

from reports.access import owned, use_cases
from reports.models import EmbedLink, EmbedViews, UseCase
from reports.models.uploads import utc_today
from reports.results import with_versions

SALT: Final = "reports.embedding.link"
# None: until it is revoked.
DAYS: Final = (7, 30, 365, None)
# After its end: visitors who open it meanwhile are told that it has expired.
KEPT_DAYS: Final = 90


class NotEmbedded(Exception):
    """Error for a link that shows nothing: never made, revoked, or its maker may no longer show the view."""


class Expired(NotEmbedded):
    """Error for a link whose time is over."""


def may_embed(maker: User, use_case: UseCase) -> bool:
    """Tell whether a person may make links: owners alone, as a link shows results to all who have it."""
    return use_case.pk in owned(maker)


def make_token(maker: User, use_case: UseCase, page: str, query: str, days: int | None) -> str:
    """Make a link and return its token; the caller has asked `may_embed`."""
    until = None if days is None else timezone.now() + datetime.timedelta(days=days)
    return token_of(EmbedLink.objects.create(maker=maker, use_case=use_case, page=page, query=query, until=until))


def token_of(link: EmbedLink) -> str:
    """Return the link's token: its row's key, signed, so that no secret is stored."""
    return _signer().sign(link.pk.hex)


def read_token(token: str) -> EmbedLink:
    """Return the link of a token. Raises `NotEmbedded`; `Expired` if nothing but its time is wrong."""
    try:
        key = uuid.UUID(hex=_signer().unsign(token))
    except (signing.BadSignature, ValueError) as error:
        raise NotEmbedded from error
    link = EmbedLink.objects.select_related("maker").filter(pk=key).first()
    if link is None:
        raise NotEmbedded
    use_case = with_versions(use_cases(link.maker, "edit")).filter(pk=link.use_case_id).first()
    if use_case is None:
        raise NotEmbedded
    if link.is_over:
        raise Expired
    link.use_case = use_case
    return link


def note_opening(link: EmbedLink) -> None:
    """Count that a link was opened on this day, and keep nothing about the visitor."""
    today = utc_today()
    with transaction.atomic():
        _views, is_first = EmbedViews.objects.get_or_create(link=link, day=today)
        if is_first:
            EmbedLink.objects.filter(pk=link.pk).update(last_opened=today)
        else:
            EmbedViews.objects.filter(link=link, day=today).update(number=F("number") + 1)


def forget_old_links() -> None:
    """Delete links that ended long ago."""
    EmbedLink.objects.filter(until__lt=timezone.now() - datetime.timedelta(days=KEPT_DAYS)).delete()


def _signer() -> signing.Signer:
    return signing.Signer(salt=SALT)
