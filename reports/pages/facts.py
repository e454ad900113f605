"""What a reader must know about a histogram: where it comes from and how it is to be read."""

from dataclasses import dataclass

from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from reports.models import Histogram
from reports.pages.locales import locale_name
from reports.pages.numbers import day_range, percent, whole
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


def about(view: HistogramView, histogram: Histogram) -> About:
    below = histogram.below_threshold
    return About(
        locale=locale_name(view.locale),
        window=day_range(histogram.first_day, histogram.last_day),
        n=whole(histogram.n),
        threshold=whole(histogram.threshold),
        threshold_share=percent(histogram.threshold / histogram.n),
        below=ngettext("%(count)s element is below it", "%(count)s elements are below it", below)
        % {"count": whole(below)},
        shown=_("%(shown)s of %(total)s above T")
        % {"shown": whole(len(view.rows)), "total": whole(len(view.all_rows))},
        provenance=_provenance(histogram),
    )


def _provenance(histogram: Histogram) -> list[tuple[str, str]]:
    version, revision = histogram.version, histogram.revision
    return [
        (_("Version"), str(version.number)),
        (_("Algorithm"), version.algorithm),
        *(
            (name if name != "epsilon" else "ε", str(value))
            for name, value in version.mechanism.wire_parameters().items()
        ),
        ("n", whole(histogram.n)),
        (_("T (threshold, in reports)"), whole(histogram.threshold)),
        (_("α (expected false entries)"), f"{histogram.alpha:g}"),
        (
            _("Dictionary"),
            _("revision %(number)s, %(size)s elements") % {"number": revision.number, "size": whole(revision.size)},
        ),
        (_("Window"), day_range(histogram.first_day, histogram.last_day)),
        (_("Generated"), _("%(time)s UTC") % {"time": date_format(histogram.generated_at, "DATETIME_FORMAT")}),
    ]


def pending_reports(view: HistogramView) -> bool:
    """Whether reports lie on days that no run has sealed yet."""
    if view.version is None:
        return False
    return view.version.shards.filter(locale=view.locale, batch__isnull=False).exists()
