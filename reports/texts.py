"""Texts: storable ones, and isolation of right-to-left text."""

import unicodedata


def is_storable(text: str) -> bool:
    """Tell whether a text has neither NUL nor lone surrogates, which the database refuses."""
    if text.isascii():
        return "\0" not in text
    return "\0" not in text and not any("\ud800" <= character <= "\udfff" for character in text)


def isolated(text: str) -> str:
    """The text with marks around it, if it runs from right to left: what stands beside it then keeps its place."""
    runs = {unicodedata.bidirectional(character) for character in text}
    return f"\u2068{text}\u2069" if runs & {"R", "AL", "AN"} else text
