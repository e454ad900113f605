"""How a chart over days is to be read: the same on its page, in pictures and where it is embedded."""

from collections.abc import Iterable, Sequence

from django.utils.translation import gettext as _

from reports.formatting import whole, written_day
from reports.models import Version
from reports.results.trend import Series
from reports.web.pages.locales import isolated, locale_name


def caption(version: Version, step: int, drawn: Sequence[Series]) -> str:
    """Explain the lines that are drawn, in steps of one day or of seven."""
    return " ".join(_of_words() if version.discovery is not None else _of_elements(version, step, drawn))


def _of_elements(version: Version, step: int, drawn: Sequence[Series]) -> Iterable[str]:
    words = _(
        "Estimated share of reports, not of people. Bands are 95 %% intervals of each window by itself, adjusted, as in"
        " its histogram, for showing only the largest: over many windows, a few bands miss the true share by chance."
        " Open triangles: below the threshold T of that window, at most so much (with 95 %% confidence), and no value."
        " Reports are released in periods of whole days that have at least %(minimum)s together; windows without one"
        " are gaps."
    )
    yield words % {"minimum": whole(version.use_case.minimum_reports)}
    if step == 7:
        yield _(
            "Weeks that lack days are grey, though they have values: they are about fewer days than the others. The"
            " week that goes on is shown when it is over."
        )
    of_locales = len({each.locale for each in drawn}) > 1
    for each in drawn:
        if not each.is_counted_throughout:
            yield _not_counted(each, of_locales=of_locales)


def _not_counted(series: Series, *, of_locales: bool) -> str:
    element = isolated(series.element.name or series.element.display)
    name = {"name": locale_name(series.locale) if of_locales else element}
    if series.since is None:
        return _("%(name)s: not counted.") % name
    return _("%(name)s: not counted before %(day)s.") % {**name, "day": written_day(series.since)}


def _of_words() -> Iterable[str]:
    words = _(
        "Estimated share of reports, not of people. Each point is a list of words that a run published, at its last"
        " day; lists of several days overlap. Bands are 95 %% intervals of each list by itself, adjusted as the list"
        " is. A word that is not in a list has no value there: it is below the threshold T, or its parts did not stand"
        " out."
    )
    yield words % {}
