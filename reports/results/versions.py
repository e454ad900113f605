"""The version of a use case that a query is about.

A draft has no reports, and only those who define the use case know of it: to queries there are none.
"""

from collections.abc import Iterable, Sequence

from django.db.models import Case, Exists, JSONField, OuterRef, Prefetch, Q, QuerySet, Value, When
from django.utils.translation import gettext as _

from reports.kinds import COUNTING, algorithms_of, kind_of
from reports.models import DictionaryRevision, Histogram, Period, UseCase, Version
from reports.models.versions import VersionQuerySet
from reports.results.query import NotInVersion, QueryError


def with_versions(use_cases: QuerySet[UseCase]) -> QuerySet[UseCase]:
    """Use cases that have their versions with them: for pages, which ask for these again and again.

    So they do for the dictionary and the periods of a version, which are kept with it (`Version.looked_up`).
    """
    versions = _default_first(Version.objects.all()).annotate(kept_for_page=Value({}, JSONField()))
    return use_cases.prefetch_related(Prefetch("versions", versions, to_attr=_LOADED))


def known_versions(use_case: UseCase) -> list[Version]:
    """Return the versions that anybody may ask for, the newest first."""
    return sorted(_versions(use_case), key=lambda version: version.number, reverse=True)


def default_version(use_case: UseCase) -> Version | None:
    """The version of a query that names none: a new version takes over when it has something to show."""
    return next(iter(_versions(use_case)), None)


def versions_of_each(use_cases: Sequence[UseCase]) -> list[list[Version]]:
    """The versions of each use case that has some, the default one first: one query."""
    known = {use_case.pk: use_case for use_case in use_cases}
    found: dict[int, list[Version]] = {}
    for version in _default_first(Version.objects.filter(use_case__in=known)):
        version.use_case = known[version.use_case_id]
        found.setdefault(version.use_case_id, []).append(version)
    return list(found.values())


_LOADED = "loaded_versions"


def _versions(use_case: UseCase) -> Iterable[Version]:
    loaded: list[Version] | None = use_case.__dict__.get(_LOADED)
    return loaded if loaded is not None else _default_first(use_case.versions.all())


def _default_first(versions: VersionQuerySet) -> QuerySet[Version]:
    enough = OuterRef("use_case__minimum_reports")
    periods = Exists(Period.objects.shown(enough).filter(version=OuterRef("pk")))
    counted = Q(algorithm__in=algorithms_of(COUNTING))
    lists = Exists(Histogram.objects.filter(version=OuterRef("pk")))
    shown = versions.frozen()
    return shown.annotate(published=Case(When(counted, then=periods), default=lists)).order_by("-published", "-number")


def current_dictionaries(versions: Iterable[Version]) -> dict[int, DictionaryRevision]:
    """Return the newest dictionary of each version that has one with elements, by its key: one query at most."""
    known = {version.pk: version for version in versions}
    unknown = [version for version in known.values() if "dictionary" not in (version.looked_up or {})]
    newest = DictionaryRevision.objects.filter(version__in=unknown).order_by("version_id", "-number")
    loaded = {revision.version_id: revision for revision in newest.distinct("version_id")} if unknown else {}
    for version in unknown:
        if version.looked_up is not None:
            version.looked_up["dictionary"] = loaded.get(version.pk)
    kept = {key: version.looked_up["dictionary"] for key, version in known.items() if version.looked_up}
    found = {key: revision for key, revision in (loaded | kept).items() if revision is not None and revision.size}
    for key, revision in found.items():
        revision.version = known[key]
    return found


def asked_version(use_case: UseCase, number: int | None) -> Version | None:
    """The version of a query that names this one, or none. Raises `QueryError`."""
    return next(iter(asked_versions(use_case, number)), None)


def asked_versions(use_case: UseCase, number: int | None) -> list[Version]:
    """The version of a query that names this one, or none, and behind it the others, the newest first.

    Empty if there are no reports yet. Raises `QueryError`.
    """
    found = list(_versions(use_case))
    asked = found[:1] if number is None else [version for version in found if version.number == number]
    if number is not None and not asked:
        raise QueryError("version", _("The use case does not have this version."))
    return asked + sorted((each for each in found if each not in asked), key=lambda each: -each.number)


def counts_alike(version: Version, other: Version) -> bool:
    """Tell whether estimates of two versions may stand side by side, as those of the same elements.

    Where words are found in place of a dictionary, or texts are normalised in another way, the same text is another
    element.
    """
    first, second = ((kind_of(each), each.normalized_as, each.mechanism.element_length) for each in (version, other))
    return first == second


def address_locale(version: Version, locale: str) -> str:
    """The locale as exact addresses say it: not at all where the version is not divided by locale."""
    return "" if version.locales == ["und"] else locale


def check_locale(version: Version, locale: str, field: str = "locale") -> None:
    """Raise `NotInVersion` if only another version has the locale, and `QueryError` if none has."""
    if locale in version.locales:
        return
    if any(locale in other.locales for other in known_versions(version.use_case)):
        raise NotInVersion(field, _("This version does not have this locale."))
    raise QueryError(field, _("The use case does not have this locale."))
