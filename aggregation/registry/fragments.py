"""Fragments of words, as sketches count them: two letters, under one byte of the whole word."""

from typing import Final

# Values of the puzzle byte.
PUZZLES: Final = 256
# Expected number of keys at each position without reports that pass. Joining and the word sketch deal with
# them; a stricter cut would cost true words.
FALSE_FRAGMENTS: Final = 64


def fragment_element(puzzle: int, fragment: str) -> str:
    """Return what the fragment sketch counts: a puzzle byte and two letters (report format, section 4)."""
    return f"{puzzle:02x}:{fragment}"


def num_keys(letters: int) -> int:
    """Return how many keys fragments of so many letters have: every puzzle byte with two letters, one, or none."""
    return PUZZLES * (letters**2 + letters + 1)
