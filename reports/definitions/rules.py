"""What a version freezes, and where it may be asked: checked before anything is written."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NotRequired, TypeAlias, TypedDict

from django.utils.translation import gettext as _

from aggregation.errors import ParameterError, shown
from aggregation.mechanisms import mechanism_for
from aggregation.normalization import PROFILES
from reports.definitions.errors import DefinitionError
from reports.models import Version

# The form of the Common Locale Data Repository: language, then script and territory if they matter.
LOCALE = re.compile(r"[a-z]{2,3}(_[A-Z][a-z]{3})?(_([A-Z]{2}|[0-9]{3}))?")
# Stands in for a seed that is left out while the other parameters are checked.
_ANY_SEED = "00" * 16

Alphabet: TypeAlias = str | dict[str, str] | None


@dataclass(frozen=True)
class Rules:
    """How devices privatise. In `parameters` the seed may be missing: it is kept, or drawn."""

    algorithm: str
    parameters: Mapping[str, object]
    normalization: str
    keep_case: bool = False
    alphabet: Alphabet = None

    @classmethod
    def of(cls, version: Version) -> "Rules":
        return cls(version.algorithm, version.parameters, version.normalization, version.keep_case, version.alphabet)

    def with_seed(self, seed: object) -> "Rules":
        """The same rules, with this seed unless they name one."""
        return replace(self, parameters={**self.parameters, "seed": self.parameters.get("seed", seed)})

    def without_seed(self) -> "Rules":
        return replace(self, parameters={name: value for name, value in self.parameters.items() if name != "seed"})


class DraftSettings(TypedDict):
    """All of a draft that people set."""

    algorithm: str
    parameters: Mapping[str, object]
    normalization: str
    keep_case: NotRequired[bool]
    alphabet: NotRequired[Alphabet]
    locales: Sequence[str]


def check_rules(settings: DraftSettings) -> Rules:
    """The rules with their parameters as documents write them. Raises `DefinitionError` with every problem found."""
    algorithm, parameters, normalization = (settings["algorithm"], settings["parameters"], settings["normalization"])
    alphabet = settings.get("alphabet")
    problems = locale_sentences(settings["locales"])
    if normalization not in PROFILES:
        problems.append(
            _("normalization must be one of %(known)s, not %(value)s")
            % {"known": ", ".join(PROFILES), "value": shown(normalization)}
        )
    if not is_alphabet(alphabet):
        problems.append(_("alphabet must be a text, or an object with a text for each locale; no text has a NUL"))
    try:
        parameters = wire_parameters(algorithm, parameters)
    except ParameterError as error:
        problems.append(parameter_problem(error))
    if problems:
        raise DefinitionError(problems)
    return Rules(algorithm, parameters, normalization, settings.get("keep_case", False), alphabet)


def wire_parameters(algorithm: str, parameters: Mapping[str, object]) -> dict[str, object]:
    """The parameters as documents write them; without a seed if none is given. Raises `ParameterError`."""
    wire: dict[str, object] = {**mechanism_for(algorithm, {"seed": _ANY_SEED, **parameters}).wire_parameters()}
    if "seed" not in parameters:
        del wire["seed"]
    return wire


def parameter_problem(error: ParameterError) -> str:
    return str(error) if error.field == "algorithm" else _("parameters: %(problem)s") % {"problem": error}


def is_alphabet(value: object) -> bool:
    """None, a text, or a text for each locale; all of them such as the database can keep."""
    if isinstance(value, dict):
        return all(isinstance(text, str) and is_storable(locale + text) for locale, text in value.items())
    return value is None or (isinstance(value, str) and is_storable(value))


def locale_problems(value: object) -> Iterator[str]:
    """What is wrong with the locales of a version, if anything; without the name of the field."""
    if not isinstance(value, list | tuple) or not value:
        yield _('there must be a list of at least one locale, such as ["en_US"] or ["und"]')
        return
    for position, locale in enumerate(value):
        if not isinstance(locale, str) or not LOCALE.fullmatch(locale):
            yield (
                _("%(locale)s has not the form of a locale; write it as en_US, ar or und") % {"locale": shown(locale)}
            )
        elif locale in value[:position]:
            yield _("%(locale)s stands there twice; keep one of them") % {"locale": shown(locale)}


def locale_sentences(value: object) -> list[str]:
    """The same with the name of the field, for where no label says it."""
    return [_("locales: %(problem)s") % {"problem": problem} for problem in locale_problems(value)]


def is_storable(text: str) -> bool:
    """No NUL and no half of a surrogate pair: the database takes neither, and no device could send the latter."""
    if text.isascii():
        return "\0" not in text
    return "\0" not in text and not any("\ud800" <= character <= "\udfff" for character in text)
