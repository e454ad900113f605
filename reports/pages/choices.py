"""What one may choose, in a form or by a link."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Choice:
    """An option of a list, or a link."""

    value: str
    label: str
    current: bool
