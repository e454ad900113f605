from collections.abc import Mapping
from decimal import Decimal
from typing import Final

from aggregation.planning import Wanted

from .mechanism import LetterBallot

SECONDS: Final = (0.001, 1e-7)
BYTES: Final = (1e6, 4.0)


def second_terms(mechanism: LetterBallot, n: int, dictionary_size: int, letters: int) -> list[float]:
    return [1, n]


def memory_terms(mechanism: LetterBallot, n: int, dictionary_size: int, letters: int) -> list[float]:
    return [1, len(mechanism.letters)]


def split(epsilon: Decimal) -> dict[str, Decimal]:
    return {"epsilon": epsilon}


def suggest(losses: Mapping[str, Decimal], wanted: Wanted) -> dict[str, Decimal | int | str]:
    return {**losses, "letters": "".join(chr(ord("a") + place) for place in range(wanted.size))}
