"""What fakes can do that no test sees."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Effect:
    """By how much one fake report can move the estimates of a window, in reports.

    A fake that an unchanged client made about a chosen element adds 1 to it on average and nothing to others: it cannot
    be told from an honest report. ``raised`` and ``lowered`` are the most that any well-formed report whatever can add
    to the estimate of one element and take away from it. ``at_once`` is how many elements a crafted report can raise by
    that much together without being conspicuous; where it is None, those others that it raises it has not chosen.
    """

    raised: float
    lowered: float
    at_once: int | None


@dataclass(frozen=True)
class MissingNoise:
    """When one-bit reports that all lack their noise are found.

    From some number on if one element has more than this ``share`` of them, or, whatever they are about, if about so
    many ``reports`` come together. Otherwise honest devices that saw other shares could have sent the same.
    """

    share: float
    reports: int
