"""Uploads: batches, which are cut into shards (`shards.py`), or wait in quarantine (`quarantine.py`).

No column here is finer than a day, and nothing names a sender: a batch has a random identifier and a date.
"""

import datetime
import uuid

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from reports.models.fields import person_who


def utc_today() -> datetime.date:
    return timezone.now().astimezone(datetime.UTC).date()


class Batch(models.Model):
    """Stored upload. A refused upload leaves nothing behind."""

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
    # Who released a suspicious batch, and who deleted its reports, before or after that, by withdrawing it or on
    # demand; empty if time did. Acts of staff, and still no finer than a day. For batches that never were in quarantine
    # it is not kept who withdraws them: that might be the sender.
    released_by = person_who(_("released by"), blank=True)
    released_on = models.DateField(_("released"), null=True, blank=True)
    withdrawn_by = person_who(_("reports deleted by"), blank=True)
    withdrawn_on = models.DateField(_("reports deleted"), null=True, blank=True)

    class Meta:
        verbose_name = _("batch")
        verbose_name_plural = _("batches")
        # Not in the order of arrival: the identifier is random.
        ordering = ["-day", "id"]
        # Mostly empty: every page of a use case asks its owners whether some wait.
        indexes = [
            models.Index(fields=["day"], condition=models.Q(state="quarantined"), name="batch_in_quarantine"),
            models.Index(fields=["-day"], condition=~models.Q(rejected={}), name="batch_with_rejected"),
        ]

    def __str__(self) -> str:
        return str(self.id)


class IdempotencyKey(models.Model):
    """Key under which a sender stored a batch: an upload with the same key is answered with that batch.

    Keyed digests only, of the key together with its sender and of what was sent. There is no number in sequence, which
    would tell the order of arrival. Forgotten after two days, and when the batch is withdrawn.
    """

    key_hmac = models.BinaryField(max_length=32, primary_key=True)
    content_hmac = models.BinaryField(max_length=32)
    batch = models.ForeignKey(Batch, on_delete=models.CASCADE, related_name="idempotency_keys")
    created_on = models.DateField(default=utc_today)

    def __str__(self) -> str:
        return str(self.batch_id)
