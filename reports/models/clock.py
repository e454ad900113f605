"""Up to which day the clock has been followed."""

from django.db import models
from django.utils.translation import gettext_lazy as _


class KnownDay(models.Model):
    """The day on which it was last looked what has to be deleted for its age: a single row, written over."""

    day = models.DateField(_("day"))
    # The first day of a clock that was too far ahead to be believed; None while it is believed.
    doubted_since = models.DateField(_("doubted since"), null=True, blank=True)

    def __str__(self) -> str:
        return str(self.day)
