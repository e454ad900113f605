"""The form of the page that says how large a site has to be."""

from collections.abc import Mapping
from typing import Any

from django import forms
from django.contrib.auth.models import User
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from reports.access import use_cases
from reports.mechanisms import name_of
from reports.models import Version
from reports.operations.sizing import ALGORITHM, PARAMETERS, Load
from reports.web.pages.planner.planner_form import FigureForm

_MOST = 1e15
# Besides, most sites leave the rest as it is.
_FIRST = ("reports", "targets", "use_cases", "records_per_upload", "targets_per_upload", "by_devices", "like")
_WHOLE = ("reports", "targets", "use_cases", "records_per_upload", "targets_per_upload", "elements", "retention_days")


def _number(label: Any, help_text: Any = "", least: float = 1, most: float = _MOST) -> forms.FloatField:
    return forms.FloatField(label=label, help_text=help_text, min_value=least, max_value=most)


class SizeForm(FigureForm):
    first = _FIRST
    reports = _number(gettext_lazy("Reports a day"), gettext_lazy("In all. 1e9 is a billion."))
    targets = _number(gettext_lazy("Targets"), gettext_lazy("Use cases times their locales."))
    use_cases = _number(gettext_lazy("Use cases"), gettext_lazy("At most as many as targets."))
    records_per_upload = _number(gettext_lazy("Records in an upload"))
    targets_per_upload = _number(gettext_lazy("Targets in an upload"))
    by_devices = _number(
        gettext_lazy("Sent by devices themselves, in per cent"),
        gettext_lazy("One document each; collecting servers upload the rest."),
        0,
        100,
    )
    like = forms.ModelChoiceField(
        Version.objects.none(), label=gettext_lazy("Reports are like those of"), required=False
    )
    elements = _number(gettext_lazy("Elements of a dictionary"))
    retention_days = _number(gettext_lazy("Days raw reports are kept"), most=3650)
    peak = _number(gettext_lazy("Busiest second, in mean ones"), most=1000)
    hours = _number(gettext_lazy("Hours until a day is published"), least=0.1, most=24)
    dollars = _number(gettext_lazy("Dollars for a million writes to the bucket"), least=0)

    def __init__(self, person: User, given: Mapping[str, str]) -> None:
        """Take what an address has; the rest is as usual."""
        usual = Load()
        values = {name: f"{getattr(usual, name):g}" for name in self.base_fields if hasattr(usual, name)}
        values |= {"reports": str(usual.reports), "dollars": "5"}
        super().__init__(values | dict(given))
        like: Any = self.fields["like"]
        theirs = Version.objects.filter(use_case__in=use_cases(person, "edit"), state=Version.State.ACTIVE)
        like.queryset = theirs.select_related("use_case").order_by("use_case__title")
        words = _("%(mechanism)s at ε = %(epsilon)s")
        like.empty_label = words % {"mechanism": name_of(ALGORITHM), "epsilon": PARAMETERS["epsilon"]}
        like.label_from_instance = lambda version: version.use_case.title

    @property
    def more_is_open(self) -> bool:
        return bool(self.errors)

    def load(self) -> Load:
        found = self.cleaned_data
        numbers: dict[str, Any] = {name: round(found[name]) for name in _WHOLE}
        if found["like"] is not None:
            numbers["mechanism"] = found["like"].mechanism
        return Load(
            **numbers | {"use_cases": min(numbers["use_cases"], numbers["targets"])},
            by_devices=found["by_devices"] / 100,
            peak=found["peak"],
            hours=found["hours"],
        )
