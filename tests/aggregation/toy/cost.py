from typing import Final

from .mechanism import LetterBallot

SECONDS: Final = (0.001, 1e-7)
BYTES: Final = (1e6, 4.0)


def second_terms(mechanism: LetterBallot, n: int, dictionary_size: int, letters: int) -> list[float]:
    return [1, n]


def memory_terms(mechanism: LetterBallot, n: int, dictionary_size: int, letters: int) -> list[float]:
    return [1, len(mechanism.letters)]
