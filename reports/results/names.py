"""Names of elements, for people who read or search: an emoji is hard to type."""

from functools import lru_cache

import emoji
from django.utils.translation import get_language

from reports.models import Version

_NAMED = ("en", "fr", "es", "ar")


@lru_cache(maxsize=8)
def _load(language: str) -> str:
    # The package reads English at import and the other languages on demand.
    if language != "en":
        emoji.config.load_language(language)
    return language


def element_name(version: Version, display: str) -> str:
    """The element's name in the reader's language, or in English; empty if it has none."""
    language = (get_language() or "en").split("-")[0]
    return _name(version, display, language if language in _NAMED else "en") or _name(version, display, "en")


def is_called(version: Version, display: str, wanted: str) -> bool:
    """Whether a part of its name reads like this, in any language: who searches need not know which one we speak."""
    return any(wanted.casefold() in _name(version, display, language).casefold() for language in _NAMED)


def _name(version: Version, display: str, language: str) -> str:
    if version.normalization != "emoji":
        return ""
    name: str = emoji.EMOJI_DATA.get(display, {}).get(_load(language), "")
    return name.strip(":").replace("_", " ")


def colourful(display: str) -> str:
    """The display form, made to be drawn in colour: many fonts hold a black and white twin of single emoji."""
    if len(display) == 1 and emoji.is_emoji(display):
        return display + "\ufe0f"
    return display
