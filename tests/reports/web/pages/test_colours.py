"""Colours that say what a change is: legible on what they stand on, and apart for all kinds of colour blindness."""

import re
from itertools import combinations
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

Colour = npt.NDArray[np.float64]

LOOK = (Path(__file__).parents[4] / "reports/static/reports/look.css").read_text()
CHANGES = ("up", "down", "new", "quiet")
GROUNDS = ("page", "surface", "up-soft", "down-soft", "new-soft")
# In linear sRGB: red and green by Viénot, Brettel and Mollon (1999), blue by Brettel, Viénot and Mollon (1997).
SEEN_AS = {
    "trichromat": np.eye(3),
    "protanope": np.array([[0.11238, 0.88762, 0.0], [0.11238, 0.88762, 0.0], [0.00401, -0.00401, 1.0]]),
    "deuteranope": np.array([[0.29275, 0.70725, 0.0], [0.29275, 0.70725, 0.0], [-0.02234, 0.02234, 1.0]]),
    "tritanope": np.array([[1.01277, 0.13548, -0.14826], [-0.01243, 0.86812, 0.14431], [0.07589, 0.80500, 0.11911]]),
}


def _colour(name: str, theme: int) -> Colour:
    """The colour as linear sRGB: the first of the pair is for light pages, the second for dark ones."""
    found = re.search(rf"--{name}: light-dark\((#\w{{6}}), (#\w{{6}})\)", LOOK)
    assert found is not None, name
    value = np.array([int(found[1 + theme][start : start + 2], 16) / 255 for start in (1, 3, 5)])
    return np.where(value <= 0.04045, value / 12.92, ((value + 0.055) / 1.055) ** 2.4)


def _luminance(colour: Colour) -> float:
    return float(colour @ [0.2126, 0.7152, 0.0722])


def _lab(colour: Colour) -> Colour:
    xyz = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]]) @ colour.clip(0, 1)
    x, y, z = np.cbrt(xyz / [0.9505, 1.0, 1.089])
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


@pytest.mark.parametrize("theme", [0, 1], ids=["light", "dark"])
def test_colours_of_changes_are_legible(theme: int) -> None:
    for name in CHANGES:
        for ground in GROUNDS:
            low, high = sorted(_luminance(_colour(each, theme)) for each in (name, ground))
            assert (high + 0.05) / (low + 0.05) >= 4.5, (name, ground)


@pytest.mark.parametrize("theme", [0, 1], ids=["light", "dark"])
@pytest.mark.parametrize("seen_as", SEEN_AS.values(), ids=SEEN_AS)
def test_colours_of_changes_are_apart_for_everybody(theme: int, seen_as: Colour) -> None:
    for one, other in combinations(CHANGES, 2):
        difference = _lab(seen_as @ _colour(one, theme)) - _lab(seen_as @ _colour(other, theme))
        # A difference of 2.3 is just seen.
        assert np.linalg.norm(difference) >= 20, (one, other)
