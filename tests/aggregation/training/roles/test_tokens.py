"""Tokens of two rounds meet if the rounds are too close, and never else."""

import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aggregation.training.roles.tokens import TOKEN_BYTES, SpentTokens, tokens

pytestmark = pytest.mark.exact

SECRET, TASK = b"s" * 32, hashlib.sha256(b"task").digest()


@given(st.integers(1, 50), st.integers(1, 50), st.integers(1, 12))
def test_two_rounds_share_a_token_exactly_if_they_are_closer_than_the_separation(
    a: int, b: int, separation: int
) -> None:
    first, second = (tokens(SECRET, TASK, number, separation) for number in (a, b))
    assert bool(set(first) & set(second)) == (abs(a - b) < separation)
    spent = SpentTokens()
    assert spent.spend(min(a, b), tokens(SECRET, TASK, min(a, b), separation))
    spent.forget_before(max(a, b))
    assert spent.spend(max(a, b), tokens(SECRET, TASK, max(a, b), separation)) == (abs(a - b) >= separation)


def test_nothing_links_tokens_without_the_secret() -> None:
    """Other devices and tasks have other tokens, and those of one window say nothing of the next one's."""
    every = [
        *tokens(SECRET, TASK, 1, 20),
        *tokens(SECRET, TASK, 21, 20),
        *tokens(b"t" * 32, TASK, 1, 20),
        *tokens(SECRET, hashlib.sha256(b"other").digest(), 1, 20),
    ]
    assert len(set(every)) == len(every)
    assert {len(token) for token in every} == {TOKEN_BYTES}


def test_a_refused_contribution_spends_nothing() -> None:
    spent = SpentTokens()
    assert spent.spend(3, tokens(SECRET, TASK, 3, 2))
    mixed = [tokens(b"t" * 32, TASK, 3, 1)[0], tokens(SECRET, TASK, 4, 1)[0]]
    assert not spent.spend(3, mixed)
    assert spent.spend(3, [mixed[0]])
