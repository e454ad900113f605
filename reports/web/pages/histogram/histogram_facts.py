"""What a reader must know about a histogram: where it comes from and how it is to be read."""

from dataclasses import dataclass

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from reports.collection.retention import deletions, how_many
from reports.formatting import day_range, plain, whole
from reports.models import Histogram, Version
from reports.privacy import Loss
from reports.results import HistogramView, known_versions
from reports.runs import uncounted_versions, unseen_versions
from reports.web.pages import provenance_facts
from reports.web.pages.captions import caption
from reports.web.pages.locales import locale_name
from reports.web.pages.provenance_facts import Facts
from reports.web.pages.thresholds import threshold, threshold_share
from reports.web.pages.words.words_facts import discovery_facts


class About:
    """A histogram in words."""

    def __init__(self, view: HistogramView, histogram: Histogram, loss: Loss) -> None:
        self.locale = locale_name(view.locale)
        self.window = day_range(histogram.first_day, histogram.last_day)
        self.n = whole(histogram.n)
        self.threshold = threshold(histogram)
        self.threshold_share = threshold_share(histogram)
        self.below = _below(view, histogram)
        self.shown = _shown(view)
        # How all this is to be read, in whole sentences.
        self.caption = caption(view, histogram, self.below)
        self.provenance = _provenance(view, histogram, loss)


def _below(view: HistogramView, histogram: Histogram) -> str:
    """How many are below the threshold; where only a part is shown, it is said what they are of."""
    below = histogram.below_threshold
    if view.discovery is not None:
        words = ngettext("%(count)s candidate is below it", "%(count)s candidates are below it", below)
        of_all = ngettext(
            "Of all candidates, %(count)s is below it", "Of all candidates, %(count)s are below it", below
        )
    elif histogram.grouping:
        words = ngettext("%(count)s group is below its own", "%(count)s groups are below their own", below)
        of_all = ngettext(
            "Of all groups, %(count)s is below its own", "Of all groups, %(count)s are below their own", below
        )
    else:
        words = ngettext("%(count)s element is below it", "%(count)s elements are below it", below)
        of_all = ngettext(
            "Of the whole dictionary, %(count)s element is below it",
            "Of the whole dictionary, %(count)s elements are below it",
            below,
        )
    return (of_all if view.query.is_narrow else words) % {"count": whole(below)}


def _shown(view: HistogramView) -> str:
    if view.matching is None:
        return _("%(shown)s of %(total)s above T") % {"shown": whole(len(view.rows)), "total": whole(view.total)}
    if view.matching == 0:
        return _("nothing above T matches")
    words = _("%(shown)s of %(total)s above T that match")
    return words % {"shown": whole(len(view.rows)), "total": whole(view.matching)}


def _provenance(view: HistogramView, histogram: Histogram, loss: Loss) -> Facts:
    mechanism = histogram.version.discovery
    return [
        *provenance_facts.of_version(histogram.version),
        *provenance_facts.of_dictionary(histogram.revision),
        *([(_("Grouped by"), str(view.grouping.label))] if view.grouping else []),
        *([(_("Values"), _("consistent with each other (Norm-Sub)"))] if view.query.values else []),
        *provenance_facts.of_windows([histogram]),
        *provenance_facts.of_intervals(),
        *(discovery_facts(mechanism, histogram.discovery) if mechanism is not None else []),
        *privacy_facts(loss),
    ]


def privacy_facts(loss: Loss) -> Facts:
    """The privacy loss of one person, added up."""
    return [
        (_("ε per report"), plain(loss.per_report)),
        (_("Reports per device and day, at most"), whole(loss.reports_per_day)),
        (_("ε per person and day, at most"), plain(loss.per_day)),
        (
            _("ε over the %(days)s days whose reports may be held at the same time, at most")
            % {"days": whole(loss.days_held)},
            plain(loss.over_retention),
        ),
    ]


@dataclass(frozen=True)
class Pending:
    """What is not counted yet: reports of any version, and those of the one shown with its newest dictionary.

    And how many were deleted, in words, before anybody counted them; empty if none were.
    """

    reports: bool
    dictionary: bool
    deleted: str


def pending(view: HistogramView) -> Pending:
    uncounted = uncounted_versions(view.use_case)
    # Mostly there is nothing, and to look for it again takes as long as all else.
    unseen = unseen_versions(view.use_case) if uncounted else []
    # What is counted is counted with the newest dictionary, unless a revision has come since.
    dictionary = view.discovery is None and view.version in uncounted and view.version not in unseen
    gone = [each for each in deletions(view.use_case) if each.never_counted]
    deleted = sum(each.never_counted for each in gone)
    words = _("Reports were deleted before they were counted: %(count)s.")
    fewest = min((each.fewest_uncounted for each in gone), default=0)
    count = {"count": how_many(deleted, view.use_case.minimum_reports, fewest)}
    return Pending(bool(unseen), dictionary, words % count if deleted else "")


def active_instead(view: HistogramView) -> tuple[Version, str] | None:
    """The active version, if another one is shown, and what is to be said about the two."""
    active = next((each for each in known_versions(view.use_case) if each.state == Version.State.ACTIVE), None)
    if active is None or view.version is None or active == view.version:
        return None
    if active == view.default_version:
        words = _("Version %(active)s is active. You see version %(shown)s.")
    else:
        words = _("Version %(active)s is active, but has nothing to show yet. You see version %(shown)s.")
    return active, words % {"active": active.number, "shown": view.version.number}
