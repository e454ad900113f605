"""Reasons for which a message is not counted, or a request not answered."""

from enum import Enum


class Refusal(Enum):
    """Reasons for which a contribution is not counted; their values are what the server is told, with a count."""

    LENGTH = "not of the task's one length"
    TASK = "for another task, or for other parameters of it"
    ROUND = "for another round"
    KEY = "sealed to another key"
    LATE = "after the round's release"
    FULL = "after as many as the round takes"
    UNOPENABLE = "cannot be opened"
    DOUBLE = "a second one within the minimum separation"
    NOT_FINITE = "not all numbers are finite"
    NORM = "above the clip norm"
    ITEMS = "items that are unknown, out of order, or one twice"


class RoleError(Exception):
    """A request that a role does not answer, in words for the one that asked."""


class BelowGoal(RoleError):
    """A release for which too few contributions have come. The round stays open."""


class RoundLost(RoleError):
    """A round of which nothing more comes: it is not open, or was opened by a process that ended since."""


class AlreadySeen(RoleError):
    """A round that a device has taken note of before: it takes part in none twice."""


class Refused(RoleError):
    """A message, or a request, that is not served."""

    def __init__(self, refusal: Refusal) -> None:
        super().__init__(refusal.value)
        self.refusal = refusal
