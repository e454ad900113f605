"""One-time tokens: a device takes part once within its minimum separation, and the aggregator learns nothing else.

A device that takes part in round r spends the tokens of rounds r, r + 1, …, r + s − 1, s the minimum separation. Two
rounds closer than s share one, so that the second contribution is refused; two rounds s or more apart share none, and
without the device's secret nothing tells that they are of one device.
"""

import hashlib
import hmac
from collections.abc import Sequence
from typing import Final

TOKEN_BYTES: Final = 16


def tokens(secret: bytes, task: bytes, number: int, separation: int) -> list[bytes]:
    """Return what a device spends on a round: HMAC-SHA-256 of task and round under its secret, cut to 16 bytes."""
    return [
        hmac.digest(secret, task + later.to_bytes(8, "big"), hashlib.sha256)[:TOKEN_BYTES]
        for later in range(number, number + separation)
    ]


class SpentTokens:
    """Tokens that were spent in the rounds that a contribution could still be too close to; in memory alone."""

    def __init__(self) -> None:
        self._spent: dict[int, set[bytes]] = {}

    def spend(self, number: int, offered: Sequence[bytes]) -> bool:
        """Spend all tokens of a contribution to a round, or none if one of them was spent before."""
        by_round = list(enumerate(offered, number))
        if any(token in self._spent.get(later, ()) for later, token in by_round):
            return False
        for later, token in by_round:
            self._spent.setdefault(later, set()).add(token)
        return True

    def forget_before(self, number: int) -> None:
        for past in [past for past in self._spent if past < number]:
            del self._spent[past]
