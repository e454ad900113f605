"""Throttling of logins and password resets by account; nothing about the sender of an attempt is kept."""

import datetime
import hashlib
import hmac
import logging
import unicodedata
from typing import Any, ClassVar, Final

from asgiref.sync import sync_to_async
from django.conf import settings
from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.db import transaction
from django.http import HttpRequest
from django.utils import timezone
from django.utils.translation import ngettext

from reports.accounts.preferences import PersonBackend
from reports.models import FailedLogins
from reports.models.uploads import utc_today

logger = logging.getLogger(__name__)

FREE_FAILURES = 5
FIRST_WAIT = datetime.timedelta(minutes=1)
LONGEST_WAIT = datetime.timedelta(minutes=15)
KEPT_DAYS = 2


class TooManyFailures(ValidationError):
    """Refusal of all logins to an account for some minutes, even with the right password.

    A validation error, which a login form shows as its own.
    """

    CODE: Final = "too_many_failures"
    # Without the name, which may be a password typed into the wrong field.
    LOGGED: ClassVar[str] = "Logins to an account are slowed down after %d failures in a row."

    def __init__(self, until: datetime.datetime) -> None:
        wait = until - timezone.now()
        self.seconds = max(1, -(-wait // datetime.timedelta(seconds=1)))
        minutes = max(1, -(-wait // datetime.timedelta(minutes=1)))
        super().__init__(self.words(minutes) % {"minutes": minutes}, code=self.CODE)

    def words(self, minutes: int) -> str:
        return ngettext(
            "Too many logins to this account have failed. Wait %(minutes)d minute, then try again.",
            "Too many logins to this account have failed. Wait %(minutes)d minutes, then try again.",
            minutes,
        )


class TooManyResets(TooManyFailures):
    """Refusal of password resets to an address for some minutes, whether an account has the address or not."""

    LOGGED = "Mails that reset a password are slowed down after %d for one address."

    def words(self, minutes: int) -> str:
        return ngettext(
            "Too many mails were asked for with this address. Wait %(minutes)d minute, then try again.",
            "Too many mails were asked for with this address. Wait %(minutes)d minutes, then try again.",
            minutes,
        )


def account_hmac(name: str) -> bytes:
    """Return a keyed digest of what was typed as the name: names that Django treats as equal share one."""
    secret = hashlib.sha256(b"ldpsite failed logins\0" + settings.SECRET_KEY.encode()).digest()
    folded = unicodedata.normalize("NFKC", name).casefold()
    return hmac.digest(secret, folded.encode(errors="surrogatepass"), "sha256")


class ThrottledBackend(PersonBackend):
    """Django's check of names and passwords, for accounts that are not blocked, whether they exist or not."""

    def authenticate(
        self, request: HttpRequest | None, username: str | None = None, password: str | None = None, **kwargs: Any
    ) -> User | None:
        name = username if username is not None else kwargs.get(User.USERNAME_FIELD)
        if name is None or password is None:
            return None
        # Counted before the password is looked at, and taken back if it was right: tries at the same moment all count.
        blocked_until = count_failure(name)
        user = super().authenticate(request, username=name, password=password)
        if user is not None:
            forget_failures(name)
        elif blocked_until is not None:
            # At once, or the refusal of the next attempt, perhaps with the right password, would be a surprise.
            raise TooManyFailures(blocked_until)
        return user

    async def aauthenticate(
        self, request: HttpRequest | None, username: str | None = None, password: str | None = None, **kwargs: Any
    ) -> User | None:
        # Django's own would ask neither of the above.
        return await sync_to_async(self.authenticate)(request, username, password, **kwargs)


def count_reset(address: str) -> None:
    """Note that a mail was asked for. Raises `TooManyResets`; no login has such a name."""
    count_failure(f"reset\0{address}", TooManyResets)


def count_failure(name: str, refusal: type[TooManyFailures] = TooManyFailures) -> datetime.datetime | None:
    """Note a failure. Returns until when it blocks the account; None if it does not yet.

    Raises `refusal` without noting it while the account is blocked.
    """
    account = account_hmac(name)
    with transaction.atomic():
        FailedLogins.objects.bulk_create([FailedLogins(account_hmac=account, failures=0)], ignore_conflicts=True)
        row = FailedLogins.objects.select_for_update().get(account_hmac=account)
        now = timezone.now()
        if row.blocked_until is not None and now < row.blocked_until:
            raise refusal(row.blocked_until)
        row.failures += 1
        row.last_on = utc_today()
        if row.failures >= FREE_FAILURES:
            doublings = min(row.failures - FREE_FAILURES, 10)
            row.blocked_until = _whole_minute(now + min(FIRST_WAIT * 2**doublings, LONGEST_WAIT))
        row.save()
    if row.failures == FREE_FAILURES:
        logger.warning(refusal.LOGGED, FREE_FAILURES)
    return row.blocked_until


def forget_failures(name: str) -> None:
    """Reset the count of an account after a login that succeeded."""
    FailedLogins.objects.filter(account_hmac=account_hmac(name)).delete()


def _whole_minute(time: datetime.datetime) -> datetime.datetime:
    """Round up to a whole minute, so that the time of the attempt is not disclosed."""
    return time.replace(second=0, microsecond=0) + datetime.timedelta(minutes=1)


def forget_old_failures() -> None:
    FailedLogins.objects.filter(last_on__lt=utc_today() - datetime.timedelta(days=KEPT_DAYS)).delete()
