"""Promises in words: what ε covers and does not, the rules for what is shown, and the limits of poisoning."""

from decimal import Decimal

from django.utils.translation import gettext as _

from aggregation.screening import FALSE_ALARM_RATE, effect_of_fakes
from reports.formatting import plain, upper_bound
from reports.mechanisms import say, words_of
from reports.models import Version
from reports.privacy.poisoning_limits import noise_that_is_not_missed
from reports.privacy.privacy_kinds import PRIVACY


def covered() -> list[str]:
    return [
        _(
            "What a single report is about. Those who see it, the people who run this site included, cannot be sure of"
            " it: everything else that a device could have observed would have given the same report, at most e to the"
            " ε times less often."
        ),
        _(
            "Whatever else is known, and whatever is computed from the report later. The noise is added on the"
            " device, before anything is sent, and nobody can take it out again."
        ),
        _(
            "All reports of a person together: their ε add up, and the daily limit, which devices keep, bounds the sum"
            " of a day."
        ),
    ]


def not_covered(version: Version) -> list[str]:
    """List what the guarantee does not cover."""
    minimum = version.use_case.minimum_reports
    found = [
        _(
            "That a device took part. An observer of the network sees that something is sent. This site stores no"
            " address, no sender and no time finer than a day."
        ),
        _(
            "That reports came together. What a device sends on a day travels in one document, over a network that sees"
            " its address. Here the reports are stored apart, and within ten minutes mixed with the others."
        ),
        _("For which use case, language or region and day a report is: that is stored as it is, without noise."),
        _(
            "That reports hide among those of a person who also sees the results. People know what they sent, and can"
            " subtract it: a person who sent %(all_but_one)s of %(minimum)s reports sees the last one by itself, and"
            " only its own ε protects it."
        )
        % {"all_but_one": _number(minimum - 1), "minimum": _number(minimum)},
        _(
            "Years of reports. The limit is renewed every day, so the total keeps growing for as long as a person takes"
            " part. What is added up above is for the days whose raw reports may be held at the same time; results"
            " stay after that."
        ),
        _(
            "What is true of many people. The results are about all of them, and may tell something about a person who"
            " is known to be like most."
        ),
        _("A device that was altered, or observed before the noise was added."),
    ]
    return found + PRIVACY.of(version).not_covered()


def rules(version: Version, smallest_share: float | None) -> list[str]:
    """List the rules for what is shown."""
    use_case = version.use_case
    minimum = {"minimum": _number(use_case.minimum_reports), "alpha": _number(use_case.false_positive_rate)}
    shown = _(
        "An element is shown only if its estimate reaches a threshold T. T is so high that, of all elements nobody"
        " reported, %(alpha)s are expected to reach it in a histogram. What is below T is left out, not zero."
    )
    found = [
        _("Nothing is published about fewer than %(minimum)s reports, whichever devices sent them.") % minimum,
        shown % minimum,
        _(
            "Days that are over are released in periods of at least %(minimum)s reports, and never in part:"
            " every number is about whole periods. So nothing can be singled out by subtracting what is shown: whatever"
            " is left is still about at least %(minimum)s reports."
        )
        % minimum,
    ]
    if use_case.prescribed_threshold is not None:
        words = _(
            "T is never below %(prescribed)s reports, also where fewer could be told from noise. This holds for"
            " everything that is shown, whenever it was published."
        )
        found.insert(2, words % {"prescribed": _number(use_case.prescribed_threshold)})
    if smallest_share is not None and smallest_share < 1:
        share = {"share": _number(float(f"{100 * smallest_share:.2g}")), **minimum}
        found.insert(2, PRIVACY.of(version).smallest_share_in_words() % share)
    return found


def fakes(version: Version) -> dict[str, object]:
    """Describe fakes that screening cannot see, and how far one in a hundred moves a result."""
    effect = effect_of_fakes(version.mechanism)
    numbers = {
        "alarm": _number(100 * FALSE_ALARM_RATE),
        "raised": upper_bound(effect.raised),
        "lowered": upper_bound(effect.lowered),
        "moved": upper_bound(max(effect.raised, effect.lowered)),
    }
    return {
        "false_alarm_rate": FALSE_ALARM_RATE,
        "raised_per_fake": effect.raised,
        "lowered_per_fake": effect.lowered,
        "elements_at_once": effect.at_once,
        "rules": [
            say(words_of(version.algorithm).TESTS, alarm=numbers["alarm"]),
            _(
                "Fakes that an unaltered program made about a chosen element look like honest reports,"
                " and no test can tell them apart. Each adds one to that element."
            ),
            _(
                "No report, however crafted, adds more than %(raised)s reports to the estimate of an element or takes"
                " more than %(lowered)s away. So if one in a hundred reports is a fake, an estimate moves by at most"
                " %(moved)s %% of all reports."
            )
            % numbers,
            *noise_that_is_not_missed(version),
        ],
    }


def _number(value: float) -> str:
    return plain(Decimal(f"{value:.10g}"))
