"""A use case: what there is of it, and its results."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING, Any, Literal

from ldpsite_client.results import AllLocales, Changes, Comparison, Histogram, Trend, WordList
from ldpsite_client.uploads import Receipt

if TYPE_CHECKING:
    from ldpsite_client.site import Site

Day = date | str | None


@dataclass(frozen=True)
class Version:
    """Rules that reports were made under; results belong to one version."""

    version: int
    state: str
    is_default: bool
    kind: Literal["counting", "discovery"]
    algorithm: str
    parameters: dict[str, Any]
    locales: list[str]


@dataclass(frozen=True)
class Locale:
    """Locale of a version, and of which days something is shown, if anything is."""

    locale: str
    first_day: date | None
    last_day: date | None


@dataclass(frozen=True)
class Window:
    """Smallest window that is shown. Any days that hold some of them can be asked for."""

    first_day: date
    last_day: date


@dataclass(frozen=True)
class UseCase:
    """Use case of a site. What is left out in a question takes the default that its page has.

    Each result raises `NothingShown` where nothing is shown yet, and `SiteError` for a question that makes no sense.
    Who asks is noted on the site, as for its pages.
    """

    site: "Site"
    slug: str
    # Known if it comes from a list.
    title: str = ""
    description: str = ""
    state: str = ""

    def versions(self) -> list[Version]:
        """Return the versions, the newest first."""
        # A newer site may say more of each.
        known = Version.__annotations__
        found = self.site.entries(f"use-cases/{self.slug}/versions/")
        return [Version(**{name: each[name] for name in known}) for each in found]

    def locales(self, *, version: int | None = None) -> list[Locale]:
        """Return the locales of a version, in its order."""
        found = self.site.entries(f"use-cases/{self.slug}/locales/", version=version)
        return [Locale(each["locale"], _day(each["first_day"]), _day(each["last_day"])) for each in found]

    def windows(self, *, locale: str | None = None, version: int | None = None) -> list[Window]:
        """Return the smallest windows of a locale, in the order of their days."""
        found = self.site.entries(f"use-cases/{self.slug}/windows/", locale=locale, version=version)
        return [Window(date.fromisoformat(each["first_day"]), date.fromisoformat(each["last_day"])) for each in found]

    def histogram(
        self,
        *,
        locale: str | None = None,
        days: int | None = None,
        first: Day = None,
        last: Day = None,
        version: int | None = None,
        group: str | None = None,
        category: str | None = None,
        top: int | None = None,
        search: str | None = None,
        sort: str | None = None,
        values: str | None = None,
    ) -> Histogram:
        """Return the histogram of a window: `days` up to `last` or the newest, or from `first` to `last`."""
        return Histogram(
            self._read(
                "histogram",
                locale=locale,
                days=days,
                first=first,
                last=last,
                version=version,
                group=group,
                category=category,
                top=top,
                search=search,
                sort=sort,
                values=values,
            )
        )

    def words(
        self,
        which: str | None = None,
        *,
        locale: str | None = None,
        first: Day = None,
        last: Day = None,
        version: int | None = None,
        top: int | None = None,
        search: str | None = None,
        sort: str | None = None,
    ) -> WordList:
        """Return discovered words: all but the rejected ones, or "all", "new", "undecided", "accepted", …"""
        found = self._read(
            "histogram",
            words=which,
            locale=locale,
            first=first,
            last=last,
            version=version,
            top=top,
            search=search,
            sort=sort,
        )
        if "words" not in found:
            raise ValueError(f"{self.slug} counts a dictionary and looks for no words: ask for its histogram.")
        return WordList(found)

    def compare(
        self,
        *,
        locale: str | None = None,
        other_locale: str | None = None,
        days: int | None = None,
        first: Day = None,
        last: Day = None,
        other_days: int | None = None,
        other_first: Day = None,
        other_last: Day = None,
        version: int | None = None,
        top: int | None = None,
        search: str | None = None,
        sort: str | None = None,
    ) -> Comparison:
        """Return two locales, or two windows of one, side by side."""
        return Comparison(
            self._read(
                "comparison",
                locale=locale,
                other_locale=other_locale,
                days=days,
                first=first,
                last=last,
                other_days=other_days,
                other_first=other_first,
                other_last=other_last,
                version=version,
                top=top,
                search=search,
                sort=sort,
            )
        )

    def changes(
        self,
        *,
        locale: str | None = None,
        days: int | None = None,
        first: Day = None,
        last: Day = None,
        version: int | None = None,
        top: int | None = None,
    ) -> Changes:
        """Return what changed in the newest `days`, or from `first` to `last`, against as many before: of all locales.

        Without any, the last 7 days; of discovered words, the newest list against one before.
        """
        return Changes(
            self._read("changes", locale=locale, days=days, first=first, last=last, version=version, top=top)
        )

    def all_locales(
        self,
        *,
        days: int | None = None,
        first: Day = None,
        last: Day = None,
        version: int | None = None,
        top: int | None = None,
        locale: str | None = None,
        search: str | None = None,
        sort: str | None = None,
    ) -> AllLocales:
        """Return the top of each locale in all of them: in the newest `days`, 7 if left out, or `first` to `last`."""
        return AllLocales(
            self._read(
                "all-locales",
                days=days,
                first=first,
                last=last,
                version=version,
                top=top,
                locale=locale,
                search=search,
                sort=sort,
            )
        )

    def trend(
        self,
        *elements: str,
        locale: str | None = None,
        days: int | None = None,
        first: Day = None,
        last: Day = None,
        step: Literal[1, 7] | None = None,
        version: int | None = None,
    ) -> Trend:
        """Return elements of a locale over days; if none is named, those that its page suggests."""
        return Trend(
            self._read(
                "trend",
                element=list(elements) or None,
                locale=locale,
                days=days,
                first=first,
                last=last,
                step=step,
                version=version,
            )
        )

    def upload(
        self,
        records: Iterable[str],
        *,
        locale: str = "und",
        day: Day = None,
        strict: bool = False,
        key: str | None = None,
    ) -> Receipt:
        """Upload private reports, as devices make them for the running version; see `Site.upload` for the rest."""
        asked = self.site.read("device-configuration/")["use_cases"]
        running = next((each for each in asked if each["slug"] == self.slug), None)
        if running is None:
            raise ValueError(f"Devices are not asked about {self.slug}.")
        common = {
            "use_case": self.slug,
            "locale": locale,
            **{name: running[name] for name in ("algorithm", "parameters")},
        }
        document = {"version": 1, "segments": [common | {"records": list(records)}]}
        return self.site.upload([document], day=day, strict=strict, key=key)

    def _read(self, what: str, **parameters: Any) -> dict[str, Any]:
        return self.site.read(f"use-cases/{self.slug}/{what}/", **parameters)


def _day(text: str | None) -> date | None:
    return None if text is None else date.fromisoformat(text)
