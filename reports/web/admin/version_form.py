"""The forms of a version: all of it while it is a draft, and its locales afterwards."""

import json
from collections.abc import Mapping, Sequence
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
from reports.kinds import kind_of_algorithm
from reports.mechanisms import title_of
from reports.models import Version
from reports.models.alphabets import Alphabet
from reports.planning import Question, parameter_errors, suggest
from reports.web.admin.editable import EditableForm
from reports.web.admin.parameter_fields import (
    PROFILES,
    algorithm_choices,
    parameter_fields,
    parameters_of,
    problem_beside,
    words_by_algorithm,
)
from reports.web.admin.planned_values import mark_planned
from reports.web.definition_forms.written_fields import TextField, locales_field, read_alphabet, write_alphabet


class LocalesForm(EditableForm):
    locales = locales_field()

    class Meta:
        model = Version
        fields = ("locales",)

    def store(self) -> Version:
        """Write it, by the one writer of definitions. Raises `ValidationError`."""
        return change_locales(self.instance, self.cleaned_data["locales"])


class DraftForm(LocalesForm):
    person: ClassVar[User]
    # Planned values, if this is the first version of a use case that is made of a plan.
    planned: ClassVar[Mapping[str, str]] = {}
    # Fields that were left out and are filled in, with what was asked of the planner for them.
    filled: Mapping[str, int] = {}
    question = Question()

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
        required=False,
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
        initial = self.get_initial_for_field(self.fields["algorithm"], "algorithm")
        self.fields.update(parameter_fields(self.data.get("algorithm", initial)))
        if self.instance.pk:
            del self.fields["use_case"]
            self.initial |= self.instance.parameters | {"alphabet": write_alphabet(self.instance.alphabet)}
        else:
            self.fields["use_case"].queryset = access.use_cases(self.person, "edit")  # type: ignore[attr-defined]
        self.fields["algorithm"].widget.attrs["data-fields"] = json.dumps(words_by_algorithm())
        mark_planned(self.fields, self.planned)

    def clean_normalization(self) -> str:
        """Read the profile; where words are found there is but one, which need not be chosen."""
        chosen: str = self.cleaned_data["normalization"]
        if not chosen and kind_of_algorithm(self.cleaned_data.get("algorithm")).has_dictionary:
            raise forms.ValidationError(gettext("Choose how elements are written before they are counted."))
        return chosen or "word"

    def clean_alphabet(self) -> Alphabet:
        """Read the alphabet; every character counts, also a space at an end."""
        if "alphabet" not in self.changed_data:
            present: Alphabet = self.instance.alphabet
            return present
        return read_alphabet(self.cleaned_data["alphabet"], self.cleaned_data.get("locales", ()))

    def clean(self) -> dict[str, Any]:
        super().clean()
        algorithm = self.cleaned_data.get("algorithm")
        # The model has nothing to check where something is wrong already.
        self.instance.parameters = self._read_parameters(algorithm) if algorithm else None
        return self.cleaned_data

    def _read_parameters(self, algorithm: str) -> dict[str, Any] | None:
        """Return the parameters, with what the planner suggests where they are left out; None if any is wrong."""
        own = parameters_of(algorithm)
        values = {name: self.cleaned_data.get(name) for name in (*parameter_types(), "seed")}
        # A box that is not ticked is one that is left empty, where it is of another algorithm.
        given = {name: value for name, value in values.items() if value not in (None, "") and (value or name in own)}
        for name in given.keys() - own:
            words = gettext("%(algorithm)s has no such parameter; leave it empty.")
            self.add_error(name, words % {"algorithm": title_of(algorithm)})
        given = {name: value for name, value in given.items() if name in own}
        self._fill_in(algorithm, given)
        complete = {**self.filled, **given}
        for error in parameter_errors(algorithm, complete, self._elements(algorithm)):
            field = error.field if error.field in self.fields else "algorithm"
            # Whole numbers are filled in once everything else is right.
            later = field not in complete and MECHANISMS[algorithm].parameter_types.get(field) is int
            if field not in self.errors and not later:
                self.add_error(field, problem_beside(error, algorithm, complete))
        return None if self.errors.keys() & {"algorithm", *parameter_types(), "seed"} else complete

    def _fill_in(self, algorithm: str, given: Mapping[str, Any]) -> None:
        use_case = self.instance.use_case if self.instance.pk else self.cleaned_data.get("use_case")
        version = self.instance if self.instance.pk else use_case.active_version() if use_case is not None else None
        dictionary = version.current_dictionary() if version is not None else None
        if use_case is not None and dictionary is not None:
            self.question = Question(size=dictionary.size, complete=use_case.dictionary_complete)
        # Values that follow from the dictionary are known once that is frozen.
        following = MECHANISMS[algorithm].dictionary_defaults
        suggested = suggest(algorithm, given, self.question)
        self.filled = {name: value for name, value in suggested.items() if name not in {*following, *self.errors}}
        # For the history of changes.
        self.data = cast(QueryDict, self.data).copy()
        self.data.update({name: str(value) for name, value in self.filled.items()})

    def _elements(self, algorithm: str) -> Sequence[str] | None:
        """Return the dictionary that devices would be given, if there is one that is not void by another change."""
        if not self.instance.pk or not MECHANISMS[algorithm].needs_dictionary:
            return None
        revision = self.instance.current_dictionary()
        written = (self.cleaned_data.get("normalization"), self.cleaned_data.get("keep_case"))
        return revision.elements() if revision is not None and written == self.instance.normalized_as else None

    def _update_errors(self, errors: forms.ValidationError) -> None:
        """Put what is left to be wrong with parameters beside the one that would put it right."""
        found = {name: problems for name, problems in errors.error_dict.items() if name not in self.errors}
        for problem in found.pop("parameters", []):
            seeded = MECHANISMS[self.cleaned_data["algorithm"]].has_seed
            self.add_error("seed" if seeded else "epsilon", problem.message)
        super()._update_errors(forms.ValidationError(found))  # type: ignore[misc]

    def store(self) -> Version:
        settings = settings_of(self.instance)
        if self.instance.pk:
            return change_draft(self.instance, **settings)
        return create_draft(self.instance.use_case, **settings)
