"""Common helpers of the tests of sorting."""

from reports.models import Histogram, Version
from tests.reports.found_words import find

# Markup, quotes, a formula, and letters that run from right to left.
HOSTILE = ("<b>x", "=1+1", "a\"b'c", "שלום", "&lt;")


def find_instead(version: Version, *words: str) -> Histogram:
    """Publish these words of en_US in place of what is published, as the next run does."""
    version.histograms.filter(locale="en_US").delete()
    return find(version, words)
