"""Use cases and their versions."""

import datetime
import time
from functools import cached_property
from typing import TYPE_CHECKING, Any

from django.contrib.auth.models import Group
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models.functions import Greatest
from django.utils.translation import gettext_lazy as _

from aggregation.mechanisms import Mechanism, SequenceFragmentPuzzle, mechanism_for
from aggregation.normalization import WORD_LENGTH, normalize

if TYPE_CHECKING:
    from reports.models.dictionaries import DictionaryRevision

# Reports may wait so long until they are counted: those of devices for enough others, and then suspicious ones for a
# decision.
WAITING_DAYS = 7


class BudgetGroup(models.Model):
    """Use cases that share one daily limit: a device divides its reports of a day among them."""

    name = models.CharField(_("name"), max_length=80, unique=True)
    daily_limit = models.PositiveIntegerField(_("reports per device and day, together"), default=1)

    class Meta:
        verbose_name = _("budget group")
        verbose_name_plural = _("budget groups")
        ordering = ["name"]

    def __str__(self) -> str:
        return self.name


class UseCase(models.Model):
    """A question that a fleet of devices answers, with everything about it that may change at any time."""

    class State(models.TextChoices):
        RUNNING = "running", _("running")
        # Devices are not asked and nothing is taken in; results stay, and runs go on.
        PAUSED = "paused", _("paused")
        # The same, and out of the way of those who look for what is running.
        ARCHIVED = "archived", _("archived")

    slug = models.SlugField(_("identifier"), max_length=80, unique=True)
    title = models.CharField(_("title"), max_length=200)
    description = models.TextField(_("description"), blank=True)
    viewer_groups = models.ManyToManyField(Group, verbose_name=_("viewer groups"), related_name="+", blank=True)
    owner_group = models.ForeignKey(
        Group, verbose_name=_("owner group"), on_delete=models.PROTECT, related_name="+", null=True, blank=True
    )
    daily_limit = models.PositiveIntegerField(_("reports per device and day"), default=1)
    budget_group = models.ForeignKey(
        BudgetGroup,
        verbose_name=_("budget group"),
        on_delete=models.PROTECT,
        related_name="use_cases",
        null=True,
        blank=True,
    )
    retention_days = models.PositiveIntegerField(_("days raw reports are kept"), default=90)
    minimum_reports = models.PositiveIntegerField(_("minimum reports per histogram"), default=10_000)
    false_positive_rate = models.FloatField(_("expected false entries per histogram"), default=0.05)
    # Beside the statistical threshold, which follows from the rate; the larger of the two holds.
    prescribed_threshold = models.PositiveIntegerField(_("prescribed threshold"), null=True, blank=True)
    grace_days = models.PositiveIntegerField(_("days a superseded version still accepts reports"), default=7)
    dictionary_complete = models.BooleanField(_("dictionary holds every possible element"), default=False)
    state = models.CharField(_("state"), max_length=10, choices=State.choices, default=State.RUNNING)
    # Grows with everything that is published: what was computed from results is kept under it, and so forgotten.
    generation = models.PositiveBigIntegerField(_("generation of results"), default=0, editable=False)
    privacy_published = models.BooleanField(_("everybody may read its privacy page"), default=False)

    class Meta:
        verbose_name = _("use case")
        verbose_name_plural = _("use cases")
        ordering = ["title", "slug"]

    def __str__(self) -> str:
        return self.title

    def save(self, **options: Any) -> None:
        if options.get("update_fields") is None and not self._state.adding:
            # All but the generation: it may have been renewed since this was loaded, and must not be taken back.
            deferred = self.get_deferred_fields()
            fields = (field for field in self._meta.concrete_fields if not field.primary_key)
            loaded = {field.name for field in fields if field.attname not in deferred}
            options["update_fields"] = loaded - {"generation"}
        super().save(**options)

    @classmethod
    def renew_generation(cls, primary_key: int) -> None:
        """Once this transaction commits, nothing is used any more that was computed from results before.

        To be called last: others who change results of the use case wait from here until the commit. The number is the
        time in microseconds, so that one from a transaction that was rolled back, or from before a back-up was
        restored, never comes again: what was computed under it meanwhile would be shown.
        """
        now = time.time_ns() // 1000
        cls.objects.filter(pk=primary_key).update(generation=Greatest(models.F("generation") + 1, now))

    @property
    def reports_per_day(self) -> int:
        """How many reports a device may send a day, perhaps divided among the use cases of a budget group."""
        return self.daily_limit if self.budget_group is None else self.budget_group.daily_limit

    def first_day_kept(self, today: datetime.date) -> datetime.date:
        """Raw reports of days before this one are deleted, and none of such days are taken in any more.

        So there are never more days of them than `retention_days`, today included.
        """
        return today - datetime.timedelta(days=self.retention_days - 1)

    @property
    def days_held(self) -> int:
        """The most days for which a raw report lies here, from its arrival: what waited is counted on a later day."""
        return self.retention_days + 2 * WAITING_DAYS

    def active_version(self) -> "Version | None":
        return self.versions.filter(state=Version.State.ACTIVE).first()


class Version(models.Model):
    """How devices privatise: frozen, because reports made under different rules must never be mixed."""

    class State(models.TextChoices):
        DRAFT = "draft", _("draft")
        ACTIVE = "active", _("active")
        SUPERSEDED = "superseded", _("superseded, still accepting")
        CLOSED = "closed", _("closed")

    use_case = models.ForeignKey(UseCase, verbose_name=_("use case"), on_delete=models.CASCADE, related_name="versions")
    number = models.PositiveIntegerField(_("version"))
    state = models.CharField(_("state"), max_length=10, choices=State.choices, default=State.DRAFT)
    algorithm = models.CharField(_("algorithm"), max_length=40)
    parameters = models.JSONField(_("wire parameters"), help_text=_("Exactly as an upload document must state them."))
    normalization = models.CharField(_("normalisation"), max_length=20)
    keep_case = models.BooleanField(_("keep case"), default=False)
    alphabet = models.JSONField(_("alphabet"), null=True, blank=True)
    locales = ArrayField(models.CharField(max_length=20), verbose_name=_("locales"))
    created_at = models.DateTimeField(_("created"), auto_now_add=True)
    accepts_until = models.DateField(_("accepts reports until"), null=True, blank=True)

    class Meta:
        verbose_name = _("version")
        verbose_name_plural = _("versions")
        ordering = ["use_case", "-number"]
        constraints = [
            models.UniqueConstraint(fields=["use_case", "number"], name="version_number_unique"),
            # Devices name a version by its parameters alone, so two versions must never share them.
            models.UniqueConstraint(fields=["use_case", "algorithm", "parameters"], name="version_parameters_unique"),
            models.UniqueConstraint(
                fields=["use_case"], condition=models.Q(state="active"), name="version_one_active_per_use_case"
            ),
        ]

    def __str__(self) -> str:
        return _("%(use_case)s, version %(number)s") % {"use_case": self.use_case, "number": self.number}

    @cached_property
    def mechanism(self) -> Mechanism:
        return mechanism_for(self.algorithm, self.parameters)

    @property
    def discovery(self) -> SequenceFragmentPuzzle | None:
        """The mechanism, if it finds its elements itself; versions of other mechanisms count a dictionary."""
        return self.mechanism if isinstance(self.mechanism, SequenceFragmentPuzzle) else None

    def alphabet_of(self, locale: str) -> str | None:
        """The characters that words may have in a locale; None if any."""
        return self.alphabet.get(locale) if isinstance(self.alphabet, dict) else self.alphabet

    def element(self, text: str, locale: str) -> str | None:
        """The element that a device in this locale reports a text as; None if it does not report it."""
        return normalize(
            self.normalization,
            text,
            keep_case=self.keep_case,
            alphabet=self.alphabet_of(locale),
            length=self.discovery.length if self.discovery is not None else WORD_LENGTH,
        )

    def accepts_reports(self, today: datetime.date) -> bool:
        """Whether reports made under this version are taken in today.

        The date decides, not only the state: the task that closes versions may run late.
        """
        if self.use_case.state != UseCase.State.RUNNING:
            return False
        if self.state == self.State.ACTIVE:
            return True
        return self.state == self.State.SUPERSEDED and self.accepts_until is not None and today <= self.accepts_until

    def current_dictionary(self) -> "DictionaryRevision | None":
        return self.dictionary_revisions.order_by("-number").first()
