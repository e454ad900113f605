"""Discovered words once they are found: sorted by people, collected in named dictionaries, compared with known ones."""

from reports.words.decisions import Decided, DecisionsRefused, Outcome, Problem, decide, newest_decisions
from reports.words.dictionaries import NamedDictionary, accepted_words, named_dictionaries
from reports.words.known import known_words, longer_word

__all__ = [
    "Decided",
    "DecisionsRefused",
    "NamedDictionary",
    "Outcome",
    "Problem",
    "accepted_words",
    "decide",
    "known_words",
    "longer_word",
    "named_dictionaries",
    "newest_decisions",
]
