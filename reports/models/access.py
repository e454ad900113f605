"""Who may send reports, and who looked at results."""

import hashlib
import secrets

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from reports.models.uploads import utc_today
from reports.models.use_cases import UseCase


class UploadToken(models.Model):
    """Lets a collecting server upload batches, and nothing else. Only its hash is kept."""

    name = models.CharField(_("name"), max_length=80, unique=True)
    digest = models.CharField(_("digest"), max_length=64, unique=True, editable=False)
    created_on = models.DateField(_("created"), default=utc_today)
    last_used_on = models.DateField(_("last used"), null=True, blank=True)
    revoked = models.BooleanField(_("revoked"), default=False)

    class Meta:
        verbose_name = _("upload token")
        verbose_name_plural = _("upload tokens")
        ordering = ["name"]

    def __str__(self) -> str:
        return self.name

    @property
    def is_authenticated(self) -> bool:
        """A token stands where a person would in requests to the API."""
        return True

    @staticmethod
    def digest_of(secret: str) -> str:
        """A plain hash is enough: the secret has 256 random bits, so there is nothing to guess."""
        return hashlib.sha256(secret.encode()).hexdigest()

    @classmethod
    def create(cls, name: str) -> tuple["UploadToken", str]:
        """A new token and its secret, which cannot be read again."""
        secret = secrets.token_urlsafe(32)
        return cls.objects.create(name=name, digest=cls.digest_of(secret)), secret


class Viewing(models.Model):
    """Somebody looked at a histogram or exported it."""

    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, verbose_name=_("person"), on_delete=models.SET_NULL, null=True, related_name="+"
    )
    use_case = models.ForeignKey(UseCase, verbose_name=_("use case"), on_delete=models.CASCADE, related_name="viewings")
    what = models.CharField(_("what"), max_length=20)
    at = models.DateTimeField(_("time"), auto_now_add=True)

    class Meta:
        verbose_name = _("viewing")
        verbose_name_plural = _("viewings")
        ordering = ["-at"]

    def __str__(self) -> str:
        return f"{self.what} {self.use_case} {self.at:%Y-%m-%d}"
