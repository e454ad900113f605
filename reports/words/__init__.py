"""Discovered words once they are found: sorted by people, collected in named dictionaries, compared with known ones."""

from reports.words.decisions import (
    LONGEST_DICTIONARY,
    LONGEST_NOTE,
    Decided,
    DecisionsRefused,
    Outcome,
    decide,
    newest_decisions,
    rejected_words,
)
from reports.words.dictionaries import NamedDictionary, accepted_words, named_dictionaries, named_dictionaries_of
from reports.words.known import known_words, longer_word
