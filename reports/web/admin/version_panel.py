"""A version in words: its rules, and for “What this means” its impact."""

from typing import Any

from django.contrib.auth.models import User
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from reports import access
from reports.kinds import kind_of
from reports.models import UseCase, Version
from reports.privacy import impact_of
from reports.web.admin.parameter_fields import algorithm_choices, parameter_label


def version_in_words(version: Version, person: User) -> dict[str, Any]:
    """Return what templates say of a version: its kind, dictionary and rules, and the panel “What this means”."""
    # A draft has stand-ins for what follows from its dictionary.
    version.mechanism = version.device_mechanism
    impact = impact_of(version)
    return {
        "kind": kind_of(version),
        "dictionary": version.current_dictionary(),
        "rules": rules_in_words(version),
        "impact": impact,
        "sharing": _names(impact.loss.shared_with, person),
        "smallest_share": _percent(impact.smallest_share),
    }


def _names(use_cases: tuple[UseCase, ...], person: User) -> list[str]:
    """List the titles that the person may see, and how many others there are."""
    visible = set(access.use_cases(person, "view").values_list("pk", flat=True))
    names = [use_case.title for use_case in use_cases if use_case.pk in visible]
    if hidden := len(use_cases) - len(names):
        names.append(ngettext("%d that you may not see", "%d that you may not see", hidden) % hidden)
    return names


def _percent(share: float | None) -> str:
    return "–" if share is None or share >= 1 else _("%(percent)s %%") % {"percent": f"{100 * share:.2g}"}


def _written(value: object) -> str:
    return (_("yes") if value else _("no")) if isinstance(value, bool) else str(value)


def _parameter(version: Version, name: str) -> str:
    """Write a parameter; one that follows from the dictionary says so, and is not known without."""
    if name in version.parameters:
        return _written(version.parameters[name])
    if version.current_dictionary() is None:
        return _("the best for the dictionary, once that is there")
    return _("%(value)s, the best for the dictionary") % {
        "value": _written(version.mechanism.encoded_parameters()[name])
    }


def rules_in_words(version: Version) -> list[tuple[str, str]]:
    """List the names and values of the rules that are frozen once the version is active."""
    alphabet, algorithm = version.alphabet, version.algorithm
    lines = [f"{locale}: {text}" for locale, text in alphabet.items()] if isinstance(alphabet, dict) else [alphabet]
    return [
        (_("Algorithm"), dict(algorithm_choices()).get(algorithm, algorithm)),
        *((parameter_label(name, algorithm), _parameter(version, name)) for name in version.mechanism.parameter_types),
        *([(_("Seed"), str(version.parameters["seed"]))] if version.has_seed else []),
        (_("Normalisation"), version.normalization),
        (_("Keep case"), _written(version.keep_case)),
        (_("Alphabet"), "\n".join(filter(None, lines)) or _("any character")),
    ]
