"""Up to which day the clock has been followed."""

from django.db import models


class KnownDay(models.Model):
    """The day on which it was last looked what has to be deleted for its age: a single row, written over."""

    day = models.DateField()
    # The first day of a clock that was too far ahead to be believed; None while it is believed.
    doubted_since = models.DateField(null=True, blank=True)

    def __str__(self) -> str:
        return str(self.day)
