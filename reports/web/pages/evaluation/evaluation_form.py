"""The form of an evaluation: a grid in few fields, each with what is usual."""

from collections.abc import Mapping, Sequence
from decimal import Decimal, InvalidOperation
from typing import Any, Final

from django import forms
from django.http import QueryDict
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from aggregation import ParameterError
from aggregation.evaluation import DEFAULTS, MOST_ELEMENTS, CountsError, read_counts
from aggregation.mechanisms import MECHANISMS
from reports.evaluation import PublishedShape
from reports.evaluation.limits import MOST_REPETITIONS, MOST_TOP
from reports.formatting import whole
from reports.mechanisms import title_of, words_of
from reports.planning import Question, suggest
from reports.web.pages.planner.planner_form import FigureForm, whole_number

_MOST_BYTES: Final = 2_500_000
_MOST_DIGITS: Final = 19
LIST: Final = "list"
PUBLISHED: Final = "published"
_DISTRIBUTIONS: Final = [
    ("harmonic", gettext_lazy("Harmonic: the element of rank i has a share proportional to 1/i, as words have")),
    ("exponential", gettext_lazy("Exponential: each element has 1/1.3 of the share before it; few occur at all")),
    ("even", gettext_lazy("Even: all alike, so that ranks mean nothing")),
    (LIST, gettext_lazy("Observed: the list below")),
]
_FAMILIES: Final = [
    ("fixed", gettext_lazy("the same in all repetitions, as a deployment has them: collisions stay")),
    ("fresh", gettext_lazy("others in each repetition, as formulas average over them: collisions average out")),
]
_ESTIMATORS: Final = [
    ("debiased", gettext_lazy("without bias, as histograms show them")),
    ("corrected", gettext_lazy("without bias, and corrected for collisions of these elements")),
    ("consistent", gettext_lazy("made consistent: none below zero, together all reports")),
]


def counting() -> list[str]:
    return [name for name, mechanism in MECHANISMS.items() if mechanism.kind == "counting"]


def _whole(label: Any, most: int, help_text: Any = "") -> forms.IntegerField:
    error = gettext_lazy("Give a whole number from 1 to the limit: it is too small, too large, or no number.")
    return whole_number(label, help_text, 1, most, error)


class NumbersField(forms.CharField):
    """One number or several, separated by commas or spaces."""

    def to_python(self, value: Any) -> list[Decimal]:  # type: ignore[override]
        try:
            found = [Decimal(text) for text in str(value or "").replace(",", " ").replace(";", " ").split()]
        except InvalidOperation as error:
            raise forms.ValidationError(_("Give numbers separated by commas, such as 256, 65535.")) from error
        # Whole numbers of very many digits would take long to write out.
        if not all(number.is_finite() and abs(number.adjusted()) < _MOST_DIGITS for number in found):
            raise forms.ValidationError(_("Give numbers separated by commas, such as 256, 65535."))
        # Values asked for twice are tried once.
        return list(dict.fromkeys(found))


class EvaluationForm(FigureForm):
    distributions = forms.MultipleChoiceField(
        label=gettext_lazy("What is counted"),
        widget=forms.CheckboxSelectMultiple,
        error_messages={"required": gettext_lazy("Choose one at least.")},
    )
    counts = forms.CharField(
        label=gettext_lazy("A list of your own"),
        help_text=gettext_lazy("One element a line, a tab or a comma, and how often it is reported."),
        required=False,
        widget=forms.Textarea(attrs={"rows": 4, "placeholder": "tea\t420\ncoffee\t310"}),
        strip=False,
    )
    file = forms.FileField(
        label=gettext_lazy("The list as a file"),
        help_text=gettext_lazy("CSV or TSV, in place of the lines above."),
        required=False,
    )
    elements = _whole(gettext_lazy("Elements"), MOST_ELEMENTS, gettext_lazy("How many may be reported."))
    reports = _whole(gettext_lazy("Reports"), 10**9, gettext_lazy("Of one window and locale."))
    algorithm = forms.MultipleChoiceField(
        label=gettext_lazy("Mechanisms"),
        choices=lambda: [(name, title_of(name)) for name in counting()],
        widget=forms.CheckboxSelectMultiple,
        error_messages={"required": gettext_lazy("Choose one at least.")},
    )
    epsilon = NumbersField(label=gettext_lazy("ε of a report"), help_text=gettext_lazy("One value or several: 1, 2, 4"))
    estimator = forms.ChoiceField(label=gettext_lazy("Estimates"), choices=_ESTIMATORS)
    family = forms.ChoiceField(
        label=gettext_lazy("Hash functions"),
        choices=_FAMILIES,
        help_text=gettext_lazy("With few hash functions it changes the deviation of the mean up to twentyfold."),
    )
    repetitions = _whole(
        gettext_lazy("Repetitions"), MOST_REPETITIONS, gettext_lazy("More are more certain, and slower.")
    )
    top = _whole(gettext_lazy("Ranks that are read"), MOST_TOP)
    exact_reports = forms.BooleanField(
        label=gettext_lazy("Make all reports one by one"),
        help_text=gettext_lazy(
            "As devices do, in place of drawing what they add up to: the same distribution, far slower."
        ),
        required=False,
    )
    seed = forms.IntegerField(
        label=gettext_lazy("Seed"),
        help_text=gettext_lazy("Left empty, one is drawn. The same seed gives the same numbers."),
        required=False,
        min_value=0,
        max_value=2**63 - 1,
    )

    def __init__(
        self,
        data: QueryDict | None = None,
        files: Any = None,
        *,
        shape: PublishedShape | None,
        given: Mapping[str, str],
    ) -> None:
        super().__init__(data, files, initial=_initial(given, shape))
        self.shape = shape
        # Elements of the smallest input, once they are known.
        self._fewest = 0
        published = [] if shape is None else [(PUBLISHED, _("As this use case has published it"))]
        inputs: Any = self.fields["distributions"]
        inputs.choices = [*published, *_DISTRIBUTIONS]
        for name in parameters():
            words = next(words_of(each).PARAMETERS[name] for each in counting() if name in words_of(each).PARAMETERS)
            hints = [_examples(name), _("Left empty: what fits each ε."), _(words.more)]
            self.fields[name] = NumbersField(label=_(words.label), required=False, help_text=" ".join(hints))
            self.initial.setdefault(name, given.get(name, ""))
        # The usual values of the others suit most.
        self.first = ("distributions", "elements", "reports", "algorithm", "epsilon", *parameters())
        order = ["distributions", "counts", "file", "elements", "reports", "algorithm", *parameters(), "epsilon"]
        self.order_fields([*order, "estimator", "family", "repetitions", "top", "exact_reports", "seed"])

    def clean(self) -> dict[str, Any]:
        values = self.cleaned_data
        elements = [self._elements(name) for name in values.get("distributions", [])]
        self._fewest, most = min(elements, default=0), max(elements, default=0)
        if 0 < most < values.get("top", 0):
            words = _("There are %(elements)s elements, and so no more ranks: take %(elements)s or fewer.")
            self.add_error("top", words % {"elements": whole(most)})
        return values

    def _elements(self, distribution: str) -> int:
        """The number of elements of an input; 0 if what is given of them is wrong, which is said beside it."""
        if distribution == PUBLISHED and self.shape is not None:
            return self.shape.elements
        if distribution != LIST:
            return int(self.cleaned_data.get("elements") or 0)
        try:
            elements, _counts = read_counts(self.list_text())
        except CountsError as error:
            self.add_error("file" if self.cleaned_data.get("file") else "counts", _(error.words) % error.facts)
            return 0
        return len(elements)

    def refuse(self, error: ParameterError) -> None:
        """Say what mechanisms, or the grid as a whole, have against what was given, in the reader's language."""
        if error.field == "mechanisms":
            self.add_error(None, _("These are too many combinations of parameters: leave some values out."))
            return
        rules: dict[str, list[str]] = {}
        for each in self.cleaned_data["algorithm"]:
            words = words_of(each).PARAMETERS.get(error.field)
            if words is not None and words.rule:
                rules.setdefault(_(words.rule), []).append(title_of(each))
        # The error itself is in words for documents.
        said = " ".join(
            # A rule that names its mechanism is of no other.
            rule if names[0] in rule else _("%(mechanisms)s: %(rule)s") % {"mechanisms": ", ".join(names), "rule": rule}
            for rule, names in rules.items()
        ) or str(error)
        self.add_error(error.field if error.field in self.fields else None, said)

    def clean_file(self) -> Any:
        file = self.cleaned_data["file"]
        if file is not None and file.size > _MOST_BYTES:
            raise forms.ValidationError(_("The file is too large: at most 2.5 MB fit. Leave out the rarest elements."))
        return file

    def list_text(self) -> str:
        """The list that was handed in: of the file, or else of the lines."""
        if self.cleaned_data.get("file"):
            # Read more than once.
            self.cleaned_data["file"].seek(0)
            text = str(self.cleaned_data["file"].read().decode("utf-8", errors="replace"))
            # The database takes no NUL.
            return text.replace("\0", "\ufffd")
        return str(self.cleaned_data.get("counts") or "")

    def grid(self) -> dict[str, Any]:
        """The grid asked for, as a file of the command has it."""
        values = self.cleaned_data
        named = {LIST: {"observed": LIST}, PUBLISHED: {"observed": PUBLISHED}}
        return {
            "distributions": [named.get(name, name) for name in values["distributions"]],
            **{name: values[name] for name in ("elements", "reports", "repetitions", "family", "top")},
            "mechanisms": [each for algorithm in values["algorithm"] for each in self._mechanisms(algorithm)],
            "epsilon": list(map(_plain, values["epsilon"])),
        }

    def _mechanisms(self, algorithm: str) -> list[dict[str, Any]]:
        """Return a mechanism with all values that were given, once for each suggestion of those that were not."""
        values = self.cleaned_data
        own = [name for name in parameters() if name in MECHANISMS[algorithm].parameter_types]
        given = {name: list(map(_plain, values[name])) for name in own if values[name]}
        named = {} if values["estimator"] == "debiased" else {"estimator": values["estimator"]}
        suggested = [self._suggested(algorithm, own, given, epsilon) for epsilon in values["epsilon"]]
        return [
            {"algorithm": algorithm, **each, **given, **named}
            for place, each in enumerate(suggested)
            if each not in suggested[:place]
        ]

    def _suggested(
        self, algorithm: str, own: Sequence[str], given: Mapping[str, list[int | float]], epsilon: Decimal
    ) -> dict[str, int]:
        """Suggest the parameters that are left empty, for one ε and the input of the fewest elements."""
        # The smallest of several values, for which collisions are the most.
        least = (
            min((value for value in given.get(name, []) if isinstance(value, int)), default=None) for name in ("m", "g")
        )
        m, g = least
        values = self.cleaned_data
        complete = values["estimator"] == "corrected"
        question = Question(n=values["reports"], size=self._fewest, complete=complete, m=m, g=g)
        # Without a suggestion something is wrong with what is given, which the mechanism says.
        missing = dict.fromkeys((name for name in own if name not in given), 1)
        return missing | suggest(algorithm, {**given, "epsilon": epsilon}, question)

    def window(self) -> dict[str, str]:
        """Return the window of the published shape, if that is what is counted."""
        wanted = self.shape is not None and PUBLISHED in self.cleaned_data["distributions"]
        return self.shape.window if wanted and self.shape is not None else {}

    def load(self, name: str) -> str:
        """The text of a list that the grid names."""
        return self.shape.counts if name == PUBLISHED and self.shape is not None else self.list_text()


def parameters() -> list[str]:
    """Numbers that mechanisms which count have beside ε."""
    types = {name: kind for each in counting() for name, kind in MECHANISMS[each].parameter_types.items()}
    return [name for name, kind in types.items() if name != "epsilon" and kind is int]


def _examples(name: str) -> str:
    """The values of a parameter that the paper had, if it has it."""
    (paper,) = DEFAULTS["mechanisms"]
    if name not in paper:
        return _("One value, or several separated by commas.")
    return _("One value or several: %(examples)s.") % {"examples": ", ".join(map(str, paper[name]))}


def _plain(number: Decimal) -> int | float:
    return int(number) if number == int(number) else float(number)


def _initial(given: Mapping[str, str], shape: PublishedShape | None) -> dict[str, Any]:
    """Initial values of the form: as in the address, or of the use case, or else as the paper had it."""
    usual = dict(DEFAULTS)
    (mechanism,) = usual.pop("mechanisms")
    usual |= {name: ", ".join(map(str, value)) for name, value in mechanism.items() if name != "algorithm"}
    usual |= {"algorithm": [mechanism["algorithm"]], "epsilon": "4", "estimator": "debiased"}
    if shape is not None:
        own = shape.version.mechanism.encoded_parameters()
        usual |= {name: str(value) for name, value in own.items() if name in usual}
        usual |= {"algorithm": [shape.version.algorithm], "reports": shape.n, "elements": shape.elements}
        # Nothing is known of the other places.
        usual["top"] = min(max(shape.first, 1), MOST_TOP)
        usual["distributions"] = [PUBLISHED]
    wanted = {
        name: value.split(",") if isinstance(usual[name], list) else value
        for name, value in given.items()
        if value and name in usual
    }
    return {**usual, **wanted}
