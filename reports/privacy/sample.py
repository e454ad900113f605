"""An example report, made on request, with its fields explained."""

from typing import Any, Final

from reports.mechanisms import say, words_of
from reports.models import Version

# Never from a dictionary: which elements are counted is not public.
_EXAMPLES: Final = {
    "emoji": ("😀",),
    "domain": ("example.org",),
    "word": ("hello", "hola", "bonjour", "hallo", "ciao", "привет", "γεια", "مرحبا", "שלום"),
    "raw": ("example",),
}
_LETTERS: Final = 4


def sample(version: Version) -> dict[str, Any]:
    """Make the record that a device would send about an example, with its fields named.

    It is drawn anew each time from the operating system's randomness.
    """
    text, locale, element = _example(version)
    mechanism = version.device_mechanism
    record = mechanism.privatize(element)
    fields = words_of(version.algorithm).fields(mechanism, say)
    values = record.split(",") if len(fields) > 1 else [record]
    return {
        "example": text,
        "locale": locale,
        "record": record,
        "longest": mechanism.report_characters,
        "fields": [
            {"name": name, "value": value, "meaning": meaning}
            for (name, meaning), value in zip(fields, values, strict=True)
        ],
    }


def _example(version: Version) -> tuple[str, str, str]:
    """Find a text that the version reports, with its locale and element."""
    own = words_of(version.algorithm).examples(version.device_mechanism)
    for locale in version.locales:
        letters = version.alphabet_of(locale) or ""
        for text in own or (*_EXAMPLES[version.normalization], letters[:_LETTERS], letters[:1]):
            element = version.element(text, locale) if text else None
            if element is not None:
                return text, locale, element
    raise ValueError(f"{version} reports none of the examples.")
