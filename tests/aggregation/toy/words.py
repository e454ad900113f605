from collections.abc import Mapping
from typing import Final

from aggregation.registry import ParameterWords, Say

from .mechanism import LetterBallot

NAME: Final = "Letter Ballot"
SUMMARY: Final = "Letter Ballot: a letter, or another one"
PARAMETERS: Final[Mapping[str, ParameterWords]] = {
    "letters": ParameterWords("Letters", "All there are.", "Two or more.")
}
TESTS: Final = "Batches are tested for letters that are too clear. Of honest batches, at most %(alarm)s %% fail."

FINDINGS: Final[Mapping[str, str]] = {
    "uneven_boxes": "%(seen)s of %(records)s letters are in one box; %(expected)s are expected.",
    "too_clear": "%(seen)s of %(records)s letters are the same.",
}


def examples(mechanism: LetterBallot) -> str:
    return mechanism.letters


def fields(mechanism: LetterBallot, say: Say) -> list[tuple[str, str]]:
    return [("box", "One of two, drawn at random."), ("letter", f"One of {len(mechanism.letters)}.")]


def plan(parameters: Mapping[str, str], say: Say) -> list[str]:
    return [f"letters {parameters['letters']}"]
