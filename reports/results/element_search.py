"""Search for elements by name in all that use cases count or have found, and where each of them stands."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final, TypeAlias

from reports.kinds import ByKind
from reports.models import DictionaryRevision, HistogramEntries, UseCase, Version
from reports.results.caching import cached_each
from reports.results.dictionary_texts import DictionaryTexts, Grade, dictionary_texts
from reports.results.element import LocaleResult
from reports.results.names import folded, unpadded
from reports.results.trend import (
    TRENDS,
    Element,
    Published,
    Slot,
    elements_of,
    find_elements,
    newest_of_each,
    series_of,
    shown_in,
)
from reports.results.versions import asked_versions, current_dictionaries

# Elements of one dictionary that are looked up to choose the best of, and how much is returned of all.
_MOST_LOOKED_UP = 24
MOST_STANDINGS = 12

# Element, display form and category.
Texts: TypeAlias = tuple[str, str, str]


@dataclass(frozen=True)
class Standing:
    """An element in the newest window of each locale of a use case, the largest share first."""

    version: Version
    element: Element
    grade: Grade
    position: int
    newest: tuple[LocaleResult, ...]

    @property
    def share(self) -> float:
        return self.newest[0].share or 0.0 if self.newest else 0.0

    @property
    def order(self) -> tuple[int, float, int]:
        return self.grade, -self.share, self.position


@dataclass(frozen=True)
class _Names:
    """Names of what versions have, the same in all of them. What they are names of is looked up by position."""

    versions: list[Version]
    texts: DictionaryTexts
    look_up: Callable[[Collection[int]], Mapping[int, Texts]]


_Matches: TypeAlias = Sequence[tuple[Grade, int]]


def search_elements(use_cases: Iterable[UseCase], wanted: str, *, nearly: bool = False) -> list[Standing]:
    """Find elements that are called so, or `nearly` so, in what use cases count or have found.

    Those that match best come first, of these the largest shares; the standings of one element follow each other. Only
    windows that are published are asked, and of words only those that are not rejected; older lists only if `nearly`.
    """
    wanted = wanted.replace("\ufe0f", "").strip()
    search = folded(wanted)
    versions = [versions for use_case in use_cases if (versions := asked_versions(use_case, None))]
    found: list[tuple[_Names, _Matches]] = []
    for read, defaults in _READERS.groups(default for default, *_others in versions):
        for names in read(defaults, wanted if nearly else ""):
            find = names.texts.nearest if nearly else names.texts.best
            found.append((names, find(search, _MOST_LOOKED_UP)))
    matching = {version.pk for names, matches in found if matches for version in names.versions}
    newest = _newest([each for each in versions if each[0].pk in matching])
    standings = [each for names, matches in found if matches for each in _standings(names, matches, newest)]
    best: dict[str, tuple[int, float, int]] = {}
    for each in standings:
        best[each.element.text] = min(each.order, best.get(each.element.text, each.order))
    standings.sort(key=lambda each: (best[each.element.text], each.element.text, -each.share))
    return standings[:MOST_STANDINGS]


def _newest(versions: Sequence[Sequence[Version]]) -> dict[int, dict[str, Slot]]:
    """Return the newest window of each locale of versions, by their keys, as pages of elements show it."""
    known = {version.pk: version for each in versions for version in each}
    of_use_case = {each[0].use_case_id: each for each in versions}

    def find(missing: list[UseCase]) -> dict[int, dict[str, tuple[int, Published | None]]]:
        asked = [of_use_case[use_case.pk] for use_case in missing]
        slots = newest_of_each(asked)
        # Without the versions: the reader has them, and they are large.
        plain = {
            key: {locale: (slot.version.pk, slot.histogram) for locale, slot in own.items()}
            for key, own in slots.items()
        }
        return {each[0].use_case_id: plain[each[0].pk] for each in asked}

    kept = cached_each([each[0].use_case for each in versions], "newest", "", find)
    return {
        each[0].pk: {locale: shown_in(known[key], window) for locale, (key, window) in kept[use_case].items()}
        for use_case, each in of_use_case.items()
    }


def _standings(names: _Names, matches: _Matches, newest: Mapping[int, Mapping[str, Slot]]) -> Iterator[Standing]:
    rows = names.look_up([position for _grade, position in matches])
    # One version stands for all: their axes differ in the versions alone.
    first, *_rest = names.versions
    elements = elements_of(first, [rows[position] for _grade, position in matches])
    rejected = TRENDS.of(first).rejected(first, [element.text for element in elements])
    axes = {
        f"{version.pk} {locale}": [slot] for version in names.versions for locale, slot in newest[version.pk].items()
    }
    found: dict[tuple[int, Element], list[LocaleResult]] = {}
    for series in series_of(elements, axes):
        key, locale = series.locale.split(" ")
        places = found.setdefault((int(key), series.element), [])
        if series.element.text not in rejected.get(locale, ()):
            places.append(LocaleResult(locale, series.slots[0], series.points[0]))
    for version in names.versions:
        for (grade, position), element in zip(matches, elements, strict=True):
            own = sorted(found[version.pk, element], key=lambda result: result.order)
            yield Standing(version, element, grade, position, tuple(own))


def _of_dictionaries(versions: Sequence[Version], _older: str) -> Iterator[_Names]:
    found: dict[int, _Names] = {}
    dictionaries = current_dictionaries(versions)
    for version in versions:
        if (revision := dictionaries.get(version.pk)) is not None:
            texts = dictionary_texts(revision)
            names = found.setdefault(id(texts), _Names([], texts, partial(_entries, revision)))
            names.versions.append(version)
    yield from found.values()


def _entries(revision: DictionaryRevision, positions: Collection[int]) -> dict[int, Texts]:
    entries = revision.entries.filter(position__in=positions).order_by()
    return {row[0]: row[1:] for row in entries.values_list("position", "element", "display", "category")}


def _of_words(versions: Sequence[Version], older: str) -> Iterator[_Names]:
    of_use_case = {version.use_case_id: version for version in versions}

    def find(missing: list[UseCase]) -> dict[int, list[Texts]]:
        return _newest_words([of_use_case[use_case.pk] for use_case in missing])

    kept = cached_each([version.use_case for version in versions], "words", "", find)
    for version in versions:
        rows = kept[version.use_case_id]
        if older:
            found = find_elements(version, [older]).values()
            rows = list(dict.fromkeys((*rows, *((each.element, each.display, each.category) for each in found))))
        lines = [folded(unpadded(version, element)) for element, *_rest in rows]
        yield _Names([version], DictionaryTexts.of_lines(lines), partial(_rows_at, rows))


def _rows_at(rows: Sequence[Texts], positions: Collection[int]) -> dict[int, Texts]:
    return {position: rows[position] for position in positions}


def _newest_words(versions: Sequence[Version]) -> dict[int, list[Texts]]:
    """Return the words of the newest list of each locale, but for those that are rejected there, by use case."""
    if not versions:
        return {}
    trend = TRENDS.discovery
    lists = trend.newest([(version, locale) for version in versions for locale in version.locales])
    entries = HistogramEntries.objects.filter(pk__in=[window.pk for window in lists.values()])
    by_list: dict[int, list[Texts]] = {each.pk: each.texts for each in entries}
    found: dict[int, list[Texts]] = {}
    for version in versions:
        own = {locale: by_list.get(lists[key, locale].pk, []) for key, locale in lists if key == version.pk}
        rejected = trend.rejected(version, [unpadded(version, row[0]) for rows in own.values() for row in rows])
        found[version.use_case_id] = list(
            dict.fromkeys(
                row
                for locale, rows in own.items()
                for row in rows
                if unpadded(version, row[0]) not in rejected.get(locale, ())
            )
        )
    return found


_READERS: Final = ByKind[Callable[[Sequence[Version], str], Iterator[_Names]]](
    counting=_of_dictionaries, discovery=_of_words
)
