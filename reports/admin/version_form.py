"""The forms of a version: all of it while it is a draft, and its locales afterwards."""

import re
from collections.abc import Sequence
from typing import Any, ClassVar

from django import forms
from django.contrib.admin.widgets import AdminTextareaWidget, AdminTextInputWidget
from django.contrib.auth.models import User
from django.utils.text import capfirst
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from aggregation.errors import ParameterError
from aggregation.mechanisms import MECHANISMS
from reports import access
from reports.admin.parameters import algorithm_choices, parameter_fields, parameter_names, problem_beside
from reports.definitions import change_draft, change_locales, create_draft
from reports.definitions.alphabets import Alphabet
from reports.definitions.locales import LOCALE, locale_problems
from reports.definitions.rules import element_problems, wire_parameters
from reports.definitions.versions import missing_alphabets
from reports.models import UseCase, Version

_PROFILES = [
    ("emoji", _("emoji: variants that only look different count as one")),
    ("domain", _("domain: host names, without addresses and ports")),
    ("word", _("word: lower case, cut to a fixed length")),
    ("raw", _("raw: any text, as it is")),
]
_LOCALES_HELP = _(
    "Where the question is asked, such as en_US fr_FR, separated by commas or spaces; each gets a histogram of its own,"
    " and the first is shown first. “und” is one histogram for all. Reports of a locale that is not here are dropped."
)

_ALPHABET_FORM = _("Write one text, or in every line a locale, a colon and its text, such as “en_US: abc”.")


class _TextField(forms.CharField):
    """Text of several lines; browsers send their ends in another way than they were given them."""

    def to_python(self, value: Any) -> Any:
        text = super().to_python(value)
        return text.replace("\r\n", "\n") if isinstance(text, str) else text


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
        choices=_PROFILES,
        help_text=_(
            "How device and server write an element before they count it: word for Sequence Fragment Puzzle. Changing"
            " it deletes the draft’s dictionary, because its elements would be written in another way."
        ),
    )
    alphabet = _TextField(
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
            self.initial |= self.instance.parameters | {"alphabet": _written(self.instance.alphabet)}
        else:
            self.fields["use_case"].queryset = access.use_cases(self.person, "edit")  # type: ignore[attr-defined]

    def clean_alphabet(self) -> Alphabet:
        """Every character counts, also a space at an end: devices compare words with it."""
        if "alphabet" not in self.changed_data:
            present: Alphabet = self.instance.alphabet
            return present
        lines = [line for line in self.cleaned_data["alphabet"].split("\n") if line.strip()]
        parts = [self._of_locale(line) for line in lines]
        of_locales = dict(part for part in parts if part is not None)
        if not of_locales:
            if len(lines) > 1:
                raise forms.ValidationError(_ALPHABET_FORM)
            return lines[0] if lines else None
        if None in parts:
            raise forms.ValidationError(_ALPHABET_FORM)
        if len(of_locales) < len(lines):
            raise forms.ValidationError(gettext("A locale stands there twice; keep one line for each."))
        return of_locales

    def _of_locale(self, line: str) -> tuple[str, str] | None:
        """A locale and its text; None for a line that is one text for all locales, which may hold a colon too."""
        name, colon, text = line.partition(":")
        locale = name.strip()
        meant = "_" in locale or text.startswith(" ") or locale in self.cleaned_data.get("locales", ())
        return (locale, text.removeprefix(" ")) if colon and meant and LOCALE.fullmatch(locale) else None

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
        try:
            wire = wire_parameters(algorithm, given)
        except ParameterError as error:
            self.add_error(error.field if error.field in self.fields else None, problem_beside(error, algorithm, given))
            return
        use_case = self.instance.use_case if self.instance.pk else self.cleaned_data.get("use_case")
        if "seed" not in wire or use_case is None:
            return
        twin = use_case.versions.exclude(pk=self.instance.pk).filter(algorithm=algorithm, parameters=wire).first()
        if twin is not None:
            words = gettext(
                "Version %(number)d already has these parameters with this seed, and devices could not say which of the"
                " two they mean. Leave the seed empty, or give another one."
            )
            self.add_error("seed", words % {"number": twin.number})

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


def _written(alphabet: object) -> str:
    if isinstance(alphabet, dict):
        return "\n".join(f"{locale}: {text}" for locale, text in alphabet.items())
    return str(alphabet or "")
