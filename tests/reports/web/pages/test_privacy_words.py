"""Figures of the privacy pages in words."""

import pytest

from reports.web.pages.privacy_words import number, rounded_up, sure

pytestmark = pytest.mark.exact


@pytest.mark.parametrize(
    ("epsilon", "words"), [(4, "4"), (0.125, "0.125"), (2.5, "2.5"), (1440, "1,440"), (100, "100")]
)
def test_an_epsilon_has_all_its_digits(epsilon: float, words: str) -> None:
    assert number(epsilon) == words


@pytest.mark.parametrize(
    ("epsilon", "words"), [(0.6009, "0.61"), (0.0493, "0.050"), (1.8227, "1.9"), (0.00012, "0.00012"), (27.01, "28")]
)
def test_a_bound_is_rounded_up(epsilon: float, words: str) -> None:
    assert rounded_up(epsilon) == words


@pytest.mark.parametrize(
    ("epsilon", "words"),
    [(0.0001, "50.1\u00a0%"), (0.6009, "64.6\u00a0%"), (4, "98.3\u00a0%"), (6.8, "99.9\u00a0%"),
     (8, "99.97\u00a0%"), (16, "100\u00a0%"), (5000, "100\u00a0%")],
)  # fmt: skip
def test_what_even_odds_become(epsilon: float, words: str) -> None:
    assert sure(epsilon) == words
