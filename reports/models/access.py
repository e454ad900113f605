"""API tokens, viewings of results, and failed logins."""

import datetime
import hashlib
import secrets
from collections.abc import Iterable

from django.conf import settings
from django.contrib.auth.models import User
from django.db import models, transaction
from django.utils.translation import gettext_lazy as _

from reports.models.fields import person_who
from reports.models.training import TrainingTask
from reports.models.uploads import utc_today
from reports.models.use_cases import UseCase

TOKEN_DAYS = 365


def in_a_year() -> datetime.date:
    return utc_today() + datetime.timedelta(days=TOKEN_DAYS)


class ApiToken(models.Model):
    """Permission of a program to upload batches, or read results, of some use cases. Of its secret a hash is kept.

    It is for every use case only if `every_use_case` is set: without use cases, or once all are gone, it is for none.
    What it may read of training is of the tasks that it names alone. One of a person that reads names none of either:
    it reads what that person may see, for as long as they may. One that uploads does so for as long as they may.
    """

    name = models.CharField(_("name"), max_length=80, unique=True)
    digest = models.CharField(_("digest"), max_length=64, unique=True, editable=False)
    may_ingest = models.BooleanField(_("may upload reports"), default=False)
    may_read = models.BooleanField(_("may read results"), default=False)
    every_use_case = models.BooleanField(_("of every use case"), default=False)
    use_cases = models.ManyToManyField(UseCase, verbose_name=_("use cases"), related_name="+", blank=True)
    training_tasks = models.ManyToManyField(
        TrainingTask, verbose_name=_("training tasks"), related_name="+", blank=True
    )
    person = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        verbose_name=_("person"),
        on_delete=models.CASCADE,
        related_name="+",
        null=True,
        blank=True,
        editable=False,
    )
    created_on = models.DateField(_("created"), default=utc_today, editable=False)
    expires_on = models.DateField(_("expires"), default=in_a_year, help_text=_("The first day on which it is void."))
    last_used_on = models.DateField(_("last used"), null=True, blank=True, editable=False)
    revoked = models.BooleanField(_("revoked"), default=False)

    class Meta:
        verbose_name = _("API token")
        verbose_name_plural = _("API tokens")
        ordering = ["name"]

    def __str__(self) -> str:
        return self.name

    @property
    def is_authenticated(self) -> bool:
        """Stand in for a user in requests to the API."""
        return True

    @property
    def is_valid(self) -> bool:
        return not self.revoked and utc_today() < self.expires_on

    def draw_secret(self) -> str:
        """Set a new secret and return it: it cannot be read again."""
        secret = secrets.token_urlsafe(32)
        self.digest = self.digest_of(secret)
        return secret

    @staticmethod
    def digest_of(secret: str) -> str:
        """Hash a secret, without salt or stretching: it has 256 random bits, so that there is nothing to guess."""
        return hashlib.sha256(secret.encode()).hexdigest()

    @classmethod
    @transaction.atomic
    def create(
        cls,
        name: str,
        *,
        may_ingest: bool = False,
        may_read: bool = False,
        use_cases: Iterable[UseCase] | None = None,
        training_tasks: Iterable[TrainingTask] = (),
        person: User | None = None,
        expires_on: datetime.date | None = None,
    ) -> tuple["ApiToken", str]:
        """Make a token, for every use case unless some are named, or of a person; return it with its secret."""
        token = cls(
            name=name,
            may_ingest=may_ingest,
            may_read=may_read,
            every_use_case=use_cases is None and person is None,
            person=person,
            expires_on=expires_on or in_a_year(),
        )
        secret = token.draw_secret()
        token.save()
        token.use_cases.set(use_cases or [])
        token.training_tasks.set(training_tasks)
        return token, secret


class Viewing(models.Model):
    """Viewing or export of results by a person or a program."""

    user = person_who(_("person"))
    token = models.ForeignKey(
        ApiToken, verbose_name=_("API token"), on_delete=models.SET_NULL, null=True, blank=True, related_name="+"
    )
    # One of the two is set.
    use_case = models.ForeignKey(
        UseCase, verbose_name=_("use case"), on_delete=models.CASCADE, related_name="viewings", null=True, blank=True
    )
    training_task = models.ForeignKey(
        TrainingTask,
        verbose_name=_("training task"),
        on_delete=models.CASCADE,
        related_name="viewings",
        null=True,
        blank=True,
    )
    what = models.CharField(_("what"), max_length=20)
    at = models.DateTimeField(_("time"), auto_now_add=True)

    class Meta:
        verbose_name = _("viewing")
        verbose_name_plural = _("viewings")
        ordering = ["-at"]
        indexes = [
            models.Index(fields=["use_case", "-at"], name="viewing_of_use_case"),
            models.Index(fields=["training_task", "-at"], name="viewing_of_training_task"),
        ]
        constraints = [
            models.CheckConstraint(
                condition=models.Q(use_case__isnull=True) ^ models.Q(training_task__isnull=True), name="viewing_of_one"
            )
        ]

    def __str__(self) -> str:
        return f"{self.what} {self.use_case or self.training_task} {self.at:%Y-%m-%d}"


class FailedLogins(models.Model):
    """Failed logins to an account since the last that succeeded.

    Of the account a keyed digest is kept, because what people type as their name is at times their password; of the
    address nothing.
    """

    account_hmac = models.BinaryField(max_length=32, primary_key=True)
    failures = models.PositiveIntegerField()
    blocked_until = models.DateTimeField(null=True)  # in whole minutes
    last_on = models.DateField(default=utc_today)

    class Meta:
        # Attempts with made-up names make rows, which are deleted by day.
        indexes = [models.Index(fields=["last_on"], name="failed_logins_of_day")]

    def __str__(self) -> str:
        return str(self.failures)
