"""The forms of a version: all of it while it is a draft, and its locales afterwards."""

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, cast

from django import forms
from django.contrib.admin.widgets import AdminTextareaWidget, AdminTextInputWidget
from django.contrib.auth.models import User
from django.http import QueryDict
from django.utils.text import capfirst
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from aggregation.errors import ParameterError
from aggregation.mechanisms import MECHANISMS
from reports import access
from reports.admin.alphabet_field import TextField, read_alphabet, write_alphabet
from reports.admin.parameters import (
    PROFILES,
    algorithm_choices,
    parameter_fields,
    parameter_names,
    parameters_by_algorithm,
    problem_beside,
    suggested_beside,
)
from reports.admin.planned import mark_planned
from reports.definitions import change_draft, change_locales, create_draft
from reports.definitions.alphabets import Alphabet
from reports.definitions.locales import locale_problems
from reports.definitions.rules import element_problems, wire_parameters
from reports.definitions.versions import missing_alphabets
from reports.models import UseCase, Version
from reports.planning import Question, suggest

_LOCALES_HELP = _(
    "Where the question is asked, such as en_US fr_FR, separated by commas or spaces; each gets a histogram of its own,"
    " and the first is shown first. “und” is one histogram for all. Reports of a locale that is not here are dropped."
)


class LocalesForm(forms.ModelForm):  # type: ignore[type-arg]
    # Why the definitions refused the same input, if they did: shown with what was typed.
    refused: ClassVar[Sequence[str]] = ()
    # Whether there are other fields.
    frozen: ClassVar[bool] = True

    locales = forms.CharField(label=_("Locales"), help_text=_LOCALES_HELP, widget=AdminTextInputWidget, initial="und")

    class Meta:
        model = Version
        fields = ("locales",)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if self.instance.pk:
            self.initial["locales"] = ", ".join(self.instance.locales)

    def clean_locales(self) -> list[str]:
        locales = [part for part in re.split(r"[\s,]+", self.cleaned_data["locales"]) if part]
        if not locales:
            raise forms.ValidationError(gettext("Give at least one locale, such as en_US or und."))
        if problems := list(locale_problems(locales)):
            raise forms.ValidationError(problems)
        if self.frozen and (problem := missing_alphabets(self.instance, locales)):
            raise forms.ValidationError(problem)
        return locales

    def clean(self) -> dict[str, Any]:
        for problem in self.refused:
            self.add_error(None, problem)
        return self.cleaned_data

    def store(self) -> Version:
        """Write it, by the one writer of definitions. Raises `DefinitionError`."""
        return change_locales(self.instance, self.cleaned_data["locales"])


class DraftForm(LocalesForm):
    frozen = False
    person: ClassVar[User]
    # What was planned, if this is the first version of a use case that is made of a plan.
    planned: ClassVar[Mapping[str, str]] = {}

    algorithm = forms.ChoiceField(
        label=_("Algorithm"),
        choices=algorithm_choices,
        help_text=_("How devices hide their answers. Each has its own parameters, below."),
    )
    seed = forms.CharField(
        label=_("Seed"),
        required=False,
        widget=AdminTextInputWidget,
        help_text=_(
            "Chooses the hash functions; public, 32 digits from 0 to 9 and a to f. Leave it empty unless you copy a"
            " version from elsewhere: a new draft then draws one, an existing one keeps its own."
        ),
    )
    normalization = forms.ChoiceField(
        label=_("Normalisation"),
        # Nobody shall get the first of them for not having looked.
        choices=[("", _("Choose one")), *PROFILES],
        error_messages={"required": _("Choose how elements are written before they are counted.")},
        help_text=_(
            "How device and server write an element before they count it: word for Sequence Fragment Puzzle. Changing"
            " it deletes the draft’s dictionary, because its elements would be written in another way."
        ),
    )
    alphabet = TextField(
        label=_("Alphabet"),
        required=False,
        strip=False,
        widget=AdminTextareaWidget(attrs={"rows": 5}),
        help_text=_(
            "For words: the characters they may have; devices report no word with another. One text for all locales, or"
            " a line for each, such as “en_US: abc”. Left empty, any character may occur, except with Sequence Fragment"
            " Puzzle, which puts words together from these characters: for it each locale needs 1 to 64, and the work"
            " of a run grows with the square of their number. Small letters with their accents, digits and signs may"
            " be there, each once; no space, no “_”, and no accent by itself."
        ),
    )

    class Meta(LocalesForm.Meta):
        # Locales before the alphabet, which is read by them.
        fields = ("use_case", "locales", "algorithm", "normalization", "keep_case", "alphabet")  # type: ignore[assignment]
        help_texts = {
            "use_case": _("The question that the version answers."),
            "keep_case": _(
                "For words: leave capital letters as they are, so that Apple and apple are two. Changing it deletes the"
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
        """Every character counts, also a space at an end: devices compare words with it."""
        if "alphabet" not in self.changed_data:
            present: Alphabet = self.instance.alphabet
            return present
        return read_alphabet(self.cleaned_data["alphabet"], self.cleaned_data.get("locales", ()))

    def clean(self) -> dict[str, Any]:
        values = super().clean()
        if values.get("algorithm") and not self._misplaced(values["algorithm"]):
            self._check_parameters(values["algorithm"])
        self._check_elements()
        return values

    def _check_elements(self) -> None:
        values = self.cleaned_data
        if not {"alphabet", "locales", "normalization"} <= values.keys():
            return  # what is wrong with these is said first
        names = ("normalization", "keep_case", "alphabet", "locales")
        for field, problem in element_problems(values.get("algorithm"), *(values[name] for name in names)):
            self.add_error(field, f"{capfirst(problem)}.")

    def _misplaced(self, algorithm: str) -> bool:
        """Whether there are values that the algorithm has no use for, or that are no numbers; said beside them."""
        for name in parameter_names():
            if name not in MECHANISMS[algorithm].parameter_names and self.cleaned_data.get(name) is not None:
                self.add_error(name, gettext("%(algorithm)s has no such parameter; leave it empty.")
                               % {"algorithm": algorithm})  # fmt: skip
        return any(name in self.errors for name in parameter_names())

    def _check_parameters(self, algorithm: str) -> None:
        given = self.given_parameters()
        if self._suggested(algorithm, given):
            return
        try:
            wire = wire_parameters(algorithm, given)
        except ParameterError as error:
            self.add_error(error.field if error.field in self.fields else None, problem_beside(error, algorithm, given))
            return
        use_case = self._use_case()
        if "seed" not in wire or use_case is None:
            return
        twin = use_case.versions.exclude(pk=self.instance.pk).filter(algorithm=algorithm, parameters=wire).first()
        if twin is not None:
            words = gettext(
                "Version %(number)d already has these parameters with this seed, and devices could not say which of the"
                " two they mean. Leave the seed empty, or give another one."
            )
            self.add_error("seed", words % {"number": twin.number})

    def _suggested(self, algorithm: str, given: Mapping[str, Any]) -> bool:
        """Fill in what the planner suggests for what was left out, if there is any, and say so beside it."""
        use_case = self._use_case()
        version = self.instance if self.instance.pk else use_case.active_version() if use_case is not None else None
        dictionary = version.current_dictionary() if version is not None else None
        question = Question(size=dictionary.size) if dictionary is not None else Question()
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

    def given_parameters(self) -> dict[str, Any]:
        """The parameters that are filled in, the seed among them."""
        given = {name: self.cleaned_data.get(name) for name in (*parameter_names(), "seed")}
        return {name: value for name, value in given.items() if value not in (None, "")}

    def _post_clean(self) -> None:
        """Nothing: the version is written by the definitions, not by the form."""

    def store(self) -> Version:
        values = self.cleaned_data
        rules = {name: values[name] for name in ("algorithm", "normalization", "keep_case", "alphabet", "locales")}
        if self.instance.pk:
            return change_draft(self.instance, parameters=self.given_parameters(), **rules)
        use_case: UseCase = values["use_case"]
        return create_draft(use_case, parameters=self.given_parameters(), **rules)
