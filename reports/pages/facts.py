"""What a reader must know about a histogram: where it comes from and how it is to be read."""

from dataclasses import dataclass

from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from reports.models import Histogram
from reports.pages.locales import locale_name
from reports.pages.numbers import day_range, percent, plain, whole
from reports.privacy import Loss
from reports.results import HistogramView


@dataclass(frozen=True)
class About:
    """Words about a histogram."""

    locale: str
    window: str
    n: str
    threshold: str
    threshold_share: str
    below: str
    shown: str
    provenance: list[tuple[str, str]]


def about(view: HistogramView, histogram: Histogram, loss: Loss) -> About:
    below = histogram.below_threshold
    threshold = histogram.threshold
    if histogram.grouping:
        words = ngettext("%(count)s group is below its own", "%(count)s groups are below their own", below)
    else:
        words = ngettext("%(count)s element is below it", "%(count)s elements are below it", below)
    return About(
        locale=locale_name(view.locale),
        window=day_range(histogram.first_day, histogram.last_day),
        n=whole(histogram.n),
        threshold=_("one for each group") if threshold is None else whole(threshold),
        threshold_share="" if threshold is None else percent(threshold / histogram.n),
        below=words % {"count": whole(below)},
        shown=_("%(shown)s of %(total)s above T") % {"shown": whole(len(view.rows)), "total": whole(view.total)},
        provenance=_provenance(view, histogram, loss),
    )


def _provenance(view: HistogramView, histogram: Histogram, loss: Loss) -> list[tuple[str, str]]:
    version, revision = histogram.version, histogram.revision
    threshold = _("one for each group") if histogram.threshold is None else whole(histogram.threshold)
    return [
        (_("Version"), str(version.number)),
        (_("Algorithm"), version.algorithm),
        *(
            (name if name != "epsilon" else "ε", str(value))
            for name, value in version.mechanism.wire_parameters().items()
        ),
        ("n", whole(histogram.n)),
        (_("T (threshold, in reports)"), threshold),
        (_("α (expected false entries)"), f"{histogram.alpha:g}"),
        *([(_("Grouped by"), str(view.grouping.label))] if view.grouping else []),
        (
            _("Dictionary"),
            _("revision %(number)s, %(size)s elements") % {"number": revision.number, "size": whole(revision.size)},
        ),
        (_("Window"), day_range(histogram.first_day, histogram.last_day)),
        (_("Generated"), _("%(time)s UTC") % {"time": date_format(histogram.generated_at, "DATETIME_FORMAT")}),
        *privacy_facts(loss),
    ]


def privacy_facts(loss: Loss) -> list[tuple[str, str]]:
    """The privacy loss of one person, added up."""
    return [
        (_("ε per report"), plain(loss.per_report)),
        (_("Reports per device and day, at most"), whole(loss.reports_per_day)),
        (_("ε per person and day, at most"), plain(loss.per_day)),
        (
            ngettext(
                "ε over the %(days)s day that reports are kept, at most",
                "ε over the %(days)s days that reports are kept, at most",
                loss.retention_days,
            )
            % {"days": whole(loss.retention_days)},
            plain(loss.over_retention),
        ),
    ]


def pending_reports(view: HistogramView) -> bool:
    """Whether reports lie on days that no run has sealed yet."""
    if view.version is None:
        return False
    return view.version.shards.filter(locale=view.locale, batch__isnull=False).exists()
