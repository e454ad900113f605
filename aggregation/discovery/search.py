"""The search for words, from the sums of reports to candidates."""

from collections.abc import Sequence

from ..registry import DiscoveryMechanism
from .fragment_cut import Cut, cut_fragments
from .joining import join_fragments
from .keys import fragment_keys
from .reading import read_fragments
from .sketches import Sketches


def candidates(
    mechanism: DiscoveryMechanism, sums: Sketches, sizes: Sequence[int], alphabet: str
) -> tuple[list[str], Cut]:
    """Return padded words whose fragments fit together, and the cut that their fragments passed.

    `sizes` are the numbers of records in the streams of fragments, by position.
    """
    keys = fragment_keys(alphabet, mechanism.fragments.family)
    cut = cut_fragments(mechanism, read_fragments(mechanism, [sums], keys, 0, mechanism.fragments.divisions), sizes)
    return join_fragments(mechanism, keys, cut).words, cut
