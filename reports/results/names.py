"""Names of elements, for people who read or search: an emoji is hard to type."""

import unicodedata
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Final

import emoji
from django.utils.translation import get_language

from aggregation.normalization import PAD
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


def plain_name(version: Version, element: str, display: str) -> str:
    """Return what files call an element beside itself, in no reader's language; empty if it is called as it is written.

    The English name of an emoji, or the form in which its dictionary displays it: such as the title of a domain.
    """
    name = _name(version, display, "en")
    return name or (display if display.replace("\ufe0f", "") != element.replace("\ufe0f", "") else "")


def is_called(version: Version, display: str, wanted: str) -> bool:
    """Tell whether its name has all these words in it, in any language, whatever the accents.

    Who searches need not know which language we speak, nor have its keyboard.
    """
    words = folded(wanted).split()
    return any(name and all(word in name for word in words) for name in folded_names(version, display))


def folded_names(version: Version, display: str) -> Iterator[str]:
    """The element's name in each language, as one may type it; empty where it has none."""
    return (folded(_name(version, display, language)) for language in _NAMED)


def folded(text: str) -> str:
    """The text as one may type it: without case, accents and ligatures."""
    if text.isascii():
        return text.casefold()
    plain = unicodedata.normalize("NFKD", text.casefold().replace("œ", "oe").replace("æ", "ae"))
    return "".join(character for character in plain if not unicodedata.combining(character))


def _name(version: Version, display: str, language: str) -> str:
    if version.normalization != "emoji":
        return ""
    name: str = emoji.EMOJI_DATA.get(display, {}).get(_load(language), "")
    return name.strip(":").replace("_", " ")


# Emoji of which fonts draw two alike: a heart and the suit of cards, ticks, boxes and circles of several sizes.
_ALIKE: Final = ("❤♥", "✔✅☑", "✖❌", "⬛◼◾▪", "⬜◻◽▫", "⚫🔵", "⭐🌟", "❗‼", "➕✚")
_LOOKS: Final = {each: group for group in _ALIKE for each in group}


def told_apart(display: str, name: str, others: Iterable[str]) -> str:
    """Return a display form, with its name where another one of those beside it looks alike."""
    plain = display.replace("\ufe0f", "")
    looks = _LOOKS.get(plain, plain)
    twins = {other.replace("\ufe0f", "") for other in others} - {plain}
    return f"{display} {name}" if name and any(_LOOKS.get(twin, twin) == looks for twin in twins) else display


def unpadded(version: Version, element: str) -> str:
    """An element as people write it: a word without what it is filled up with for hashing."""
    return element.rstrip(PAD) if version.normalization == "word" else element


def colourful(display: str) -> str:
    """The display form, made to be drawn in colour: many fonts hold a black and white twin of single emoji."""
    if len(display) == 1 and emoji.is_emoji(display):
        return display + "\ufe0f"
    return display
