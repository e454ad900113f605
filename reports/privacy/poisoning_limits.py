"""Poisoning that screening cannot detect, and the most that it can change, in words."""

from django.utils.translation import gettext as _

from aggregation.screening import FALSE_ALARM_RATE, effect_of_fakes, missing_noise
from reports.formatting import percent, upper_bound, whole
from reports.models import Version
from reports.privacy.privacy_kinds import PRIVACY

# The share of fakes in the sentences; effects are in proportion to it.
SHARE = 0.01


def undetectable(version: Version, n: int) -> list[str]:
    """Describe reports that cannot be told from honest ones, and their largest effect among n of this version."""
    effect = effect_of_fakes(version.mechanism)
    fakes = {
        "n": whole(n),
        "share": percent(SHARE, 0),
        "honest": whole(SHARE * n),
        "raised": upper_bound(effect.raised),
        "lowered": upper_bound(effect.lowered),
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
            " %(raised)s reports to the estimate of an element and takes away at most %(lowered)s: if %(share)s of"
            " %(n)s reports are crafted, they add at most %(most)s reports to an element."
        )
        % fakes,
    ]
    if effect.at_once is None:
        sentences.append(
            _(
                "A crafted report does so for one element of its choice; which of the others it raises, and which it"
                " lowers, is not of its choice."
            )
        )
    else:
        sentences.append(
            _(
                "A crafted report can do so for about %(count)s elements of its choice at once without being"
                " conspicuous."
            )
            % {"count": whole(effect.at_once)}
        )
    return [*sentences, *PRIVACY.of(version).undetectable(), *noise_that_is_not_missed(version)]


def noise_that_is_not_missed(version: Version) -> list[str]:
    """Describe devices that all forget the noise, where reports are so short that this hardly shows."""
    found = missing_noise(version.mechanism, FALSE_ALARM_RATE)
    if found is None:
        return []
    facts = {"share": percent(found.share, 1)}
    if found.reports is None:
        words = _(
            "If every device forgot the noise, its reports would hide little or nothing, and the tests would notice"
            " only if one element made up more than %(share)s of them. Otherwise they look like honest ones about more"
            " frequent elements."
        )
        return [words % facts]
    words = _(
        "If every device forgot the noise, its reports would hide nothing, and the tests would notice only if one"
        " element made up more than %(share)s of them, or if about %(reports)s came in one batch. Otherwise they look"
        " like honest ones about more frequent elements."
    )
    return [words % {**facts, "reports": whole(float(f"{found.reports:.2g}"))}]
