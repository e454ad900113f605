"""What a bar of a histogram's chart says when it is pointed at."""

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from reports.formatting import percent, whole
from reports.models import Histogram
from reports.results import HistogramRow
from reports.web.pages.figures import label
from reports.web.pages.locales import isolated


def hover(histogram: Histogram, row: HistogramRow) -> str:
    entry = row.entry
    title = f"{isolated(row.display)} {row.name}".strip()
    lines = [f"<b>{label(title)}</b>"]
    if entry.display.isascii() is not entry.element.isascii():  # a domain name, as people read it and as it is counted
        lines.append(label(entry.element))
    if entry.category and entry.category != entry.display:
        lines.append(label(_("Category: %(category)s") % {"category": entry.category}))
    if row.value != entry.estimate:
        lines.append(
            label(
                _("consistent: about %(value)s reports, %(share)s of all")
                % {"value": whole(row.value), "share": percent(row.share)}
            )
        )
    lines += [
        label(
            _("about %(estimate)s reports, %(share)s of all")
            % {"estimate": whole(entry.estimate), "share": percent(entry.estimate / histogram.n)}
        ),
        label(
            _("95 %% interval, adjusted: %(lower)s to %(upper)s")
            % {"lower": whole(entry.adjusted_lower), "upper": whole(entry.adjusted_upper)}
        ),
    ]
    if entry.is_new:
        lines.append(label(_("new since the last run")))
    if histogram.grouping:
        lines.append(
            label(
                ngettext(
                    "one element; its threshold T is %(threshold)s",
                    "sum of %(members)s elements; its threshold T is %(threshold)s",
                    entry.members,
                )
                % {"members": whole(entry.members), "threshold": whole(row.threshold)}
            )
        )
    return "<br>".join(lines)
