"""What a reader must know about how words were found, and which words cannot be."""

from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from aggregation.discovery import MOST_FRAGMENTS, MOST_JOINED
from aggregation.mechanisms import SequenceFragmentPuzzle
from reports.formatting import factor, small_percent, whole
from reports.models import Discovery


class SearchFacts:
    """A search for words, in words."""

    def __init__(self, discovery: Discovery) -> None:
        self.candidates = whole(discovery.candidates)
        self.cut = _cut(discovery)
        self.smallest_share = _smallest_share(discovery)
        # What that means for a reader.
        self.recall = recall(discovery)
        # What kept rarer words from being found; empty if nothing did.
        self.ceilings = _ceilings(discovery)


def discovery_facts(mechanism: SequenceFragmentPuzzle, discovery: Discovery) -> list[tuple[str, str]]:
    """For the provenance: what happened at every position, and after."""
    positions = zip(mechanism.positions, discovery.reports, discovery.cuts, discovery.kept, strict=True)
    return [
        *(
            (
                _("Letters %(position)s and %(next)s") % {"position": position, "next": position + 1},
                _("%(reports)s reports; cut at %(cut)s, %(kept)s kept")
                % {"reports": whole(reports), "cut": whole(cut), "kept": whole(kept)},
            )
            for position, reports, cut, kept in positions
        ),
        (_("Factor by which the cuts were raised"), factor(discovery.strictness)),
        (_("Words put together from fragments"), whole(discovery.joined)),
        (_("Candidates that solve the puzzle"), whole(discovery.candidates)),
        (_("Share that is found with probability 0.9"), _smallest_share(discovery)),
    ]


def _cut(discovery: Discovery) -> str:
    """The range over the positions, in reports from one of them."""
    if not discovery.cuts:
        return "–"
    smallest, largest = whole(min(discovery.cuts)), whole(max(discovery.cuts))
    return smallest if smallest == largest else f"{smallest} – {largest}"


def _smallest_share(discovery: Discovery) -> str:
    return pgettext("a share", "none") if discovery.smallest_share >= 1 else small_percent(discovery.smallest_share)


def recall(discovery: Discovery) -> str:
    """Which words are found, and what it means that others are not."""
    if discovery.smallest_share >= 1:
        words = _("However large its share, a word is found less than nine times in ten.")
    else:
        words = _("A word with a share of %(share)s is found nine times in ten; rarer ones are missed more often.") % {
            "share": _smallest_share(discovery)
        }
    # Not within the other text: messages are not collected from there.
    missing = _("That a word is missing does not mean that nobody types it.")
    return f"{words} {missing}"


def _ceilings(discovery: Discovery) -> list[str]:
    found = []
    if discovery.capped:
        found.append(
            _(
                "More than %(most)s fragments of a position stood out, and only the most frequent were kept."
                " Rarer words are missing, although they might be above the threshold."
            )
            % {"most": whole(MOST_FRAGMENTS)}
        )
    if discovery.strictness > 1:
        found.append(
            _(
                "More than %(most)s words could be put together from the fragments that stood out. The cuts were"
                " raised by a factor of %(factor)s, until there were fewer. Rarer words are missing, although they"
                " might be above the threshold."
            )
            % {"most": whole(MOST_JOINED), "factor": factor(discovery.strictness)}
        )
    return found
