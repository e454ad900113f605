"""Refusals of the trainer and the trusted processes, as they say it in English, for readers of other languages."""

from typing import Final

from django.utils.translation import gettext_noop

OF_ROLES: Final = (
    gettext_noop("Below the report goal of %(goal)s: nothing is released."),
    gettext_noop("A report goal below %(least)s is not served."),
    gettext_noop("This task has rounds 1 to %(rounds)s; there is no round %(number)s."),
    gettext_noop("This round is not open."),
    gettext_noop("This task only trains."),
    gettext_noop("A trusted process did not start; its reason stands on the standard error."),
    gettext_noop(
        "Round %(number)s of this task is over: %(last)s was opened before, perhaps by a process that was killed, and"
        " its contributions are lost. Go on with the next."
    ),
)
OF_PARAMETERS: Final = (
    gettext_noop("There is no field %(name)s; leave it out."),
    gettext_noop("%(name)s is missing; give one."),
    gettext_noop("%(name)s must be a number above %(low)s and at most %(high)s, not %(value)s."),
    gettext_noop("%(name)s must be a number at least %(low)s and at most %(high)s, not %(value)s."),
    gettext_noop("%(name)s must be an integer from %(low)s to %(high)s, not %(value)s."),
    gettext_noop("%(name)s must be a text of 1 to %(most)s characters without NUL, not %(value)s."),
    gettext_noop("%(name)s must be lower-case letters and digits with hyphens, not %(value)s."),
    gettext_noop("%(name)s must be true or false, not %(value)s."),
    gettext_noop("%(name)s must be one of %(known)s, not %(value)s."),
    gettext_noop("%(name)s must be a list of %(known)s, not %(value)s."),
    gettext_noop('%(name)s must be {"kind": …, "dimension": …}, not %(value)s.'),
    gettext_noop("%(name)s must be [lowest, highest], not %(value)s."),
    gettext_noop("%(name)s must have its lowest rating first, not %(value)s."),
    gettext_noop(
        "delta must be at most 1/(10 · population) = %(most)s, not %(value)s: else a release that shows one person's"
        " data whole would be within it."
    ),
    gettext_noop("dpam trains factored models, not %(kind)s ones."),
    gettext_noop("Only dpam leans on public features."),
    gettext_noop("%(algorithm)s does not sample; leave it out."),
    gettext_noop("noise_multiplier by kind of release must have exactly %(kinds)s with %(algorithm)s, not %(value)s."),
    gettext_noop(
        "With this noise the task costs ε = %(epsilon)s at δ = %(delta)s, more than its target of %(target)s."
        " Raise the noise, take fewer rounds, or leave noise_multiplier out."
    ),
    gettext_noop("The task needs public features of the items; give their file."),
    gettext_noop("mode must be one that trains, for a run by devices."),
    gettext_noop("A round needs some %(expected)s devices, and the population is %(population)s. Lower report_goal."),
    gettext_noop("A contribution would have more than %(most)s bytes. Lower items_per_user, or dimension."),
)
