"""What a version freezes, and where it may be asked: checked before anything is written."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NotRequired, TypedDict

from django.utils.translation import gettext as _

from aggregation.errors import ParameterError, shown
from aggregation.mechanisms import mechanism_for
from aggregation.normalization import PROFILES
from reports.definitions.alphabets import Alphabet, alphabet_problems, discovers
from reports.definitions.errors import DefinitionError
from reports.definitions.locales import locale_sentences
from reports.models import Version

# Stands in for a seed that is left out while the other parameters are checked.
_ANY_SEED = "00" * 16


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
    alphabet, keep_case, locales = settings.get("alphabet"), settings.get("keep_case", False), settings["locales"]
    problems = locale_sentences(locales)
    if problems:  # said once
        locales = []
    if normalization not in PROFILES:
        problems.append(
            _("normalization must be one of %(known)s, not %(value)s")
            % {"known": ", ".join(PROFILES), "value": shown(normalization)}
        )
    problems += [
        f"{field}: {problem}"
        for field, problem in element_problems(algorithm, normalization, keep_case, alphabet, locales)
    ]
    try:
        parameters = wire_parameters(algorithm, parameters)
    except ParameterError as error:
        problems.append(parameter_problem(error))
    if problems:
        raise DefinitionError(problems)
    return Rules(algorithm, parameters, normalization, keep_case, alphabet)


def element_problems(
    algorithm: object, normalization: object, keep_case: bool, alphabet: object, locales: Sequence[str]
) -> Iterator[tuple[str, str]]:
    """What is wrong with the rules by which texts become elements, if anything: the field, and the problem."""
    if discovers(algorithm) and normalization in PROFILES and normalization != "word":
        words = _("it must be word, because %(algorithm)s puts words together")
        yield "normalization", words % {"algorithm": algorithm}
    for problem in alphabet_problems(
        alphabet, locales, algorithm=algorithm, normalization=normalization, keep_case=keep_case
    ):
        yield "alphabet", problem


def wire_parameters(algorithm: str, parameters: Mapping[str, object]) -> dict[str, object]:
    """The parameters as documents write them; without a seed if none is given. Raises `ParameterError`."""
    wire: dict[str, object] = {**mechanism_for(algorithm, {"seed": _ANY_SEED, **parameters}).wire_parameters()}
    if "seed" not in parameters:
        del wire["seed"]
    return wire


def parameter_problem(error: ParameterError) -> str:
    return str(error) if error.field == "algorithm" else _("parameters: %(problem)s") % {"problem": error}
