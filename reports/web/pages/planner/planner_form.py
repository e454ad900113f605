"""The form of the planner."""

from collections.abc import Collection, Mapping
from decimal import Decimal
from typing import Any

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext_lazy

from aggregation.mechanisms import MECHANISMS
from aggregation.parameters import MAX_CELLS, MAX_M
from reports.formatting import plain
from reports.mechanisms import title_of
from reports.planning import MOST_A_DAY, MOST_REPORTS, Found, Question

# One of these may be left empty, and is found.
_SOLVED: tuple[Found, ...] = ("share", "epsilon", "n")
_FIRST = {*_SOLVED, "days", "probability", "size", "complete"}
# Fields that only some mechanisms have a use for.
SHAPE = {"k", "m", "g", "w"}
_PROBABILITIES = (Decimal("0.5"), Decimal("0.8"), Decimal("0.9"), Decimal("0.95"), Decimal("0.99"))
_AUTOMATIC = gettext_lazy("suggested")
_NONE = pgettext_lazy("a threshold", "none")
_ALL = gettext_lazy("All, side by side")


def whole_number(label: Any, help_text: Any, least: int, most: int, error: Any, **options: Any) -> forms.IntegerField:
    """A whole number; whatever is wrong with it, one sentence says what it must be."""
    messages = dict.fromkeys(("required", "invalid", "min_value", "max_value"), error)
    return forms.IntegerField(
        label=label, help_text=help_text, min_value=least, max_value=most, error_messages=messages, **options
    )


def _decimal(label: Any, help_text: Any, least: str, most: str, error: Any, **options: Any) -> forms.DecimalField:
    codes = ("invalid", "min_value", "max_value", "max_decimal_places", "max_digits", "max_whole_digits")
    return forms.DecimalField(
        label=label,
        help_text=help_text,
        min_value=Decimal(least),
        max_value=Decimal(most),
        decimal_places=3,
        error_messages=dict.fromkeys(codes, error),
        widget=forms.NumberInput(attrs={"step": "0.1" if least == "0" else "0.001"}),
        **options,
    )


def _algorithms() -> list[tuple[str, str]]:
    return [("", str(_ALL)), *((name, title_of(name)) for name in MECHANISMS)]


class FigureForm(forms.Form):
    """A form of figures: some are asked first, the rest most plans leave as it is."""

    first: Collection[str]

    @property
    def asked_first(self) -> list[forms.BoundField]:
        return [self[name] for name in self.fields if name in self.first]

    @property
    def asked_last(self) -> list[forms.BoundField]:
        return [self[name] for name in self.fields if name not in self.first]


class PlannerForm(FigureForm):
    first = _FIRST
    n = whole_number(
        gettext_lazy("Reports a day"),
        gettext_lazy("Of one locale: each has a histogram of its own. Divide those of a week by 7."),
        1,
        MOST_A_DAY,
        gettext_lazy("Give a whole number of reports, from 1 to 1,000,000,000."),
        required=False,
    )
    days = whole_number(
        gettext_lazy("Days together"),
        gettext_lazy("A histogram of more days is more exact."),
        1,
        366,
        gettext_lazy("Give a whole number of days, from 1 to 366."),
    )
    epsilon = _decimal(
        gettext_lazy("ε of a report"),
        gettext_lazy("Privacy loss: smaller hides people better, and shows less. 4 is common, 2 is careful."),
        "0.01",
        "16",
        gettext_lazy("Give a number from 0.01 to 16, with at most three decimals."),
        required=False,
    )
    share = _decimal(
        gettext_lazy("Smallest share to be seen, in %"),
        gettext_lazy("What so many percent of the reports say is to be seen."),
        "0.001",
        "100",
        gettext_lazy("Give a percentage from 0.001 to 100, with at most three decimals, or leave it empty."),
        required=False,
    )
    probability = forms.TypedChoiceField(
        label=gettext_lazy("How often it is to be seen"),
        help_text=gettext_lazy("Noise may hide it in a single histogram."),
        coerce=Decimal,
        choices=lambda: [(str(each), times_of(each)) for each in _PROBABILITIES],
    )
    size = whole_number(
        gettext_lazy("Dictionary size"),
        gettext_lazy("How many elements may be reported; of new words, how many different ones people use."),
        1,
        10**7,
        gettext_lazy("Give a whole number of elements, from 1 to 10,000,000."),
    )
    complete = forms.BooleanField(
        label=gettext_lazy("Devices can report nothing outside the dictionary"),
        help_text=gettext_lazy("Collisions are then corrected, and few hash functions are enough."),
        required=False,
    )
    exponent = _decimal(
        gettext_lazy("Zipf exponent"),
        gettext_lazy("How fast frequencies fall from rank to rank: 0 is all alike, 1 is common for words and emoji."),
        "0",
        "5",
        gettext_lazy("Give a number from 0 to 5, with at most three decimals."),
    )
    limit = whole_number(
        gettext_lazy("Reports per device and day"),
        gettext_lazy("At most; ε of a person’s day is so many times ε."),
        1,
        1000,
        gettext_lazy("Give a whole number of reports, from 1 to 1,000."),
    )
    retention = whole_number(
        gettext_lazy("Days raw reports are kept"),
        gettext_lazy("ε of all reports that are held adds up over these, and over days of waiting."),
        1,
        3650,
        gettext_lazy("Give a whole number of days, from 1 to 3,650."),
    )
    prescribed_threshold = whole_number(
        gettext_lazy("Prescribed threshold"),
        gettext_lazy("In reports of the window: nothing below is shown. Left empty, only the statistical threshold."),
        1,
        2**31 - 1,
        gettext_lazy("Give a whole number of reports from 1 on, or leave it empty."),
        required=False,
        widget=forms.NumberInput(attrs={"placeholder": _NONE}),
    )
    algorithm = forms.ChoiceField(
        label=gettext_lazy("Mechanism"),
        required=False,
        choices=_algorithms,
        error_messages={"invalid_choice": gettext_lazy("There is no such mechanism; choose one of the list.")},
    )
    m = whole_number(
        gettext_lazy("Buckets (m)"),
        gettext_lazy("A power of two. Left empty, as many as collisions take to add at most 5 % to the error."),
        8,
        MAX_M,
        gettext_lazy("Give a power of two from 8 to 1,048,576, or leave it empty."),
        required=False,
        widget=forms.NumberInput(attrs={"placeholder": _AUTOMATIC}),
    )
    k = whole_number(
        gettext_lazy("Hash functions (k)"),
        gettext_lazy("Left empty, as many as frequent elements take to add at most 5 % to the error of others."),
        1,
        MAX_CELLS // 8,
        gettext_lazy("Give a whole number from 1 on, with k × m at most 268,435,456, or leave it empty."),
        required=False,
        widget=forms.NumberInput(attrs={"placeholder": _AUTOMATIC}),
    )
    g = whole_number(
        gettext_lazy("Buckets of local hashing (g)"),
        gettext_lazy("Left empty, the whole number nearest e^ε + 1, which is best."),
        2,
        2**16,
        gettext_lazy("Give a whole number from 2 to 65,536, or leave it empty."),
        required=False,
        widget=forms.NumberInput(attrs={"placeholder": _AUTOMATIC}),
    )
    w = whole_number(
        gettext_lazy("Elements of a report (w)"),
        gettext_lazy("Of subset selection. Left empty, about the dictionary’s size divided by e^ε + 1, which is best."),
        1,
        512,
        gettext_lazy("Give a whole number from 1 to 512, or leave it empty."),
        required=False,
        widget=forms.NumberInput(attrs={"placeholder": _AUTOMATIC}),
    )

    def __init__(self, given: Mapping[str, str]) -> None:
        """Take what an address has; the rest is as usual, and what the mechanism has no use for is not asked."""
        usual = Question()
        values = {name: str(getattr(usual, name)) for name in self.base_fields if getattr(usual, name) is not None}
        own = {name: value for name, value in given.items() if value.strip()}
        # An emptied field is looked for; with an address of a share alone, ε is.
        emptied = given.keys() - own.keys()
        if "share" in own:
            emptied |= {name for name in ("epsilon", "n") if name not in own}
            emptied -= set() if own.keys() & {"epsilon", "n"} else {"n"}
        for name in emptied & {"epsilon", "n"}:
            del values[name]
        super().__init__(values | own)
        if (known := MECHANISMS.get(given.get("algorithm", ""))) is not None:
            for name in SHAPE - known.parameter_types.keys():
                del self.fields[name]

    @property
    def more_is_open(self) -> bool:
        """Tell whether anything of that is wrong, or not as usual."""
        usual = Question()
        given = {field.name: field.value() for field in self.asked_last}
        return any(str(value or "") != str(getattr(usual, name) or "") for name, value in given.items())

    @property
    def find(self) -> Found:
        """The figure that is left empty."""
        return next((name for name in _SOLVED if self.cleaned_data.get(name) is None), "")

    def show_found(self, question: Question) -> None:
        """Show what was found where it is left empty."""
        if question.find in ("epsilon", "n"):
            self.cleaned_data[question.find] = value = getattr(question, question.find)
            self.fields[question.find].widget.attrs["placeholder"] = _("found: %(value)s") % {
                "value": plain(Decimal(value))
            }

    def clean_m(self) -> int | None:
        m: int | None = self.cleaned_data["m"]
        if m is not None and m & (m - 1):
            raise forms.ValidationError(self.fields["m"].error_messages["invalid"])
        return m

    def clean(self) -> dict[str, Any]:
        values = self.cleaned_data
        left = [name for name in _SOLVED if name not in self.errors and values.get(name) is None]
        if len(left) > 1:
            self.add_error(left[0], _("Only one of reports, ε and share can be found from the others: give this one."))
        if values.get("n") and values.get("days") and values["n"] * values["days"] > MOST_REPORTS:
            self.add_error("n", _("All days together may have at most 100,000,000,000 reports."))
        if values.get("k") and values.get("m") and values["k"] * values["m"] > MAX_CELLS:
            self.add_error("k", self.fields["k"].error_messages["invalid"])
        return values

    def given(self) -> list[tuple[str, str]]:
        """Given values, by the names of the fields."""
        return [(str(field.label), _written(name, self.cleaned_data[name])) for name, field in self.fields.items()]

    def question(self) -> Question:
        known = {name: value for name, value in self.cleaned_data.items() if value is not None}
        return Question(**known, find=self.find)


def times_of(probability: Decimal) -> str:
    if probability == Decimal("0.5"):
        return _("half of the time")
    many = probability * 10 == int(probability * 10)
    times, of = (10 * probability, 10) if many else (100 * probability, 100)
    return _("%(times)s times of %(of)s") % {"times": plain(times), "of": of}


def _written(name: str, value: Any) -> str:
    if name == "algorithm":
        return title_of(value) if value else str(_ALL)
    if name == "probability":
        return times_of(value)
    if isinstance(value, bool):
        return _("yes") if value else _("no")
    if value is None:
        return str(_NONE if name in ("prescribed_threshold", "share") else _AUTOMATIC)
    return plain(Decimal(value))
