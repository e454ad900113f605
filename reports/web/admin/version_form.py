"""The forms of a version: all of it while it is a draft, and its locales afterwards."""

import json
import re
from collections.abc import Mapping
from typing import Any, ClassVar, cast

from django import forms
from django.contrib.admin.widgets import AdminTextareaWidget, AdminTextInputWidget
from django.contrib.auth.models import User
from django.http import QueryDict
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from aggregation.mechanisms import MECHANISMS
from aggregation.registry import parameter_types
from reports import access
from reports.definitions import change_draft, change_locales, create_draft, settings_of
from reports.models import UseCase, Version
from reports.models.alphabets import Alphabet
from reports.models.validators import NO_LOCALE
from reports.planning import Question, suggest
from reports.web.admin.alphabet_field import TextField, read_alphabet, write_alphabet
from reports.web.admin.editable import EditableForm
from reports.web.admin.parameter_fields import (
    PROFILES,
    algorithm_choices,
    parameter_fields,
    parameters_by_algorithm,
    problem_beside,
    suggested_beside,
)
from reports.web.admin.planned_values import mark_planned

_LOCALES_HELP = _(
    "Where the question is asked, such as en_US fr_FR, separated by commas or spaces. Each locale has its own"
    " histogram, and the first is shown first. “und” is one histogram for all. Reports of other locales are dropped."
)


def _parameters_of(algorithm: str) -> set[str]:
    mechanism = MECHANISMS[algorithm]
    return {*mechanism.parameter_types, "seed"} if mechanism.has_seed else {*mechanism.parameter_types}


class LocalesField(forms.CharField):
    """Locales as people write them, with commas or spaces between."""

    widget = AdminTextInputWidget

    def to_python(self, value: Any) -> Any:
        return [part for part in re.split(r"[\s,]+", super().to_python(value) or "") if part]

    def prepare_value(self, value: Any) -> Any:
        return ", ".join(value) if isinstance(value, list) else value


class LocalesForm(EditableForm):
    locales = LocalesField(
        label=_("Locales"), help_text=_LOCALES_HELP, initial=["und"], error_messages={"required": NO_LOCALE}
    )

    class Meta:
        model = Version
        fields = ("locales",)

    def store(self) -> Version:
        """Write it, by the one writer of definitions. Raises `ValidationError`."""
        return change_locales(self.instance, self.cleaned_data["locales"])


class DraftForm(LocalesForm):
    person: ClassVar[User]
    # What was planned, if this is the first version of a use case that is made of a plan.
    planned: ClassVar[Mapping[str, str]] = {}

    algorithm = forms.ChoiceField(
        label=_("Algorithm"),
        choices=algorithm_choices,
        help_text=_("How devices randomise their reports. Each algorithm has its own parameters, below."),
    )
    seed = forms.CharField(
        label=_("Seed"),
        required=False,
        widget=AdminTextInputWidget,
        help_text=_(
            "Chooses the hash functions, and is public: 32 digits from 0 to 9 and a to f. Leave it empty unless you"
            " copy a version from elsewhere: a new draft draws one, an existing draft keeps its own."
        ),
    )
    normalization = forms.ChoiceField(
        label=_("Normalisation"),
        # None is chosen at first, so that it is a decision.
        choices=[("", _("Choose one")), *PROFILES],
        error_messages={"required": _("Choose how elements are written before they are counted.")},
        help_text=_(
            "How device and server write an element before it is counted; what finds words needs word. A"
            " change deletes the draft’s dictionary, because its elements would be written differently."
        ),
    )
    alphabet = TextField(
        label=_("Alphabet"),
        required=False,
        strip=False,
        widget=AdminTextareaWidget(attrs={"rows": 5}),
        help_text=_(
            "For words: the characters they may contain; devices report no word with any other. Write one text for"
            " all locales, or a line for each, such as “en_US: abc”. Left empty, any character may occur, except"
            " where words are found, which are put together from these characters: each locale needs 1 to 64,"
            " and the work of a run grows with the square of their number. Lower-case letters, also with accents,"
            " digits and signs are allowed, each once; no space, no “_”, and no accent by itself."
        ),
    )

    class Meta(LocalesForm.Meta):
        # Locales before the alphabet, which is read by them.
        fields = ("use_case", "locales", "algorithm", "normalization", "keep_case", "alphabet")  # type: ignore[assignment]
        help_texts = {
            "use_case": _("The question that this version answers."),
            "keep_case": _(
                "For words: keep capital letters, so that Apple and apple are counted apart. A change deletes the"
                " draft’s dictionary."
            ),
        }

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields.update(parameter_fields())
        if self.instance.pk:
            del self.fields["use_case"]
            self.initial |= self.instance.parameters | {"alphabet": write_alphabet(self.instance.alphabet)}
        else:
            self.fields["use_case"].queryset = access.use_cases(self.person, "edit")  # type: ignore[attr-defined]
        self.fields["algorithm"].widget.attrs["data-parameters"] = json.dumps(parameters_by_algorithm())
        mark_planned(self.fields, self.planned)

    def clean_alphabet(self) -> Alphabet:
        """Read the alphabet; every character counts, also a space at an end."""
        if "alphabet" not in self.changed_data:
            present: Alphabet = self.instance.alphabet
            return present
        return read_alphabet(self.cleaned_data["alphabet"], self.cleaned_data.get("locales", ()))

    def clean(self) -> dict[str, Any]:
        super().clean()
        algorithm = self.cleaned_data.get("algorithm", "")
        given = self._given_parameters()
        for name in given.keys() - _parameters_of(algorithm) if algorithm else ():
            words = gettext("%(algorithm)s has no such parameter; leave it empty.")
            self.add_error(name, words % {"algorithm": algorithm})
        # Those that are wrong are said first, and the model has nothing to check.
        known = algorithm and not self.errors.keys() & {*parameter_types(), "seed"}
        self.instance.parameters = given if known and not self._suggested(algorithm, given) else None
        return self.cleaned_data

    def _update_errors(self, errors: forms.ValidationError) -> None:
        """Put what is wrong with a parameter beside its field, in the words of the form."""
        found = {name: problems for name, problems in errors.error_dict.items() if name not in self.errors}
        for problem in found.pop("parameters", []):
            field = problem.code if problem.code in self.fields else "seed"
            self.add_error(field, problem_beside(problem, self.cleaned_data["algorithm"], self._given_parameters()))
        super()._update_errors(forms.ValidationError(found))  # type: ignore[misc]

    def _suggested(self, algorithm: str, given: Mapping[str, Any]) -> bool:
        """Fill in what the planner suggests for what was left out, if there is any, and say so beside it."""
        use_case = self._use_case()
        version = self.instance if self.instance.pk else use_case.active_version() if use_case is not None else None
        dictionary = version.current_dictionary() if version is not None else None
        complete = use_case is not None and use_case.dictionary_complete
        question = Question(size=dictionary.size, complete=complete) if dictionary is not None else Question()
        suggestions = suggest(algorithm, given, question)
        # What was sent is shown again, with what was missing.
        shown = cast(QueryDict, self.data).copy()
        self.data = shown
        for name, value in suggestions.items():
            shown[name] = str(value)
            self.add_error(name, suggested_beside(algorithm, value, question))
        return bool(suggestions)

    def _use_case(self) -> UseCase | None:
        return self.instance.use_case if self.instance.pk else self.cleaned_data.get("use_case")

    def _given_parameters(self) -> dict[str, Any]:
        """The parameters that are filled in, the seed among them."""
        given = {name: self.cleaned_data.get(name) for name in (*parameter_types(), "seed")}
        chosen = _parameters_of(self.cleaned_data.get("algorithm", "")) if self.cleaned_data.get("algorithm") else set()
        # A box that is not ticked is one that is left empty, where it is of another algorithm.
        return {name: value for name, value in given.items() if value not in (None, "") and (value or name in chosen)}

    def store(self) -> Version:
        settings = settings_of(self.instance)
        if self.instance.pk:
            return change_draft(self.instance, **settings)
        return create_draft(self.instance.use_case, **settings)
