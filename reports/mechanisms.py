"""Mechanisms in words, in the reader's language: what their packages say in English."""

import math

from django.utils.text import capfirst
from django.utils.translation import gettext

from aggregation.errors import ParameterError, shown
from aggregation.mechanisms import MECHANISMS
from aggregation.registry import WordsPart, part_of
from reports.formatting import percent, whole

# From here on a number is no parameter, but a slip of typing.
_LARGE = 10**15


def words_of(algorithm: str) -> WordsPart:
    return part_of(MECHANISMS[algorithm], "words")


def name_of(algorithm: str) -> str:
    """Return the name of a mechanism as it stands within a sentence."""
    return gettext(words_of(algorithm).NAME)


def title_of(algorithm: str) -> str:
    """Return the name of a mechanism as it stands alone, or where a sentence begins."""
    return capfirst(name_of(algorithm))


def refusal(algorithm: str, error: ParameterError) -> str:
    """Say what is wrong with a parameter, in the mechanism's words for people if it has any."""
    words = words_of(algorithm).PARAMETERS.get(error.field)
    if words is None or not words.rule:
        return str(error)
    return say(words.refusal, **error.facts) if words.refusal and error.facts else gettext(words.rule)


def say(words: str, **facts: float | str) -> str:
    """Translate words of a mechanism's package, and write whole numbers and probabilities as readers do."""
    return gettext(words) % {name: _written(fact) for name, fact in facts.items()} if facts else gettext(words)


def _written(fact: float | str) -> str:
    if isinstance(fact, str):
        return fact
    if isinstance(fact, int):
        return whole(fact) if abs(fact) < _LARGE else shown(fact)
    return _two_digits(fact)


def _two_digits(chance: float) -> str:
    return percent(chance, max(0, 1 - math.floor(math.log10(100 * chance))))
