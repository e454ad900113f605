"""Findings in words: what was seen, what is expected of honest devices, and how likely it is by chance."""

import datetime
import math
from collections.abc import Mapping
from typing import Final, NamedTuple

from django.utils.formats import date_format
from django.utils.functional import Promise
from django.utils.translation import gettext, gettext_lazy, pgettext_lazy
from django.utils.translation import gettext as _

from reports.formatting import rounded, whole
from reports.mechanisms import words_of
from reports.models import Batch, Finding

Facts = Mapping[str, float]

_SUPERSCRIPT: Final = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")
# Above that many digits a number says less than its power of ten.
_LONGEST: Final = 9
# Nothing is said of numbers below it but that they are.
_TINY: Final = 0.001

_SENTENCES: Final[dict[str, Promise]] = {
    "uneven_rows": gettext_lazy(
        "%(seen)s of %(records)s records name %(where)s; honest devices draw rows evenly, and %(expected)s are"
        " expected."
    ),
    "uneven_coordinates": gettext_lazy(
        "%(seen)s of %(records)s records name %(where)s; honest devices draw coordinates evenly, and %(expected)s are"
        " expected."
    ),
    "uneven_positions": gettext_lazy(
        "%(seen)s of %(records)s fragments are from %(where)s; honest devices draw positions evenly, and %(expected)s"
        " are expected."
    ),
    "rows_in_use": gettext_lazy(
        "%(records)s records name %(seen)s different hash rows of %(values)s; of honest devices, %(expected)s are"
        " expected."
    ),
    "cells_in_use": gettext_lazy(
        "%(records)s records name %(seen)s different pairs of row and coordinate; of honest devices, %(expected)s are"
        " expected. Too few look like records that were sent again, too many like records that were dealt out in turn."
    ),
    "repeated_cell": gettext_lazy(
        "One pair of row and coordinate is named %(seen)s times among %(records)s records; honest devices are expected"
        " to name each %(expected)s times."
    ),
    "repeated_record": gettext_lazy(
        "One record occurs %(seen)s times among %(records)s; records of honest devices do not agree so often, even if"
        " they are about the same element. Records that were sent again look like this."
    ),
    "repeats": gettext_lazy(
        "%(seen)s of %(records)s records equal another one; of honest devices, %(expected)s are expected."
        " Records that were sent again look like this."
    ),
    "stored_before": gettext_lazy(
        "Of samples from earlier uploads, %(seen)s records are among the %(records)s of this one; of honest devices,"
        " %(expected)s are expected. Most of them are stored for %(day)s. A part of an upload that is sent again looks"
        " like this."
    ),
    "part_stored": gettext_lazy(
        "All %(records)s records are stored already, for %(day)s. Records that were sent again look like this."
    ),
}
# One, several next to each other, several at equal distances.
_WHERE: Final[dict[str, tuple[Promise, Promise, Promise]]] = {
    "uneven_rows": (
        pgettext_lazy("of a finding", "hash row %(first)s"),
        pgettext_lazy("of a finding", "one of the hash rows %(first)s to %(last)s"),
        pgettext_lazy("of a finding", "one of the hash rows %(first)s, %(second)s, … %(last)s"),
    ),
    "uneven_coordinates": (
        pgettext_lazy("of a finding", "coordinate %(first)s"),
        pgettext_lazy("of a finding", "one of the coordinates %(first)s to %(last)s"),
        pgettext_lazy("of a finding", "one of the coordinates %(first)s, %(second)s, … %(last)s"),
    ),
    "uneven_positions": (
        pgettext_lazy("of a finding", "position %(first)s"),
        pgettext_lazy("of a finding", "one of the positions %(first)s to %(last)s"),
        pgettext_lazy("of a finding", "one of the positions %(first)s, %(second)s, … %(last)s"),
    ),
}


class Evidence(NamedTuple):
    """A finding in words."""

    where: str
    words: str
    chance: str
    of_repetition: bool = False


def evidence(finding: Finding, where: str) -> Evidence:
    """Put a finding into words. `where` names the version and locale, as the page has it; the stream is added."""
    facts = dict(finding.facts)
    values = {name: _number(value) for name, value in facts.items()}
    if "day" in facts:
        values["day"] = date_format(datetime.date.fromordinal(int(facts["day"])))
    if finding.test in _WHERE:
        values["where"] = _group(finding.test, facts)
    if (
        finding.test in {"repeats", "stored_before"} and facts["expected"] >= _TINY
    ):  # which is a bound; fewer than little needs no word
        values["expected"] = _("at most %(number)s") % {"number": values["expected"]}
    place = where if not finding.stream or finding.stream == "element" else f"{where}, {finding.stream}"
    chance = chance_in_words(finding.p_value)
    return Evidence(place, _sentence(finding) % values, chance, _of_repetition(finding))


def _sentence(finding: Finding) -> str:
    """Return the sentence of a test: of one that several mechanisms have, or of the mechanism's own."""
    known = _SENTENCES.get(finding.test)
    return str(known) if known is not None else gettext(words_of(finding.version.algorithm).FINDINGS[finding.test])


def findings_of(batch: Batch) -> list[list[Finding]]:
    """Group a batch's findings by version, locale and stream, the least likely first.

    Findings of repetition come before all others: repeated records fail the other tests too, with misleading numbers.
    """
    places: dict[tuple[int, str, str], list[Finding]] = {}
    for finding in batch.findings.select_related("version__use_case").order_by("p_value", "test", "pk"):
        places.setdefault((finding.version_id, finding.locale, finding.stream), []).append(finding)
    return [sorted(found, key=lambda each: not _of_repetition(each)) for found in places.values()]


def _of_repetition(finding: Finding) -> bool:
    """Tell whether a finding means repeated records. More different cells than chance gives are no repetition."""
    if finding.test == "cells_in_use":
        return bool(finding.facts["seen"] < finding.facts["expected"])
    return finding.test in {"repeats", "repeated_record"}


def decisions(batch: Batch) -> list[str]:
    """Say who released a batch from quarantine, who deleted its reports, and when.

    Withdrawn, deleted on demand, or deleted because their time was over: of batches that is kept as one.
    """
    said = []
    if batch.released_on is not None:
        by = _("Released by %(name)s on %(day)s.") if batch.released_by else _("Released on %(day)s.")
        said.append(by % {"name": batch.released_by, "day": date_format(batch.released_on)})
    if batch.withdrawn_on is not None:
        by = _("Its reports were deleted by %(name)s on %(day)s.")
        if batch.withdrawn_by is None:
            by = _("Its reports were deleted on %(day)s.")
        said.append(by % {"name": batch.withdrawn_by, "day": date_format(batch.withdrawn_on)})
    return said


def chance_in_words(chance: float) -> str:
    """Say a small chance as one in a power of ten, never as smaller than it is."""
    power = math.floor(-math.log10(chance))
    number = whole(10**power)
    return _("at most 1 in %(number)s") % {
        "number": number if power < _LONGEST else f"10{str(power).translate(_SUPERSCRIPT)}"
    }


def _group(test: str, facts: Facts) -> str:
    one, neighbours, apart = _WHERE[test]
    first, step, size = (int(facts[name]) for name in ("first", "step", "values"))
    words = one if size == 1 else neighbours if step == 1 else apart
    places = {"first": first, "second": first + step, "last": first + (size - 1) * step}
    if test == "uneven_positions":
        # Fragments begin at the first, third, fifth … character.
        places = {name: 2 * place + 1 for name, place in places.items()}
    return str(words) % places


def _number(value: float) -> str:
    """Format a number with its significant digits only, and a small positive one never as zero."""
    if value == int(value) or value >= 1000:
        return whole(value)
    if value < _TINY:
        return _("fewer than %(number)s") % {"number": rounded(_TINY, 3)}
    return rounded(value, 1 if value >= 10 else 3)
