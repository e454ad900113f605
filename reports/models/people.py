"""Rows about people: how they like pages, by which names providers know them, and where they are logged in."""

from django.conf import settings
from django.contrib.sessions.base_session import AbstractBaseSession
from django.db import models
from django.utils.translation import gettext_lazy as _

from reports.models.dashboard import SavedView
from reports.models.use_cases import UseCase


class Preferences(models.Model):
    """Settings of a person for pages; without a row browser and language decide."""

    class Theme(models.TextChoices):
        AUTO = "auto", _("as the system has it")
        LIGHT = "light", _("light")
        DARK = "dark", _("dark")

    class Numbers(models.TextChoices):
        """The language that writes numbers so."""

        ENGLISH = "en", "1,234.5"
        FRENCH = "fr", "1\u00a0234,5"
        GERMAN = "de", "1.234,5"

    user = models.OneToOneField(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, primary_key=True, related_name="preferences"
    )
    language = models.CharField(_("language"), max_length=10, blank=True)
    theme = models.CharField(_("colours"), max_length=5, choices=Theme.choices, default=Theme.AUTO)
    numbers = models.CharField(_("numbers"), max_length=2, choices=Numbers.choices, blank=True)
    # Page that opens after a login: one of the two, or the front page.
    opens_use_case = models.ForeignKey(UseCase, on_delete=models.SET_NULL, null=True, related_name="+")
    opens_view = models.ForeignKey(SavedView, on_delete=models.SET_NULL, null=True, related_name="+")

    class Meta:
        verbose_name = _("preferences")
        verbose_name_plural = _("preferences")

    def __str__(self) -> str:
        return str(self.user)


class Identity(models.Model):
    """Name by which a provider of single sign-on knows a person, who keeps it whatever else changes about them."""

    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, verbose_name=_("person"), on_delete=models.CASCADE, related_name="identities"
    )
    issuer = models.CharField(_("provider"), max_length=255)
    subject = models.CharField(_("name at the provider"), max_length=255)

    class Meta:
        verbose_name = _("identity")
        verbose_name_plural = _("identities")
        constraints = [models.UniqueConstraint(fields=["issuer", "subject"], name="identity_unique")]

    def __str__(self) -> str:
        return f"{self.subject} ({self.issuer})"


class WebSession(AbstractBaseSession):
    """Session of a browser with whom it belongs to, so that they can end it from another. No address is kept."""

    # None before a login.
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, null=True, related_name="web_sessions")
    # Browser and system in words, such as "Firefox, Linux".
    browser = models.CharField(max_length=40, blank=True)
    # The last hour with a request, as whole hours.
    active_at = models.DateTimeField(null=True)

    class Meta(AbstractBaseSession.Meta):
        pass
