"""Use cases, and the limits that they share."""

import datetime
import time
from typing import TYPE_CHECKING, Any

from django.contrib.auth.models import Group
from django.core.exceptions import ValidationError
from django.db import models
from django.db.models.functions import Greatest
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from reports.kinds import kind_of
from reports.models.validators import AtLeast, validate_identifier, validate_share, validate_storable, validate_text

if TYPE_CHECKING:
    from reports.models.versions import Version

# Reports may wait so long until they are counted: those of devices for enough others, and then suspicious ones for a
# decision.
WAITING_DAYS = 7
# The end of the title of a use case whose reports are simulated, the same in every language, so that it shows wherever
# the title does.
SIMULATED = " (simulation)"


class BudgetGroup(models.Model):
    """Group of use cases that share one daily limit: a device divides its reports of a day among them."""

    name = models.CharField(_("name"), max_length=80, unique=True, validators=[validate_text])
    daily_limit = models.PositiveIntegerField(
        _("reports per device and day, together"), default=1, validators=[AtLeast(1)]
    )

    class Meta:
        verbose_name = _("budget group")
        verbose_name_plural = _("budget groups")
        ordering = ["name"]

    def __str__(self) -> str:
        return self.name


class UseCase(models.Model):
    """Question that a fleet of devices answers, with everything about it that may change at any time."""

    class State(models.TextChoices):
        RUNNING = "running", _("running")
        # Devices are not asked and nothing is taken in; results stay, and runs go on.
        PAUSED = "paused", _("paused")
        # As paused, and apart from what is running on the first page.
        ARCHIVED = "archived", _("archived")

    slug = models.CharField(_("identifier"), max_length=80, unique=True, validators=[validate_identifier])
    title = models.CharField(_("title"), max_length=200, validators=[validate_text])
    description = models.TextField(_("description"), blank=True, validators=[validate_storable])
    viewer_groups = models.ManyToManyField(Group, verbose_name=_("viewer groups"), related_name="+", blank=True)
    owner_group = models.ForeignKey(
        Group, verbose_name=_("owner group"), on_delete=models.PROTECT, related_name="+", null=True, blank=True
    )
    daily_limit = models.PositiveIntegerField(_("reports per device and day"), default=1, validators=[AtLeast(1)])
    budget_group = models.ForeignKey(
        BudgetGroup,
        verbose_name=_("budget group"),
        on_delete=models.PROTECT,
        related_name="use_cases",
        null=True,
        blank=True,
    )
    retention_days = models.PositiveIntegerField(_("days raw reports are kept"), default=90, validators=[AtLeast(1)])
    minimum_reports = models.PositiveIntegerField(
        _("minimum reports per histogram"), default=10_000, validators=[AtLeast(1)]
    )
    false_positive_rate = models.FloatField(
        _("expected false entries per histogram"), default=0.05, validators=[validate_share]
    )
    # Beside the statistical threshold, which follows from the rate; the larger of the two holds.
    prescribed_threshold = models.PositiveIntegerField(
        _("prescribed threshold"), null=True, blank=True, validators=[AtLeast(1)]
    )
    grace_days = models.PositiveIntegerField(
        _("days a superseded version still accepts reports"), default=7, validators=[AtLeast(0)]
    )
    dictionary_complete = models.BooleanField(_("dictionary holds every possible element"), default=False)
    state = models.CharField(_("state"), max_length=10, choices=State.choices, default=State.RUNNING)
    # Set: this is a copy for simulated reports alone, which devices are not asked for.
    simulation_of = models.OneToOneField(
        "self", on_delete=models.CASCADE, related_name="simulation", null=True, blank=True, editable=False
    )
    # Grows with everything that is published: what was computed from results is kept under it, and so forgotten.
    generation = models.PositiveBigIntegerField(_("generation of results"), default=0, editable=False)
    # How many changes of the newest week are clear, with the generation that it is of, for cards.
    clear_changes = models.JSONField(default=dict, db_default={}, editable=False)
    privacy_published = models.BooleanField(_("everybody may read its privacy page"), default=False)

    class Meta:
        verbose_name = _("use case")
        verbose_name_plural = _("use cases")
        ordering = ["title", "slug"]

    def __str__(self) -> str:
        return self.title

    def save(self, **options: Any) -> None:
        if options.get("update_fields") is None and not self._state.adding:
            # All but what results renew: it may have been since this was loaded, and must not be taken back.
            deferred = self.get_deferred_fields()
            fields = (field for field in self._meta.concrete_fields if not field.primary_key)
            loaded = {field.name for field in fields if field.attname not in deferred}
            options["update_fields"] = loaded - {"generation", "clear_changes"}
        super().save(**options)

    def clean(self) -> None:
        if self.simulation_of_id is not None and not self.title.endswith(SIMULATED):
            words = gettext("Its reports are simulated: the title has to end in “%(end)s”.")
            raise ValidationError({"title": words % {"end": SIMULATED.strip()}})
        if self.pk:
            self.check_completeness(self.active_version())

    def check_completeness(self, version: "Version | None") -> None:
        """Refuse to say that a dictionary holds every element where a version finds them without one."""
        if self.dictionary_complete and version is not None and not kind_of(version).has_dictionary:
            words = gettext(
                "Its words are found without a dictionary, so none can be said to hold every possible element; take"
                " that back."
            )
            raise ValidationError({"dictionary_complete": words})
        if self.dictionary_complete and version is not None and version.counts_other:
            words = gettext(
                "A dictionary beside which anything else is counted does not hold every element; take that back."
            )
            raise ValidationError({"dictionary_complete": words})

    @classmethod
    def renew_generation(cls, primary_key: int) -> None:
        """Invalidate, once this transaction commits, everything that was computed from results before.

        To be called last: others who change results of the use case wait from here until the commit. The number is the
        time in microseconds, so that one from a transaction that was rolled back, or from before a back-up was
        restored, never comes again: what was computed under it meanwhile would be shown.
        """
        now = time.time_ns() // 1000
        cls.objects.filter(pk=primary_key).update(generation=Greatest(models.F("generation") + 1, now))

    @property
    def reports_per_day(self) -> int:
        """Daily limit of a device, which a budget group divides among its use cases."""
        return self.daily_limit if self.budget_group is None else self.budget_group.daily_limit

    def first_day_kept(self, today: datetime.date) -> datetime.date:
        """Return the first day whose raw reports are kept: older ones are deleted, and no more accepted.

        So there are never more days of them than `retention_days`, today included.
        """
        return today - datetime.timedelta(days=self.retention_days - 1)

    @property
    def days_held(self) -> int:
        """Most days for which a raw report is stored from its arrival: what waited is counted on a later day."""
        return self.retention_days + 2 * WAITING_DAYS

    def active_version(self) -> "Version | None":
        return self.versions.active().first()
