"""Gaps of whole periods: days with too few reports, and elements that are not counted in all of a window."""

from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import Final

from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from reports.formatting import day_range, whole
from reports.models import Version
from reports.publication import Days, NotCounted
from reports.results import colourful, element_name
from reports.web.pages.locales import isolated

# Elements that are counted from one day on; files name all of them.
MOST_NAMED: Final = 20


def stretches(days: Sequence[Days]) -> str:
    """Days in words; empty if there are none."""
    return ", ".join(day_range(first, last) for first, last in days)


def not_counted_words(version: Version, elements: Iterable[NotCounted]) -> list[str]:
    """A sentence for each day from which on some of these elements are counted, the earliest first."""
    ordered = sorted(elements, key=lambda each: (each.since is None, each.since, each.display))
    return [_sentence(version, list(of_day)) for _since, of_day in groupby(ordered, key=lambda each: each.since)]


def _sentence(version: Version, elements: Sequence[NotCounted]) -> str:
    since, more = elements[0].since, len(elements) - MOST_NAMED
    named = ", ".join(isolated(_name(version, each)) for each in elements[:MOST_NAMED])
    if more > 0:
        words = ngettext("%(named)s and %(more)s more", "%(named)s and %(more)s more", more)
        named = words % {"named": named, "more": whole(more)}
    if since is None:
        return _("Not counted yet: %(elements)s.") % {"elements": named}
    return _("Not counted before %(day)s, and so in no number here: %(elements)s.") % {
        "day": date_format(since),
        "elements": named,
    }


def _name(version: Version, element: NotCounted) -> str:
    return f"{colourful(element.display)} {element_name(version, element.display)}".strip()
