"""Which of many windows there is something to see of: for links, which must not lead to nothing."""

from collections.abc import Collection

from reports.models import Version
from reports.results.known import Window
from reports.windows import in_window


def published_windows(version: Version, wanted: Collection[Window]) -> set[Window]:
    """Those that are published, or all of whose days are: these add up to something that may be shown.

    Two queries, however many are wanted.
    """
    if not wanted:
        return set()
    locales = {locale for locale, _first, _last in wanted}
    earliest, latest = min(first for _locale, first, _last in wanted), max(last for _locale, _first, last in wanted)
    read_outs = version.read_outs.filter(in_window(earliest, latest), locale__in=locales).order_by()
    counted = set(read_outs.values_list("locale", "day").distinct())
    shown = version.histograms.filter(
        locale__in=locales, grouping="", replaced=False, first_day__gte=earliest, last_day__lte=latest
    )
    published = set(shown.order_by().values_list("locale", "first_day", "last_day"))

    def is_shown(window: Window) -> bool:
        place, first, last = window
        days = [day for locale, day in counted if locale == place and first <= day <= last]
        # A window is published under the first and last of its days that have reports.
        if not days or (place, min(days), max(days)) in published:
            return bool(days)
        return all((place, day, day) in published for day in days)

    return {window for window in wanted if is_shown(window)}
