"""The error every part of the package raises for a value that cannot be used."""

from decimal import Decimal
from typing import Any


class ParameterError(ValueError):
    """A parameter is missing, unknown, of the wrong type, or out of range.

    Parameters
    ----------
    field : str
        The parameter's name on the wire, such as ``"epsilon"`` or ``"m"``.
    message : str
        What is wrong, with the value, and what to do about it.
    **facts : object
        Numbers of the message, for those who say it in other words.

    Examples
    --------
    >>> try:
    ...     CountMeanSketch(epsilon=4, k=64, m=100, seed=7)
    ... except ParameterError as error:
    ...     print(error.field, "|", error)
    m | m must be a power of two from 8 to 1048576, not 100.
    """

    def __init__(self, field: str, message: str, **facts: Any) -> None:
        super().__init__(message)
        self.field = field
        self.facts = facts

    def __reduce__(self) -> tuple[Any, tuple[str, str], dict[str, Any]]:
        return type(self), (self.field, str(self)), {"facts": self.facts}


def shown(value: object) -> str:
    """Return the value as an error message may echo it: short, whatever was sent."""
    if isinstance(value, int) and value.bit_length() > 128:
        return f"an integer of {value.bit_length()} bits"
    text = str(value) if isinstance(value, Decimal) else repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
