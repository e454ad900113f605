"""Which texts can be kept."""


def is_storable(text: str) -> bool:
    """No NUL and no half of a surrogate pair: the database takes neither, and no device could send the latter."""
    if text.isascii():
        return "\0" not in text
    return "\0" not in text and not any("\ud800" <= character <= "\udfff" for character in text)
