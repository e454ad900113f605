"""A mechanism from outside, unlike the others: no hash functions, seed or rows, and each report in one of two streams.

A report about one of d letters says that letter with probability p = e^ε/(e^ε + d - 1), else one of the others, and
goes into one of two boxes by the toss of a coin (Kairouz, Bonawitz, Ramage, 2016: k-ary randomised response).
"""

from .mechanism import LetterBallot

__all__ = ["LetterBallot"]
