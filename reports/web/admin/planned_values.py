"""Use cases made from a plan: their forms say what comes from the plan, what is left, and in which order."""

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from django.forms import BooleanField, ChoiceField, Field
from django.http import HttpRequest
from django.utils.html import format_html
from django.utils.text import Truncator
from django.utils.translation import gettext

from aggregation.mechanisms import MECHANISMS
from aggregation.registry import parameter_types
from reports.formatting import plain
from reports.kinds import kind_of_algorithm

# Fields of the use case itself.
_LIMITS = ("daily_limit", "retention_days", "prescribed_threshold", "dictionary_complete")
# Digits. No number of a plan has as many, but an address may say anything, such as 1e20000.
_LONGEST = 30


def planned_limits(request: HttpRequest) -> dict[str, str]:
    """Read the settings of a planned use case from the query string."""
    return _planned(request, _LIMITS)


def planned_parameters(request: HttpRequest) -> dict[str, str]:
    """Read the settings of its first version from the query string."""
    return _planned(request, ("algorithm", "normalization", *parameter_types()))


def _planned(request: HttpRequest, names: tuple[str, ...]) -> dict[str, str]:
    """Read planned values; none unless a known algorithm is among them."""
    if request.GET.get("algorithm") not in MECHANISMS:
        return {}
    return {name: request.GET[name] for name in names if request.GET.get(name)}


def mark_planned(fields: Mapping[str, Field], planned: Mapping[str, str]) -> None:
    """Show the planned value beside each field, also once the field has another."""
    for name, value in planned.items():
        words = gettext("From your plan: %(value)s.") % {"value": _shown(fields[name], value)}
        fields[name].help_text = format_html("<strong>{}</strong> {}", words, fields[name].help_text)


def _shown(field: Field, value: str) -> str:
    if isinstance(field, BooleanField):
        return gettext("yes")
    if isinstance(field, ChoiceField):
        label = str(dict(field.choices).get(value, value))  # type: ignore[arg-type]
        return label.partition(":")[0]
    try:
        number = Decimal(value)
        if len(value) <= _LONGEST and abs(number.adjusted()) <= _LONGEST:
            return plain(number)
    except (ArithmeticError, ValueError):
        pass
    return Truncator(value).chars(_LONGEST)


def steps_of_plan(request: HttpRequest, step: int) -> dict[str, Any]:
    """Return the context of the box above the form; empty without a plan."""
    if not planned_parameters(request):
        return {}
    return {"plan_step": step, "plan_finds_words": not kind_of_algorithm(request.GET["algorithm"]).has_dictionary}
