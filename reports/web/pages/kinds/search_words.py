"""Search for words, in words: how they were found, and which cannot be."""

from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from aggregation.discovery import MOST_FRAGMENTS, MOST_JOINED
from reports.formatting import small_percent, upper_bound, whole
from reports.kinds import puzzle_of
from reports.models import Discovery as Search
from reports.models import Version
from reports.web.pages.provenance_facts import Facts


def facts(search: Search) -> Facts:
    return [
        (_("Candidates tried"), whole(search.candidates)),
        (_("Cut-off for parts of words, in reports"), _cut(search)),
        (_("Smallest share that is found 9 times in 10"), _smallest_share(search)),
    ]


def provenance(version: Version, search: Search) -> Facts:
    """Steps of the search: at every position, and after."""
    letters = _("Letters %(position)s and %(next)s")
    words = _("%(reports)s reports; cut at %(cut)s, %(kept)s kept")
    positions = zip(puzzle_of(version).positions, search.reports, search.cuts, search.kept, strict=True)
    mechanism, n = puzzle_of(version), search.histogram.n
    about_words = mechanism.word_reports(n, search.reports)
    return [
        *([(_("Reports about a whole word"), whole(about_words))] if about_words < n else []),
        *(
            (
                letters % {"position": position, "next": position + 1},
                words % {"reports": whole(reports), "cut": whole(cut), "kept": whole(kept)},
            )
            for position, reports, cut, kept in positions
        ),
        (_("Factor by which the cuts were raised"), upper_bound(search.strictness)),
        (_("Words put together from fragments"), whole(search.joined)),
        (_("Candidates that solve the puzzle"), whole(search.candidates)),
        (_("Share that is found with probability 0.9"), _smallest_share(search)),
    ]


def warnings(search: Search) -> list[str]:
    """Reasons why rarer words were not found."""
    found = []
    if search.capped:
        words = _(
            "More than %(most)s fragments of a position stood out, and only the most frequent were kept. Rarer"
            " words are missing, although they might be above the threshold."
        )
        found.append(words % {"most": whole(MOST_FRAGMENTS)})
    if search.strictness > 1:
        words = _(
            "More than %(most)s words could be put together from the fragments that stood out. The cuts were raised"
            " by a factor of %(factor)s, until there were fewer. Rarer words are missing, although they might be"
            " above the threshold."
        )
        found.append(words % {"most": whole(MOST_JOINED), "factor": upper_bound(search.strictness)})
    return found


def _cut(search: Search) -> str:
    """The range over the positions, in reports from one of them."""
    if not search.cuts:
        return "–"
    smallest, largest = whole(min(search.cuts)), whole(max(search.cuts))
    return smallest if smallest == largest else f"{smallest} – {largest}"


def _smallest_share(search: Search) -> str:
    return pgettext("a share", "none") if search.smallest_share >= 1 else small_percent(search.smallest_share)


def recall(search: Search) -> str:
    """The share of words that is found, and what it means that others are not."""
    if search.smallest_share >= 1:
        words = _("However large its share, a word is found less than nine times in ten.")
    else:
        words = _("A word with a share of %(share)s is found nine times in ten; rarer ones are missed more often.") % {
            "share": _smallest_share(search)
        }
    # Not within the other text: messages are not collected from there.
    missing = _("A word that is missing may still be typed.")
    return f"{words} {missing}"
