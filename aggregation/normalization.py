"""Normalisation of the text that a device observed to the element it reports; device and server do the same."""

import re
import unicodedata
from collections.abc import Container
from typing import Final

from .errors import ParameterError, shown
from .parameters import parse_integer

PAD: Final = "_"
PROFILES: Final = ("emoji", "domain", "word", "raw")
WORD_LENGTH: Final = 10

_VARIATION_SELECTORS: Final = {0xFE0E: None, 0xFE0F: None}
LONGEST_HOST: Final = 253
# Nothing this long is a host name, however much of it the mapping ignores; mapping it would take long.
_LONGEST_TEXT: Final = 4096
# A host name in its final form, as most are: labels of lower-case letters, digits and hyphens, none in Punycode; the
# last one is no number because it begins with a letter.
_PLAIN_HOST: Final = re.compile(r"(?:(?!xn--)[a-z0-9-]{1,63}\.)+(?!xn--)[a-z][a-z0-9-]{0,62}")


def normalize(
    profile: str,
    text: str,
    *,
    keep_case: bool = False,
    alphabet: Container[str] | None = None,
    length: int = WORD_LENGTH,
    local_words: Container[str] = frozenset(),
) -> str | None:
    """Return the element that a text is reported as.

    Parameters
    ----------
    profile : str
        One of `PROFILES`.
    text : str
        What was observed.
    keep_case : bool
        For words: leave the case as it is.
    alphabet : container of str, optional
        For words: the characters a word may have; any if not given.
    length : int
        For words: the characters a word is cut or padded to, even, from 2 to 16.
    local_words : container of str
        For words: the device's own dictionary, each word as `fold_word` makes it; these are not reported.

    Returns
    -------
    str or None
        The element, or None for what is not reported. Text without a UTF-8 form is never reported.

    Raises
    ------
    ParameterError
        If the profile is unknown, or the length is not an even number from 2 to 16.

    References
    ----------
    The report format, section 1.

    Examples
    --------
    >>> normalize("word", "Hello", length=8), normalize("domain", "WWW.Example.org."), normalize("domain", "127.0.0.1")
    ('hello___', 'www.example.org', None)
    """
    if profile not in PROFILES:
        known = ", ".join(PROFILES)
        raise ParameterError("normalization", f"There is no profile {shown(profile)}; use one of {known}.")
    if not is_encodable(text):
        return None
    if profile == "emoji":
        return _nfc(text.translate(_VARIATION_SELECTORS))
    if profile == "domain":
        return normalize_domain(text)
    if profile == "word":
        return normalize_word(text, keep_case, alphabet, length, local_words)
    return _nfc(text)


def normalize_word(
    text: str, keep_case: bool, alphabet: Container[str] | None, length: int, local_words: Container[str]
) -> str | None:
    """Return a word in lower case, cut or padded to the length; None if it is not to be reported."""
    check_length(length)
    word = fold_word(text, keep_case)
    if not word or PAD in word or word in local_words:
        return None
    if alphabet is not None and any(character not in alphabet for character in word):
        return None
    return word[:length].ljust(length, PAD)


def fold_word(text: str, keep_case: bool) -> str:
    """Return a word before it is cut: the form in which it is looked for in a dictionary and in an alphabet."""
    word = _nfc(text)
    return word if keep_case else _nfc(word.lower())


def check_length(length: int) -> None:
    """Raise a ParameterError unless words may be cut or padded to this length."""
    if parse_integer("length", length) % 2 or not 2 <= length <= 16:
        raise ParameterError("length", f"length must be an even number from 2 to 16, not {shown(length)}.")


def normalize_domain(text: str) -> str | None:
    """Return a host name as A-labels in lower case; None for addresses, single labels and invalid names.

    UTS #46 decides what a label may hold, so a symbol such as a snowman is kept, which the stricter IDNA 2008 would
    refuse. Hyphens may stand anywhere (CheckHyphens = false), as browsers have it: hosts such as
    r5---sn-najern7r.googlevideo.com exist.
    """
    if len(text) <= LONGEST_HOST and _PLAIN_HOST.fullmatch(text):
        return text
    return _mapped_domain(text) if len(text) <= _LONGEST_TEXT else None


def _mapped_domain(text: str) -> str | None:
    """Return what `normalize_domain` returns, by the rules alone."""
    try:
        from .domains import mapped_domain
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(
            "Names of hosts that are not in their final form yet are mapped by the package idna: install it."
        ) from error
    return mapped_domain(text)


def is_encodable(text: str) -> bool:
    """Tell whether a text has a UTF-8 form: half a surrogate pair has none."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _nfc(text: str) -> str:
    return unicodedata.normalize("NFC", text)
