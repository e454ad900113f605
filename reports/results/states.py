"""Why there is, or is not, something to see."""

from enum import StrEnum


class State(StrEnum):
    SHOWN = "shown"
    NO_DATA = "no-data"
    WAITING = "waiting"
    PUBLISHING = "publishing"
    # Of discovered words: these days have reports, but no run was about exactly them.
    NOT_SEARCHED = "not-searched"
    BELOW_MINIMUM = "below-minimum"
    NONE_ABOVE = "none-above-threshold"
    FAILED = "failed"
    # Of comparisons: both sides are the same reports; or they were counted by different dictionaries or α; or what
    # their histograms were added up from is missing.
    SAME_REPORTS = "same-reports"
    OTHER_RULES = "other-rules"
    NOT_KEPT = "not-kept"
