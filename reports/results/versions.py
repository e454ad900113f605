"""The version of a use case that a query is about.

Nobody has reported under a draft, and only who defines the use case knows of it: to queries there are none.
"""

from typing import NoReturn

from django.db.models import Exists, OuterRef, QuerySet
from django.utils.translation import gettext as _

from reports.models import Histogram, UseCase, Version
from reports.results.query import NotInVersion, QueryError


def known_versions(use_case: UseCase) -> QuerySet[Version]:
    """Those that anybody may ask for."""
    return use_case.versions.exclude(state=Version.State.DRAFT)


def default_version(use_case: UseCase) -> Version | None:
    """The version of a query that names none: a new version takes over when it has something to show."""
    published = Exists(Histogram.objects.filter(version=OuterRef("pk"), replaced=False))
    return known_versions(use_case).annotate(published=published).order_by("-published", "-number").first()


def asked_version(use_case: UseCase, number: int | None) -> Version | None:
    """The version of a query that names this one, or none. Raises `QueryError`."""
    if number is None:
        return default_version(use_case)
    version = known_versions(use_case).filter(number=number).first()
    if version is None:
        raise QueryError("version", _("The use case does not have this version."))
    return version


def address_locale(version: Version, locale: str) -> str:
    """The locale as exact addresses say it: not at all where the version is not divided by locale."""
    return "" if version.locales == ["und"] else locale


def refuse_locale(use_case: UseCase, locale: str, field: str = "locale") -> NoReturn:
    """Raise `NotInVersion` if only another version has the locale, and `QueryError` if none has."""
    if any(locale in version.locales for version in known_versions(use_case)):
        raise NotInVersion(field, _("This version does not have this locale."))
    raise QueryError(field, _("The use case does not have this locale."))
