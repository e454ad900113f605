"""What a device does with a word that somebody typed: report it, or say nothing."""

from collections.abc import Container

from aggregation.mechanisms.sequence_fragment_puzzle import SequenceFragmentPuzzle
from aggregation.normalization import normalize


def report_word(
    mechanism: SequenceFragmentPuzzle,
    text: str,
    *,
    alphabet: Container[str],
    local_words: Container[str],
    keep_case: bool = False,
) -> str | None:
    """Return a record about a typed word, or None if it is not reported.

    Parameters
    ----------
    mechanism : SequenceFragmentPuzzle
        The version's mechanism; its length is the one that words are cut or padded to.
    text : str
        What was typed.
    alphabet : container of str
        The characters that a word may have in the device's locale.
    local_words : container of str
        The device's own dictionary, each word as `aggregation.normalization.fold_word` makes it. A known word is never
        reported, whole or cut; a word that only begins like one is.
    keep_case : bool
        Whether the version tells upper from lower case.

    Returns
    -------
    str or None
        One record line ``q,j',hex',j,hex``, drawn from the operating system's randomness.

    References
    ----------
    The report format, sections 1, 3 and 4.
    """
    element = normalize(
        "word", text, keep_case=keep_case, alphabet=alphabet, length=mechanism.length, local_words=local_words
    )
    return None if element is None else mechanism.privatize(element)
