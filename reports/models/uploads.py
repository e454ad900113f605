"""What arrives: batches, and the shards they are cut into.

No column here is finer than a day, and nothing names a sender: a batch has a random identifier and a date.
"""

import datetime
import uuid

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from reports.models.use_cases import WAITING_DAYS, Version


def utc_today() -> datetime.date:
    return timezone.now().astimezone(datetime.UTC).date()


class Batch(models.Model):
    """One upload that was stored. A refused upload leaves nothing behind."""

    class State(models.TextChoices):
        QUARANTINED = "quarantined", _("quarantined")
        OPEN = "open", _("open")
        SEALED = "sealed", _("sealed")
        WITHDRAWN = "withdrawn", _("withdrawn")

    id = models.UUIDField(_("identifier"), primary_key=True, default=uuid.uuid4, editable=False)
    day = models.DateField(_("day"))
    state = models.CharField(_("state"), max_length=12, choices=State.choices, default=State.OPEN)
    accepted = models.PositiveBigIntegerField(_("accepted"))
    rejected = models.JSONField(_("rejected"), default=dict, help_text=_("Records left out, by reason."))
    # Who may see the batch. An array, because rows of a table between would be numbered in the order of arrival.
    use_case_ids = ArrayField(models.BigIntegerField(), verbose_name=_("use cases"), default=list)
    # Recognises a large upload sent twice. Keyed with the installation's secret, and forgotten when the day is sealed
    # or the batch withdrawn: the digest of a small upload could otherwise be guessed.
    content_hmac = models.BinaryField(max_length=32, null=True, editable=False)
    # Who let a suspicious batch out of quarantine, and who deleted its reports, before or after that: by withdrawing it
    # or on demand; nobody if time did. Acts of staff, and still no finer than a day. Of batches that never were in
    # quarantine it is not kept who withdraws them: that might be who sent them.
    released_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        verbose_name=_("released by"),
        on_delete=models.SET_NULL,
        related_name="+",
        null=True,
        blank=True,
    )
    released_on = models.DateField(_("released"), null=True, blank=True)
    withdrawn_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        verbose_name=_("reports deleted by"),
        on_delete=models.SET_NULL,
        related_name="+",
        null=True,
        blank=True,
    )
    withdrawn_on = models.DateField(_("reports deleted"), null=True, blank=True)

    class Meta:
        verbose_name = _("batch")
        verbose_name_plural = _("batches")
        # Not in the order of arrival: the identifier is random.
        ordering = ["-day", "id"]
        constraints = [models.UniqueConstraint(fields=["content_hmac"], name="batch_content_once")]
        # Mostly empty: every page of a use case asks its owners whether some wait.
        indexes = [
            models.Index(fields=["day"], condition=models.Q(state="quarantined"), name="batch_in_quarantine"),
            models.Index(fields=["-day"], condition=~models.Q(rejected={}), name="batch_with_rejected"),
        ]

    def __str__(self) -> str:
        return str(self.id)


class IdempotencyKey(models.Model):
    """The key under which a sender stored a batch: sent again, it is answered with that batch.

    Keyed digests only, of the key together with its sender and of what was sent. There is no number in sequence, which
    would tell the order of arrival. Forgotten after two days, and when the batch is withdrawn.
    """

    key_hmac = models.BinaryField(max_length=32, primary_key=True)
    content_hmac = models.BinaryField(max_length=32)
    batch = models.ForeignKey(Batch, on_delete=models.CASCADE, related_name="idempotency_keys")
    created_on = models.DateField(default=utc_today)

    def __str__(self) -> str:
        return str(self.batch_id)


class Sealing(models.Model):
    """The closing of a day's books: nothing that had arrived for this version and day can be taken out any more.

    A day has one, made when it is over. If somebody aggregates a day before it is over, what arrives afterwards is
    sealed by another: what was sealed once never changes.
    """

    version = models.ForeignKey(Version, verbose_name=_("version"), on_delete=models.CASCADE, related_name="sealings")
    day = models.DateField(_("day"))

    class Meta:
        verbose_name = _("sealing")
        verbose_name_plural = _("sealings")
        ordering = ["version", "day", "pk"]

    def __str__(self) -> str:
        return f"{self.version} {self.day}"


class Shard(models.Model):
    """A file of sorted records: one version, locale, day and stream.

    Its bytes are a function of the multiset of records in it alone. While the day is open there is one per batch;
    sealing merges them into one that has no batch.
    """

    # Random, like a batch's: numbers in sequence would tell in which order the batches came.
    id = models.UUIDField(_("identifier"), primary_key=True, default=uuid.uuid4, editable=False)
    version = models.ForeignKey(Version, verbose_name=_("version"), on_delete=models.PROTECT, related_name="shards")
    locale = models.CharField(_("locale"), max_length=20)
    day = models.DateField(_("day"))
    stream = models.CharField(_("stream"), max_length=20)
    batch = models.ForeignKey(
        Batch, verbose_name=_("batch"), on_delete=models.CASCADE, related_name="shards", null=True, blank=True
    )
    sealing = models.ForeignKey(
        Sealing, verbose_name=_("sealing"), on_delete=models.PROTECT, related_name="shards", null=True, blank=True
    )
    size = models.PositiveBigIntegerField(_("records"))
    file_name = models.CharField(_("file"), max_length=200, unique=True)

    class Meta:
        verbose_name = _("shard")
        verbose_name_plural = _("shards")
        ordering = ["version", "day", "locale", "stream"]
        constraints = [
            models.UniqueConstraint(
                fields=["sealing", "locale", "stream"],
                condition=models.Q(batch=None),
                name="shard_one_when_sealed",
            ),
            models.CheckConstraint(
                condition=models.Q(batch__isnull=False) | models.Q(sealing__isnull=False),
                name="shard_has_batch_or_is_sealed",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.version} {self.locale} {self.day} {self.stream}"


class QuarantinedShard(models.Model):
    """A shard of a suspicious batch. In a table of its own, where nothing that seals, counts or shows can meet it.

    A person lets the batch go, and it becomes a shard like any other, or withdraws the batch, and it is deleted.
    """

    id = models.UUIDField(_("identifier"), primary_key=True, default=uuid.uuid4, editable=False)
    batch = models.ForeignKey(Batch, on_delete=models.CASCADE, related_name="quarantined_shards")
    version = models.ForeignKey(Version, on_delete=models.PROTECT, related_name="quarantined_shards")
    locale = models.CharField(_("locale"), max_length=20)
    stream = models.CharField(_("stream"), max_length=20)
    size = models.PositiveBigIntegerField(_("records"))
    file_name = models.CharField(_("file"), max_length=200, unique=True)
    # The first day of waiting. The batch's day may be long past: that is what the reports are about.
    held_since = models.DateField(_("in quarantine since"), default=utc_today)

    class Meta:
        verbose_name = _("quarantined shard")
        verbose_name_plural = _("quarantined shards")
        ordering = ["version", "locale", "stream"]

    def __str__(self) -> str:
        return f"{self.version} {self.locale} {self.stream}"

    @staticmethod
    def undecided(today: datetime.date) -> models.Q:
        """Those that have waited for too long: nobody can release them any more, and they are deleted."""
        return models.Q(held_since__lte=today - datetime.timedelta(days=WAITING_DAYS))


class Finding(models.Model):
    """What is suspicious about a batch: a test that honest reports fail with a stated, small probability."""

    # Random: numbers in sequence would tell in which order the batches came.
    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    batch = models.ForeignKey(Batch, on_delete=models.CASCADE, related_name="findings")
    version = models.ForeignKey(Version, on_delete=models.CASCADE, related_name="+")
    locale = models.CharField(_("locale"), max_length=20)
    stream = models.CharField(_("stream"), max_length=20)
    test = models.CharField(_("test"), max_length=40)
    # The chance that honest reports look like this, for all tests of the batch together; at most.
    p_value = models.FloatField(_("chance among honest batches"))
    # What was seen and what was expected, as numbers by name; the words are made from them.
    facts = models.JSONField(_("facts"), default=dict)

    class Meta:
        verbose_name = _("finding")
        verbose_name_plural = _("findings")
        ordering = ["version", "locale", "stream", "test"]

    def __str__(self) -> str:
        return f"{self.test} {self.version} {self.locale}"


class Deletion(models.Model):
    """Raw reports of a day that are gone: because their time was over, or because somebody deleted them."""

    class Reason(models.TextChoices):
        EXPIRED = "expired", _("retention is over")
        DEMANDED = "demanded", _("deleted on demand")
        UNDECIDED = "undecided", _("suspicious, and not released in time")

    version = models.ForeignKey(Version, verbose_name=_("version"), on_delete=models.CASCADE, related_name="deletions")
    day = models.DateField(_("day of the reports"))
    reports = models.PositiveBigIntegerField(_("reports"))
    never_counted = models.PositiveBigIntegerField(_("of them never counted"), default=0)
    reason = models.CharField(_("reason"), max_length=10, choices=Reason.choices)
    deleted_on = models.DateField(_("deleted"), default=utc_today)
    deleted_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        verbose_name=_("deleted by"),
        on_delete=models.SET_NULL,
        related_name="+",
        null=True,
        blank=True,
    )

    class Meta:
        verbose_name = _("deletion of raw reports")
        verbose_name_plural = _("deletions of raw reports")
        ordering = ["-deleted_on", "version", "-day"]

    def __str__(self) -> str:
        return f"{self.version} {self.day}"


class PendingFile(models.Model):
    """A file that is being written and that no committed row owns yet: what a crash leaves can be found and removed."""

    file_name = models.CharField(max_length=200, unique=True)
    created_on = models.DateField(default=utc_today)

    def __str__(self) -> str:
        return self.file_name
