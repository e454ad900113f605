"""Versions of a use case in words: which one counted, and what is said where several did."""

import datetime
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final
from urllib.parse import urlencode

from django.urls import reverse
from django.utils.translation import gettext as _

from reports.formatting import day_range, plain
from reports.kinds import kind_of
from reports.mechanisms import name_of
from reports.models import UseCase, Version
from reports.publication import Days
from reports.results import CountedBy, HistogramQuery, counts_alike
from reports.results.comparison import ComparisonQuery, Verdict, comparison_view
from reports.results.trend import Element, Slot, SlotState
from reports.web.pages.choices import Choice
from reports.web.pages.locales import isolated
from reports.web.pages.periods import stretches

_DAY: Final = datetime.timedelta(days=1)


def mechanism_words(version: Version) -> str:
    mechanism = {"mechanism": name_of(version.algorithm), "epsilon": plain(version.mechanism.report_epsilon)}
    return _("%(mechanism)s, ε = %(epsilon)s") % mechanism


def version_words(version: Version) -> str:
    return _("version %(number)s (%(mechanism)s)") % {"number": version.number, "mechanism": mechanism_words(version)}


def link_to_histogram(version: Version, locale: str, days: Days) -> Choice:
    """A link to what a version shows of some days; of a version that finds words, to its newest list."""
    query = {"version": version.number, "locale": locale}
    if kind_of(version).has_dictionary:
        query |= {"from": days[0].isoformat(), "to": days[1].isoformat()}
    words = _("Show version %(number)s") % {"number": version.number}
    return Choice(f"{reverse('use_case', args=[version.use_case.slug])}?{urlencode(query)}", words)


@dataclass(frozen=True)
class Counted:
    """Days along an axis that a version counted, in words, with a link to its histogram unless it is embedded."""

    version: int
    words: str
    link: Choice | None


def counted_elsewhere(others: Iterable[CountedBy], locale: str) -> list[Counted]:
    """Say which days other versions counted, with a link to each."""
    words = _("%(days)s: counted by %(version)s, and so in no number here.")
    return [
        Counted(
            other.version.number,
            words % {"days": stretches(other.days), "version": version_words(other.version)},
            link_to_histogram(other.version, locale, (other.days[0][0], other.days[-1][1])),
        )
        for other in others
    ]


@dataclass(frozen=True)
class SeveralVersions:
    """Versions beside each other along an axis, the oldest first."""

    counted: list[Counted]
    # Shown elements that changed by more than the errors of both versions explain, if anything is known of it.
    changes: list[str]
    # The address of the comparison that says so; empty where it is embedded.
    comparison: str

    @property
    def said(self) -> str:
        return _(
            "Several versions counted these days. Each has its own marks and its own errors, and nothing is added up"
            " over them. A vertical line stands where a newer version begins; open marks are those of older ones."
        )

    @property
    def in_words(self) -> str:
        """All of it, for pictures."""
        return " ".join([self.said, *(each.words for each in self.counted), *self.changes])


def several_versions(
    version: Version, locale: str, slots: Iterable[Slot], elements: Sequence[Element] = (), *, linked: bool
) -> SeveralVersions | None:
    """Say which versions counted what is shown along an axis; None if all of it is of the one that is looked at."""
    slots = list(slots)
    if all(slot.version.id == version.id for slot in slots):
        return None
    windows = _days_of_each(slots)
    if windows.keys() <= {version}:
        return None
    words = _("Version %(number)s (%(mechanism)s): %(days)s.")
    counted = [
        Counted(
            each.number,
            words % {"number": each.number, "mechanism": mechanism_words(each), "days": day_range(*own)},
            link_to_histogram(each, locale, own) if linked else None,
        )
        for each, own in ((each, _span(days)) for each, days in windows.items())
    ]
    query, slug = _before_and_after(locale, windows), version.use_case.slug
    return SeveralVersions(
        counted,
        changes=_changes(version.use_case, query, elements) if query is not None and elements else [],
        comparison=f"{reverse('compare', args=[slug])}?{query.encoded()}" if query is not None and linked else "",
    )


def _days_of_each(slots: Iterable[Slot]) -> dict[Version, list[Days]]:
    """The days of the windows that each version counted, in their order, the oldest version first."""
    found: dict[Version, list[Days]] = {}
    for slot in slots:
        if slot.histogram is not None:
            found.setdefault(slot.version, []).append((slot.histogram.first_day, slot.histogram.last_day))
        elif slot.state == SlotState.OTHER_VERSION:
            found.setdefault(slot.version, []).append((slot.first, slot.last))
    return dict(sorted(found.items(), key=lambda item: item[0].number))


def _span(days: Iterable[Days]) -> Days:
    firsts, lasts = zip(*days, strict=True)
    return min(firsts), max(lasts)


def _before_and_after(locale: str, windows: Mapping[Version, Sequence[Days]]) -> ComparisonQuery | None:
    """Compare the days of the newest version with as many before, or its first list of words with the last before.

    None if no other of its kind counted some of these.
    """
    *_older, newest = windows
    by_days = kind_of(newest).has_dictionary
    first, last = _span(windows[newest]) if by_days else windows[newest][0]
    before = first - _DAY
    if not any(counts_alike(newest, each) and own[0][0] <= before for each, own in windows.items()):
        return None
    second = HistogramQuery(locale=locale)
    return ComparisonQuery(
        first=HistogramQuery(locale=locale, first=first, last=last),
        second=replace(second, first=before - (last - first), last=before) if by_days else second,
        version=newest.number,
    )


def _changes(use_case: UseCase, query: ComparisonQuery, elements: Sequence[Element]) -> list[str]:
    """Say which of some elements are clearly more, or clearly less, than before; none if nothing is compared."""
    found = comparison_view(use_case, query).compared
    if found is None:
        return []
    verdicts = {row.element: row.verdict for row in found.rows}
    more, less = (
        [isolated(each.name or each.display) for each in elements if verdicts.get(each.element) == verdict]
        for verdict in (Verdict.MORE_IN_FIRST, Verdict.MORE_IN_SECOND)
    )
    said = {
        _("Clearly more than in as many days before the newer version: %(elements)s."): more,
        _("Clearly less than in as many days before the newer version: %(elements)s."): less,
    }
    sentences = [words % {"elements": ", ".join(names)} for words, names in said.items() if names]
    if not sentences:
        words = _(
            "None of the elements shown differs clearly from as many days before the newer version: a step at the line"
            " may be chance."
        )
        return [words]
    if len(more) + len(less) < len(elements):
        sentences.append(_("No other element shown differs clearly: other steps at the line may be chance."))
    return sentences
