"""Locales in words: `en_US` is English (United States)."""

from collections.abc import Iterable
from functools import lru_cache

from django.utils.translation import get_language, get_language_info, gettext_lazy
from django.utils.translation import gettext as _

from reports import formatting

UNDIVIDED = "und"

# Territories that keyboards commonly name. Any other is shown by its code.
_TERRITORIES = {
    "AE": gettext_lazy("United Arab Emirates"),
    "AR": gettext_lazy("Argentina"),
    "AT": gettext_lazy("Austria"),
    "AU": gettext_lazy("Australia"),
    "BE": gettext_lazy("Belgium"),
    "BR": gettext_lazy("Brazil"),
    "CA": gettext_lazy("Canada"),
    "CH": gettext_lazy("Switzerland"),
    "CL": gettext_lazy("Chile"),
    "CN": gettext_lazy("China mainland"),
    "CO": gettext_lazy("Colombia"),
    "DE": gettext_lazy("Germany"),
    "DK": gettext_lazy("Denmark"),
    "EG": gettext_lazy("Egypt"),
    "ES": gettext_lazy("Spain"),
    "FI": gettext_lazy("Finland"),
    "FR": gettext_lazy("France"),
    "GB": gettext_lazy("United Kingdom"),
    "GR": gettext_lazy("Greece"),
    "HK": gettext_lazy("Hong Kong"),
    "ID": gettext_lazy("Indonesia"),
    "IE": gettext_lazy("Ireland"),
    "IL": gettext_lazy("Israel"),
    "IN": gettext_lazy("India"),
    "IT": gettext_lazy("Italy"),
    "JP": gettext_lazy("Japan"),
    "KR": gettext_lazy("South Korea"),
    "MX": gettext_lazy("Mexico"),
    "NL": gettext_lazy("Netherlands"),
    "NO": gettext_lazy("Norway"),
    "NZ": gettext_lazy("New Zealand"),
    "PL": gettext_lazy("Poland"),
    "PT": gettext_lazy("Portugal"),
    "RU": gettext_lazy("Russia"),
    "SA": gettext_lazy("Saudi Arabia"),
    "SE": gettext_lazy("Sweden"),
    "TH": gettext_lazy("Thailand"),
    "TR": gettext_lazy("Türkiye"),
    "TW": gettext_lazy("Taiwan"),
    "UA": gettext_lazy("Ukraine"),
    "US": gettext_lazy("United States"),
    "VN": gettext_lazy("Vietnam"),
    "ZA": gettext_lazy("South Africa"),
    "419": gettext_lazy("Latin America"),
}


def locale_name(locale: str) -> str:
    return _locale_name(locale, get_language())


# Some pages name the locales of all use cases.
@lru_cache(maxsize=4096)
def _locale_name(locale: str, _reader: str | None) -> str:
    if locale == UNDIVIDED:
        return _("All locales")
    language, *subtags = locale.split("_")
    script = next((tag for tag in subtags if len(tag) == 4), None)
    territory = next((tag for tag in subtags if len(tag) != 4), None)
    name = _language_name(language, script)
    if territory is None:
        return name
    return _("%(language)s (%(territory)s)") % {
        "language": name,
        "territory": _TERRITORIES.get(territory, territory),
    }


def short_locale_name(locale: str, among: Iterable[str]) -> str:
    """Its language alone, where no other of these locales has the same."""
    language = locale.partition("_")[0]
    same = {other for other in among if other.partition("_")[0] == language} - {locale}
    return locale_name(locale if same else language)


def called(display: str, name: str) -> str:
    """An element in a sentence: as it is written, with its name if it has one."""
    return _("%(element)s (%(name)s)") % {"element": isolated(display), "name": name} if name else isolated(display)


def locale_label(locale: str) -> str:
    """Its name with its code, by which those know it who configure devices."""
    return locale_name(locale) if locale == UNDIVIDED else f"{locale_name(locale)} · {locale}"


def _language_name(language: str, script: str | None) -> str:
    for code in (f"{language}-{script}".lower() if script else language, language):
        try:
            return str(get_language_info(code)["name_translated"])
        except KeyError:
            continue
    return language


def language_tag(locale: str) -> str:
    """The locale as the `lang` attribute wants it."""
    return locale.replace("_", "-")


def direction(locale: str) -> str:
    """Direction in which words of the locale run, as the `dir` attribute wants it."""
    try:
        return "rtl" if get_language_info(locale.partition("_")[0])["bidi"] else "ltr"
    except KeyError:
        return "auto"


def writing(locale: str, *, neutral: bool = False) -> tuple[str, str]:
    """The `lang` and `dir` of words of a locale; of those that are of no language, or of several, if `neutral`."""
    if neutral or locale == UNDIVIDED:
        return UNDIVIDED, "auto"
    return language_tag(locale), direction(locale)


# Where words of locales stand on pages.
isolated = formatting.isolated
