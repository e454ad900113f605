"""What the names of faults mean, in words for people."""

from typing import Final

_SENTENCES: Final = {
    "epsilon of pairs": "the bits of two elements tell them apart by more than ε",
    "estimate of pairs": "the estimate from the bits of two elements is above ε + 0.05",
    "epsilon of bits": "bits are flipped too seldom: together they give away more than ε",
    "estimate of bits": "the estimate from all flips is above ε + 0.05",
    "epsilon of signs": "signs are flipped too seldom: they give away more than ε",
    "estimate of signs": "the estimate from the signs is above ε + 0.05",
    "epsilon of all signs": "signs are flipped too seldom: they give away more than ε",
    "estimate of all signs": "the estimate from all signs is above ε + 0.05",
    "epsilon of both": "word and fragment together tell two words apart by more than ε + ε′",
    "estimate of both": "the estimate from word and fragment together is above ε + ε′ + 0.05",
    "epsilon of all bits": "bits are flipped too seldom: both halves together give away more than ε + ε′",
    "estimate of all bits": "the estimate from the flips of both halves is above ε + ε′ + 0.05",
    "rate of a bit": "a bit is not flipped as often as ε says",
    "rate of a sign": "a sign is not flipped as often as ε says",
    "rate in a row": "flips are not as frequent in every row or coordinate as ε says",
    "dependent bits": "flips of two bits depend on each other",
    "dependent halves": "flips of the word and of its fragment depend on each other",
    "dependent reports": "a report depends on the one before",
    "replayed": "two clients that were started anew draw the same",
    "repeated records": "the same record comes more than once",
    "rows": "rows are not uniform, or depend on the element",
    "coordinates": "coordinates are not uniform, or depend on the element",
    "cells": "rows and coordinates depend on each other or on the element",
    "positions": "positions are not uniform, or depend on the word",
    "positions and rows": "positions and rows depend on each other or on the word",
}


def sentence(fault: str) -> str:
    """Return the fault in words, with the half of the report that has it if there are two."""
    half, separator, name = fault.rpartition(": ")
    return f"{half}{separator}{_SENTENCES[name]}"
