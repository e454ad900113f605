"""The last day on which the clock was believed."""

from django.db import models


class KnownDay(models.Model):
    """Day of the last deletion of what is too old: a single row, overwritten."""

    day = models.DateField()
    # The first day of a clock that was too far ahead to be believed; None while it is believed.
    doubted_since = models.DateField(null=True, blank=True)

    def __str__(self) -> str:
        return str(self.day)
