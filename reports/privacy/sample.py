"""A report about an example, made now, and what is in it."""

import math
from decimal import Decimal
from typing import Any, Final

from django.utils.translation import gettext as _

from aggregation.mechanisms import CountMeanSketch, HadamardCountMeanSketch, Mechanism, SequenceFragmentPuzzle
from reports.formatting import percent, whole
from reports.models import Version

# Never from a dictionary: which elements are counted is for those to see who may.
_EXAMPLES: Final = {
    "emoji": ("😀",),
    "domain": ("example.org",),
    "word": ("hello", "hola", "bonjour", "hallo", "ciao", "привет", "γεια", "مرحبا", "שלום"),
    "raw": ("example",),
}
_LETTERS: Final = 4


def sample(version: Version) -> dict[str, Any]:
    """The record that a device would send about the example, with its fields named.

    It is made anew each time, from the operating system's randomness, and so differs each time.
    """
    text, locale, element = _example(version)
    mechanism = version.mechanism
    record = mechanism.privatize(element)
    fields = fields_of(mechanism)
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
    """A text that the version reports, in which locale, and as which element."""
    for locale in version.locales:
        letters = version.alphabet_of(locale) or ""
        for text in (*_EXAMPLES[version.normalization], letters[:_LETTERS], letters[:1]):
            element = version.element(text, locale) if text else None
            if element is not None:
                return text, locale, element
    raise ValueError(f"{version} reports none of the examples.")


def fields_of(mechanism: Mechanism) -> list[tuple[str, str]]:
    """The fields of a record, in their order, with what each says."""
    if isinstance(mechanism, SequenceFragmentPuzzle):
        places = whole(len(mechanism.positions))
        return [
            (_("place"), _("Which two letters follow: one of %(count)s places, drawn at random.") % {"count": places}),
            *_of_vector(mechanism.fragments, _("two letters of the word, with a check value of the whole word")),
            *_of_vector(mechanism.words, _("the word")),
        ]
    if isinstance(mechanism, CountMeanSketch):
        return _of_vector(mechanism, _("what was observed"))
    if isinstance(mechanism, HadamardCountMeanSketch):
        return [
            _row(mechanism.k),
            (
                _("coordinate"),
                _("Which of %(count)s questions about it is answered, drawn at random.")
                % {"count": whole(mechanism.m)},
            ),
            (
                _("sign"),
                _("The answer, yes or no (1 or -1): a single bit. With a probability of %(flip)s it is the wrong one.")
                % {"flip": _two_digits(_flip(mechanism.epsilon))},
            ),
        ]
    return [(_("record"), _("The whole record."))]


def _of_vector(sketch: CountMeanSketch, about: str) -> list[tuple[str, str]]:
    words = _(
        "%(count)s bits, written as hexadecimal digits, in which a single bit stands for %(about)s. Each of them was"
        " turned over with a probability of %(flip)s."
    )
    flip = _two_digits(_flip(sketch.epsilon / 2))
    return [_row(sketch.k), (_("bits"), words % {"count": whole(sketch.m), "about": about, "flip": flip})]


def _row(k: int) -> tuple[str, str]:
    words = _(
        "Which of %(count)s ways of writing it down was used, drawn at random. It says nothing about the content."
    )
    return _("row"), words % {"count": whole(k)}


def _flip(epsilon: Decimal) -> float:
    return 1 / (math.exp(float(epsilon)) + 1)


def _two_digits(chance: float) -> str:
    return percent(chance, max(0, 1 - math.floor(math.log10(100 * chance))))
