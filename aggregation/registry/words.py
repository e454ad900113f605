"""Texts about a mechanism, for forms and pages: in English, marked for translation."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable


def marked(words: str) -> str:
    """Return a text as it is; imported as ``_``, it lets tools that collect texts for translators find it."""
    return words


class Say(Protocol):
    """Translates a text and fills in its facts: whole numbers with separators, floats as probabilities, texts as is."""

    def __call__(self, words: str, **facts: float | str) -> str: ...


@dataclass(frozen=True)
class ParameterWords:
    """Texts of a form about a parameter.

    `rule` is said where it is broken, or `refusal`, filled in with the error's facts; `more` is what a larger value
    does.
    """

    label: str
    help: str = ""
    rule: str = ""
    more: str = ""
    refusal: str = ""


@runtime_checkable
class WordsPart(Protocol):
    """Contract of a mechanism's module `words`."""

    # As in a sentence, and, behind the name, what the mechanism is for.
    NAME: str
    SUMMARY: str
    # By name; the seed may be among them.
    PARAMETERS: Mapping[str, ParameterWords]
    # Properties that batches are tested for before they count; `%(alarm)s` is the percentage of honest ones that fail.
    TESTS: str
    # Findings of the tests of `screening` that no other mechanism has, by name; filled in with a finding's facts.
    FINDINGS: Mapping[str, str]

    def examples(self, mechanism: Any) -> Sequence[str]:
        """Return elements that may be reported, where not every text may."""
        ...

    def fields(self, mechanism: Any, say: Say) -> list[tuple[str, str]]:
        """Return name and meaning of each field of a record line; of one field, the line as a whole."""
        ...

    def plan(self, parameters: Mapping[str, str], say: Say) -> list[str]:
        """Return the parameters of a plan, without the ε that was asked for, in lines."""
        ...
