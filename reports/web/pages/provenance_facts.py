"""Where the numbers of a figure come from: in the same words on every page, and in every picture."""

import datetime
from collections.abc import Callable, Iterable, Sequence
from decimal import Decimal
from itertools import pairwise
from operator import attrgetter
from typing import TypeAlias

from django.utils.formats import date_format
from django.utils.translation import gettext as _

from reports.formatting import day_range, percent, plain, whole
from reports.mechanisms import title_of
from reports.models import DictionaryRevision, Evaluation, Histogram, TrainingRun, Version
from reports.privacy import Loss
from reports.publication import NotCounted
from reports.results import CONFIDENCE, dictionary_estimator
from reports.results.trend import Published, Slot
from reports.web.pages.locales import locale_name

# Names and values. Where they are seen is said beside them: the address of a page, or of the page of a picture.
Facts: TypeAlias = list[tuple[str, str]]


def of_version(version: Version) -> Facts:
    """The thing counted, and the mechanism."""
    parameters = version.mechanism.encoded_parameters().items()
    return [
        (_("Use case"), version.use_case.slug),
        (_("Version"), str(version.number)),
        (_("Algorithm"), title_of(version.algorithm)),
        *((_parameter_name(name), _parameter(value)) for name, value in parameters),
    ]


def _parameter_name(name: str) -> str:
    symbols = {"epsilon": "ε", "fragment_epsilon": "ε′", "fragment_k": "k′", "fragment_m": "m′", "fragment_g": "g′"}
    words = {
        "hash": _("hash"),
        "length": _("length"),
        "seed": _("seed"),
        "fragment_share": _("share of reports about two letters"),
    }
    return {**symbols, **words}.get(name, name)


def _parameter(value: float | str) -> str:
    return _decimal(value) if isinstance(value, float) else str(value)


def _decimal(value: float) -> str:
    return plain(Decimal(f"{value:g}"))


def of_dictionary(revision: DictionaryRevision | None) -> Facts:
    if revision is None:
        return []
    words = _("revision %(number)s, %(size)s elements")
    return [(_("Dictionary"), words % {"number": revision.number, "size": whole(revision.size)})]


def of_estimator(histogram: Histogram, not_counted: Sequence[NotCounted]) -> Facts:
    """Name the estimator, where it is not the usual one."""
    estimator = dictionary_estimator(histogram.version, histogram.revision, whole=not not_counted)
    return [(_("Estimates"), _("corrected for collisions"))] if estimator.name == "corrected" else []


def of_windows(windows: Sequence[Histogram | Published]) -> Facts:
    """Facts of a published window, or of all of a figure: how many reports, what stands out of them, and since when.

    Nothing of none.
    """
    if not windows:
        return []
    # A figure may have thousands.
    locales, firsts, lasts, sizes, thresholds, prescribed, alphas = zip(*map(_OF_WINDOW, windows), strict=True)
    several = len(windows) > 1
    # Reports that windows share would count twice.
    together = several and not _overlap(locales, firsts, lasts)
    return [
        *((_("Locale"), locale_name(locale)) for locale in set(locales) if len(set(locales)) == 1),
        (_("n, of all windows together"), whole(sum(sizes))) if together else ("n", _range(sizes, whole)),
        (_("T (threshold, in reports)"), _thresholds(thresholds)),
        *_prescribed([each for each in prescribed if each is not None]),
        (_("α (expected false entries)"), _range(alphas, _decimal)),
        (_("Window"), day_range(min(firsts), max(lasts))),
        (
            _("Newest window generated") if several else _("Generated"),
            _("%(time)s UTC") % {"time": date_format(_newest(windows), "DATETIME_FORMAT")},
        ),
    ]


def of_slots(version: Version, slots: Iterable[Slot]) -> Facts:
    """Facts of the windows along an axis; where other versions counted some, of each version by itself."""
    # By their keys: a figure may have thousands of slots.
    shown = [(slot.version, slot.histogram) for slot in slots if slot.histogram is not None]
    versions = {each.id: each for each, _window in shown}
    if versions.keys() <= {version.id}:
        return of_windows([window for _version, window in shown])
    found = []
    for each in sorted(versions.values(), key=lambda one: one.number):
        own = [window for counted_by, window in shown if counted_by.id == each.id]
        _use_case, (name, number), *mechanism = of_version(each)
        found += beside(f"{name} {number}", [*(mechanism if each != version else []), *of_windows(own)])
    return found


_OF_WINDOW = attrgetter("locale", "first_day", "last_day", "n", "threshold", "prescribed_threshold", "alpha")


def _newest(windows: Sequence[Histogram | Published]) -> datetime.datetime:
    """When the last of them was made."""
    # As texts of the database, all in UTC, they have the same order, and thousands need not be read.
    read = [each for each in windows if isinstance(each, Published)]
    made = [each.generated_at for each in windows if isinstance(each, Histogram)]
    if read:
        made.append(max(read, key=attrgetter("generated")).generated_at)
    return max(made)


def _overlap(locales: Sequence[str], firsts: Sequence[datetime.date], lasts: Sequence[datetime.date]) -> bool:
    """Tell whether reports of some are in others, too."""
    windows = list(zip(locales, firsts, lasts, strict=True))
    if firsts == lasts:
        return len(set(windows)) < len(windows)
    windows.sort()
    return any(one[0] == other[0] and other[1] <= one[2] for one, other in pairwise(windows))


def asked(job: Evaluation | TrainingRun, otherwise: str) -> Facts:
    """Say who asked for a job, and when; `otherwise` where that leaves no person."""
    who = otherwise if job.requested_by is None else job.requested_by.get_username()
    time = _("%(time)s UTC") % {"time": date_format(job.created_at, "DATETIME_FORMAT")}
    return [(_("Asked by"), who), (_("Asked"), time)]


def of_intervals() -> Facts:
    """Give the confidence of all intervals of a figure, and of the bounds of what is below a threshold."""
    return [(_("Level of the intervals"), percent(CONFIDENCE, 0))]


def beside(side: str, facts: Facts) -> Facts:
    """Facts of only one side, or of one part of a page."""
    return [(_("%(side)s: %(fact)s") % {"side": side, "fact": name}, value) for name, value in facts]


def _thresholds(thresholds: Sequence[float | None]) -> str:
    known = [threshold for threshold in thresholds if threshold is not None]
    return _range(known, whole) if len(known) == len(thresholds) else _("one for each group")


def _prescribed(thresholds: Sequence[int]) -> Facts:
    return [(_("Prescribed threshold, in reports"), _range(thresholds, whole))] if thresholds else []


def _range(values: Sequence[float], written: Callable[[float], str]) -> str:
    first, last = written(min(values)), written(max(values))
    return first if first == last else _("%(first)s – %(last)s") % {"first": first, "last": last}


def of_privacy(loss: Loss) -> Facts:
    """The privacy loss of one person, added up."""
    epsilons = (plain(each) for each in (loss.per_report, loss.per_day, loss.over_retention))
    return loss_facts(loss.reports_per_day, loss.days_held, *epsilons)


def loss_facts(reports_per_day: int, days_held: int, *epsilons: str) -> Facts:
    """The ε of a report, of a day, and over the days whose reports are held."""
    per_report, per_day, over_retention = epsilons
    over = _("ε over the %(days)s days whose reports may be held at the same time, at most")
    return [
        (_("ε per report"), per_report),
        (_("Reports per device and day, at most"), whole(reports_per_day)),
        (_("ε per person and day, at most"), per_day),
        (over % {"days": whole(days_held)}, over_retention),
    ]


# --- Thresholds in words ---


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
