"""A record that was made once, and what it says: for people whose browser makes none."""

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from aggregation.normalization import normalize
from aggregation.parameters import parse_epsilon
from aggregation.randomness import flip_threshold
from aggregation.sketches import QuadraticM31
from reports.formatting import percent, rounded, whole
from reports.web.pages.what_leaves.what_leaves_texts import SUGGESTIONS, texts

ALGORITHM = "CountMeanSketch"
PARAMETERS: dict[str, Any] = {
    "epsilon": 4,
    "k": 65536,
    "m": 1024,
    "hash": "quadratic-m31-v1",
    "seed": "000102030405060708090a0b0c0d0e0f",
}
# Made with the operating system's randomness, about the first of the suggestions.
RECORD = (
    "14230,"
    "0200810050000800040044000020000000204220080420420000000110100000"
    "0000001024444400000000081023808020804080000001044580000004020200"
    "0804150330281000090006002000004044043042288030060000000040008040"
    "0901000000310000002210101040820000000030020000040000040820000004"
)
# Bits in a row of the picture.
_WIDTH = 32
_SUPERSCRIPTS = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


@dataclass(frozen=True)
class Candidate:
    """An input that could have produced the record, in words."""

    text: str
    bit: int
    chance: str
    compared: str
    belief: str


@dataclass(frozen=True)
class Example:
    """The record and what it says, in words; `path` and `ring` draw its bits, one unit of length each."""

    record: str
    sentences: list[str]
    path: str
    ring: tuple[int, int]
    picture: str
    candidates: list[Candidate]
    conclusions: list[str]


def recorded_example() -> Example:
    """The record, read with the same definitions that it is counted by."""
    say = texts()
    k, m, family = PARAMETERS["k"], PARAMETERS["m"], QuadraticM31(bytes.fromhex(PARAMETERS["seed"]))
    row, digits = RECORD.split(",")
    bits = np.unpackbits(np.frombuffer(bytes.fromhex(digits), np.uint8)).tolist()
    shown = SUGGESTIONS["emoji"]
    places = [family.bucket(normalize("emoji", text) or "", int(row), m) for text in shown]
    flip = Fraction(flip_threshold(parse_epsilon("epsilon", PARAMETERS["epsilon"]) / 2), 2**64)
    element = say["element"] % {"text": shown[0]}
    facts = {
        "row": row,
        "rows": whole(k),
        "bits": whole(m),
        "bit": places[0],
        "value": bits[places[0]],
        "element": element,
        "flip": percent(float(flip), 1),
        "ones": whole(sum(bits)),
        "expected": whole(float(m * flip)),
    }
    sentences = ("row", "hot", "noise", "kept" if bits[places[0]] else "turned")
    values = [bits[place] for place in places]
    weights = [(1 - flip) ** 2 if value else flip**2 for value in values]
    beliefs = [float(weight / sum(weights)) for weight in weights]
    candidates = [
        Candidate(
            text, value, _chance(value, flip, sum(bits)), _compared(element, weights[0] / weight), percent(belief, 1)
        )
        for text, value, weight, belief in zip(shown, values, weights, beliefs, strict=True)
    ]
    conclusions = [
        say["bound"] % {"bound": rounded(math.exp(PARAMETERS["epsilon"]), 1), "epsilon": PARAMETERS["epsilon"]},
        say["belief"]
        % {
            "count": len(shown),
            "before": percent(1 / len(shown), 1),
            "element": element,
            "after": percent(beliefs[0], 1),
        },
        say["verdict_tied"] % {"count": values.count(values[0])},
    ]
    return Example(
        record=RECORD,
        sentences=[say[name] % facts for name in sentences],
        path=_path(bits),
        ring=(places[0] % _WIDTH, places[0] // _WIDTH),
        picture=say["picture"] % facts,
        candidates=candidates,
        conclusions=conclusions,
    )


def _chance(value: int, flip: Fraction, ones: int) -> str:
    """The probability of exactly this record, as "1 in 2.1 × 10⁹⁷"."""
    say, (k, m, rate) = texts(), (PARAMETERS["k"], PARAMETERS["m"], float(flip))
    others = ones - value
    own = math.log10(1 - rate if value else rate) - math.log10(k)
    log10 = own + others * math.log10(rate) + (m - 1 - others) * math.log10(1 - rate)
    exponent = math.floor(-log10)
    digits = rounded(10 ** (-log10 - exponent), 1)
    power = say["power"] % {"digits": digits, "exponent": str(exponent).translate(_SUPERSCRIPTS)}
    return say["one_in"] % {"count": power}


def _compared(element: str, ratio: Fraction) -> str:
    say = texts()
    if ratio == 1:
        return say["equal"]
    return say["likelier"] % {"times": rounded(float(ratio), 1), "element": element}


def _path(bits: list[int]) -> str:
    """The ones as little squares, row by row."""
    places = (divmod(i, _WIDTH) for i, bit in enumerate(bits) if bit)
    return "".join(f"M{x} {y}h1v1h-1z" for y, x in places)
