"""Finding words nobody knew: from a day's sketches to the words whose fragments fit together."""

from aggregation.discovery.cutting import Cut, cut_fragments
from aggregation.discovery.joining import Joined, join_fragments
from aggregation.discovery.keys import FragmentKeys, fragment_keys, num_fragment_keys
from aggregation.discovery.reading import read_fragments, read_words
from aggregation.discovery.recall import detection_probability, smallest_share
from aggregation.discovery.sketches import Sketches
from aggregation.discovery.words import summarize_words

__all__ = [
    "Cut",
    "FragmentKeys",
    "Joined",
    "Sketches",
    "cut_fragments",
    "detection_probability",
    "fragment_keys",
    "join_fragments",
    "num_fragment_keys",
    "read_fragments",
    "read_words",
    "smallest_share",
    "summarize_words",
]
