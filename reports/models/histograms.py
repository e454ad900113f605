"""Results: support counts of closed days, the periods they are released in, and histograms of windows of these."""

import datetime
from typing import Self

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import F
from django.utils.translation import gettext_lazy as _

from reports.models.dictionaries import DictionaryRevision
from reports.models.entries import HistogramEntries
from reports.models.shards import Sealing
from reports.models.versions import Version


class PeriodQuerySet(models.QuerySet["Period"]):
    def shown(self, minimum: int | F) -> Self:
        """Filter for periods that have the use case's minimum, which may have been raised since they were closed."""
        return self.filter(n__gte=minimum)

    def inside(self, first: datetime.date | None, last: datetime.date | None) -> Self:
        """Filter for periods all of whose days lie between two days; an end that is None is open."""
        found = self if first is None else self.filter(first_day__gte=first)
        return found if last is None else found.filter(last_day__lte=last)


class Period(models.Model):
    """Release period: closed days of a version and locale that are released together, once they have enough reports.

    The smallest thing that is ever shown: every number is a function of sums over whole periods. A period is never
    split. While it has fewer reports than the use case's minimum, which may have been raised, it is not shown.
    """

    version = models.ForeignKey(Version, on_delete=models.CASCADE, related_name="periods")
    locale = models.CharField(max_length=20)
    first_day = models.DateField()
    last_day = models.DateField()
    n = models.PositiveBigIntegerField()
    # Keys of the dictionary revisions that its support counts are of, sorted; none where words are found.
    revisions = ArrayField(models.BigIntegerField(), default=list)
    closed_at = models.DateTimeField()

    objects = PeriodQuerySet.as_manager()

    class Meta:
        verbose_name = _("release period")
        verbose_name_plural = _("release periods")
        ordering = ["version", "locale", "first_day", "last_day", "pk"]
        indexes = [models.Index(fields=["version", "locale", "last_day", "first_day"], name="period_of_day")]

    def __str__(self) -> str:
        return f"{self.version} {self.locale} {self.first_day}–{self.last_day}"


class ReadOut(models.Model):
    """Support counts of one version, locale and closed day: exact integers, which add up.

    One for each element of a dictionary revision; or, where a version finds its elements itself and there is no
    revision, the cells of all its sketches. Counted again with a newer revision as long as the raw reports are there;
    kept when these expire. Never shown as they are: only sums over periods that pass the threshold are.
    """

    version = models.ForeignKey(Version, on_delete=models.CASCADE, related_name="read_outs")
    revision = models.ForeignKey(
        DictionaryRevision, on_delete=models.CASCADE, related_name="read_outs", null=True, blank=True
    )
    locale = models.CharField(max_length=20)
    day = models.DateField()
    sealing = models.ForeignKey(Sealing, on_delete=models.PROTECT, related_name="read_outs")
    # None: waits until enough others can be released with it.
    period = models.ForeignKey(Period, on_delete=models.RESTRICT, related_name="read_outs", null=True, blank=True)
    n = models.PositiveBigIntegerField()
    file_name = models.CharField(max_length=200, unique=True)

    class Meta:
        verbose_name = _("read-out")
        verbose_name_plural = _("read-outs")
        ordering = ["version", "locale", "day"]
        constraints = [models.UniqueConstraint(fields=["sealing", "locale"], name="read_out_once")]
        indexes = [
            models.Index(fields=["version", "locale", "day"], name="read_out_of_day"),
            # Few at any time, beside those of years.
            models.Index(
                fields=["version", "locale", "day"], condition=models.Q(period=None), name="read_out_that_waits"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.version} {self.locale} {self.day}"


class PeriodTotal(models.Model):
    """Sum of the support counts of all periods inside a calendar month or year: a cache, made again if stale."""

    version = models.ForeignKey(Version, on_delete=models.CASCADE, related_name="period_totals")
    # The newest of those that its periods are counted by: the others' elements that it lacks are not counted in all.
    revision = models.ForeignKey(DictionaryRevision, on_delete=models.CASCADE, related_name="+")
    locale = models.CharField(max_length=20)
    first_day = models.DateField()
    last_day = models.DateField()
    # Digest of what it is the sum of.
    made_of = models.CharField(max_length=64)
    file_name = models.CharField(max_length=200, unique=True)

    class Meta:
        verbose_name = _("total of periods")
        verbose_name_plural = _("totals of periods")
        constraints = [
            models.UniqueConstraint(fields=["version", "locale", "first_day", "last_day"], name="period_total_once")
        ]

    def __str__(self) -> str:
        return f"{self.version} {self.locale} {self.first_day}–{self.last_day}"


class HistogramQuerySet(models.QuerySet["Histogram"]):
    def ungrouped(self) -> Self:
        """Filter for histograms whose entries are elements, not groups of them. Lists of words are never grouped."""
        return self.filter(grouping="")

    def newest_first(self) -> Self:
        """Order by the last day; of windows that end together the longest first."""
        return self.order_by("-last_day", "first_day")


class Histogram(models.Model):
    """Histogram of a version, locale and window of whole periods, as it is shown.

    With a dictionary it is a cache of what the periods' support counts say, which may be dropped at any time; a list of
    words is the result of a run.
    """

    version = models.ForeignKey(Version, verbose_name=_("version"), on_delete=models.CASCADE, related_name="histograms")
    revision = models.ForeignKey(
        DictionaryRevision,
        verbose_name=_("dictionary revision"),
        on_delete=models.PROTECT,
        related_name="histograms",
        null=True,
        blank=True,
    )
    locale = models.CharField(_("locale"), max_length=20)
    # Empty: its entries are elements. Else they are groups of elements, by this grouping.
    grouping = models.CharField(_("grouped by"), max_length=20, blank=True, default="")
    first_day = models.DateField(_("first day"))
    last_day = models.DateField(_("last day"))
    # Digest of the periods, the dictionary and the rules behind it: a cache with another digest is stale.
    made_of = models.CharField(_("digest of what it is made of"), max_length=64)
    n = models.PositiveBigIntegerField(_("reports"))
    alpha = models.FloatField(_("expected false entries"))
    # Missing where the entries are groups: each size of group has its own.
    threshold = models.FloatField(_("threshold"), null=True)
    # The threshold that the use case prescribed for it, if any. It is the threshold, of a group too, unless that is
    # larger.
    prescribed_threshold = models.PositiveIntegerField(_("prescribed threshold"), null=True)
    below_threshold = models.PositiveIntegerField(_("elements or groups below the threshold"))
    # The sum of squared true counts as it was estimated, which errors need.
    f2 = models.FloatField(_("estimated F2"))
    # Estimate of reports about anything that is not in the dictionary, where these are counted: it is no entry, and in
    # no group.
    other_estimate = models.FloatField(_("estimate of anything else"), null=True)
    # When the newest of its periods was closed; of a list of words, when it was made.
    generated_at = models.DateTimeField(_("generated"))

    objects = HistogramQuerySet.as_manager()

    class Meta:
        verbose_name = _("histogram")
        verbose_name_plural = _("histograms")
        ordering = ["version", "locale", "-last_day", "first_day"]
        constraints = [
            models.UniqueConstraint(
                fields=["version", "locale", "first_day", "last_day", "grouping"],
                name="histogram_once_per_window",
            ),
        ]
        # The newest window of a locale, and those before it.
        indexes = [
            models.Index(
                fields=["version", "locale", "-last_day", "first_day"],
                condition=models.Q(grouping=""),
                name="histogram_newest",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.version} {self.locale} {self.first_day}–{self.last_day}"

    @property
    def entries(self) -> HistogramEntries:
        """Entries above the threshold, read when first asked for; none if the histogram was replaced meanwhile."""
        try:
            return self.stored_entries
        except HistogramEntries.DoesNotExist:
            return HistogramEntries.of(self, [])

    @property
    def is_prescribed(self) -> bool:
        """Tell whether the prescribed threshold is the larger one; for groups, whether there is one."""
        prescribed = self.prescribed_threshold
        return prescribed is not None and (self.threshold is None or self.threshold <= prescribed)


class Discovery(models.Model):
    """Account of how the words of a histogram were found, whose `below_threshold` counts hidden candidates."""

    histogram = models.OneToOneField(
        Histogram, verbose_name=_("histogram"), on_delete=models.CASCADE, related_name="discovery"
    )
    # Closed days that the words were looked for in.
    sealings = ArrayField(models.BigIntegerField(), verbose_name=_("sealings in it"), default=list)
    # By position, in their order.
    reports = ArrayField(models.BigIntegerField(), verbose_name=_("reports from each position"))
    cuts = ArrayField(models.FloatField(), verbose_name=_("cut of each position, in reports from it"))
    f2 = ArrayField(models.FloatField(), verbose_name=_("estimated F2 of each position"), default=list)
    kept = ArrayField(models.IntegerField(), verbose_name=_("fragments kept at each position"))
    capped = models.BooleanField(_("more fragments passed a cut than were kept"), default=False)
    joined = models.PositiveBigIntegerField(_("words put together"))
    strictness = models.FloatField(
        _("factor by which cuts were raised"), default=1, help_text=_("So as not to put too many words together.")
    )
    candidates = models.PositiveIntegerField(_("candidates that solve the puzzle"))
    smallest_share = models.FloatField(_("share that is found with probability 0.9"))

    class Meta:
        verbose_name = _("discovery")
        verbose_name_plural = _("discoveries")

    def __str__(self) -> str:
        return str(self.histogram)
