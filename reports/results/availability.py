"""Availability of results, or the reason why nothing is shown."""

from enum import StrEnum


class State(StrEnum):
    SHOWN = "shown"
    # No period lies in the window: too few reports, or none, whether they are of days that are closed or open. There is
    # but one state for all of it, so that readers do not learn how many wait, or since when.
    NOT_YET = "not-yet"
    # The days were counted by another version, whose results cannot stand in place of these.
    OTHER_VERSION = "other-version"
    # For discovered words: there are periods in the window, but words have not been looked for in exactly them.
    NOT_SEARCHED = "not-searched"
    NONE_ABOVE = "none-above-threshold"
    # For comparisons: both sides are the same reports; or lists of words were made by different α, or what they were
    # read out of is missing.
    SAME_REPORTS = "same-reports"
    OTHER_RULES = "other-rules"
    NOT_KEPT = "not-kept"
    # For changes: the newest days are published, but none before that they could be compared with.
    NOTHING_BEFORE = "nothing-before"
