"""Thresholds in words: how large a share they ask for, and whether they are prescribed."""

from django.utils.translation import gettext as _

from reports.formatting import percent, whole
from reports.models import Histogram


def threshold(histogram: Histogram) -> str:
    """In reports."""
    if histogram.threshold is not None:
        return whole(histogram.threshold)
    if histogram.prescribed_threshold is None:
        return _("one for each group")
    words = _("one for each group, at least %(prescribed)s (prescribed)")
    return words % {"prescribed": whole(histogram.prescribed_threshold)}


def threshold_share(histogram: Histogram, digits: int = 2) -> str:
    """The threshold as a share of the reports; empty where each group has its own."""
    if histogram.threshold is None:
        return ""
    share = percent(histogram.threshold / histogram.n, digits)
    return _("%(share)s, prescribed") % {"share": share} if histogram.is_prescribed else share
