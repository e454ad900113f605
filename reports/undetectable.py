"""What screening cannot see, and how much harm it can do: for the pages that promise no more than is true."""

from django.utils.translation import gettext as _

from aggregation.mechanisms import SequenceFragmentPuzzle
from aggregation.screening import effect_of_fakes
from reports.models import Version
from reports.numbers import percent, rounded, whole

# Of which share of fakes the sentences speak; effects are in proportion to it.
SHARE = 0.01


def undetectable(version: Version, n: int) -> list[str]:
    """Sentences on what cannot be told from honest reports, and its most effect among n reports of this version."""
    effect = effect_of_fakes(version.mechanism)
    fakes = {
        "n": whole(n),
        "share": percent(SHARE, 0),
        "honest": whole(SHARE * n),
        "raised": rounded(effect.raised, 3),
        "lowered": rounded(effect.lowered, 3),
        "most": whole(SHARE * n * effect.raised),
    }
    sentences = [
        _(
            "Fake reports about a chosen element that come from an unchanged client cannot be told from honest ones,"
            " by anybody. If %(share)s of %(n)s reports are such fakes, they add about %(honest)s to that element."
        )
        % fakes,
        _(
            "Crafted reports pass if they are few, or look like honest ones. Whatever is in a report, it adds at most"
            " %(raised)s to the estimate of an element and takes away at most %(lowered)s: if %(share)s of %(n)s"
            " reports are crafted, they add at most %(most)s to an element."
        )
        % fakes,
    ]
    if effect.at_once is None:
        sentences.append(
            _(
                "A crafted report does so for one element of its choice; of all the others it raises about one half and"
                " lowers the rest."
            )
        )
    else:
        sentences.append(
            _("A crafted report can do so for about %(count)s elements at once without having too many ones.")
            % {"count": whole(effect.at_once)}
        )
    if isinstance(version.mechanism, SequenceFragmentPuzzle):
        sentences.append(_("Enough of them put any word on the list of those that were found."))
    return sentences
