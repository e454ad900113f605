"""What screening cannot see, and how much harm it can do: for the pages that promise no more than is true."""

from django.utils.formats import number_format
from django.utils.translation import gettext as _

from aggregation.mechanisms import SequenceFragmentPuzzle
from aggregation.screening import effect_of_fakes
from reports.models import Version

# Of which share of fakes the sentences speak; effects are in proportion to it.
SHARE = 0.01


def undetectable(version: Version, n: int) -> list[str]:
    """Sentences on what cannot be told from honest reports, and its most effect among n reports of this version."""
    effect = effect_of_fakes(version.mechanism)
    fakes = {
        "n": _number(n, 0),
        "share": _("%(number)s\u00a0%%") % {"number": _number(100 * SHARE, 0)},
        "honest": _number(SHARE * n, 0),
        "raised": _number(effect.raised, 3),
        "lowered": _number(effect.lowered, 3),
        "most": _number(SHARE * n * effect.raised, 0),
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
            % {"count": _number(effect.at_once, 0)}
        )
    if isinstance(version.mechanism, SequenceFragmentPuzzle):
        sentences.append(_("Enough of them put any word on the list of those that were found."))
    return sentences


def _number(value: float, digits: int) -> str:
    return number_format(f"{value:.{digits}f}", digits, use_l10n=True, force_grouping=True)
