"""The forms of a version: all of it while it is a draft, and its locales afterwards."""

import re
from collections.abc import Sequence
from typing import Any, ClassVar

from django import forms
from django.contrib.admin.widgets import AdminTextareaWidget, AdminTextInputWidget
from django.contrib.auth.models import User
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from aggregation.errors import ParameterError
from aggregation.mechanisms import MECHANISMS
from reports import access
from reports.admin.parameters import algorithm_choices, parameter_fields, parameter_names, problem_beside
from reports.definitions import change_draft, change_locales, create_draft
from reports.definitions.rules import LOCALE, is_alphabet, locale_problems, wire_parameters
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


class _TextField(forms.CharField):
    """Text of several lines; browsers send their ends in another way than they were given them."""

    def to_python(self, value: Any) -> Any:
        text = super().to_python(value)
        return text.replace("\r\n", "\n") if isinstance(text, str) else text


class LocalesForm(forms.ModelForm):  # type: ignore[type-arg]
    # Why the definitions refused the same input, if they did: shown with what was typed.
    refused: ClassVar[Sequence[str]] = ()

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
        return locales

    def clean(self) -> dict[str, Any]:
        for problem in self.refused:
            self.add_error(None, problem)
        return self.cleaned_data

    def store(self) -> Version:
        """Write it, by the one writer of definitions. Raises `DefinitionError`."""
        return change_locales(self.instance, self.cleaned_data["locales"])


class DraftForm(LocalesForm):
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
            "How device and server write an element before they count it. Changing it deletes the draft’s dictionary,"
            " because its elements would be written in another way."
        ),
    )
    alphabet = _TextField(
        label=_("Alphabet"),
        required=False,
        strip=False,
        widget=AdminTextareaWidget(attrs={"rows": 3}),
        help_text=_(
            "For words: the characters they may have; devices report no word with another. One text for all locales, or"
            " a line for each, such as “en_US: abc”. Left empty, any character may occur."
        ),
    )

    class Meta(LocalesForm.Meta):
        fields = ("use_case", "algorithm", "normalization", "keep_case", "alphabet", "locales")  # type: ignore[assignment]
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

    def clean_alphabet(self) -> str | dict[str, str] | None:
        """Every character counts, also a space at an end: devices compare words with it."""
        if "alphabet" not in self.changed_data:
            present: str | dict[str, str] | None = self.instance.alphabet
            return present
        lines = [line for line in self.cleaned_data["alphabet"].split("\n") if line.strip()]
        parts = [line.partition(":") for line in lines]
        alphabet: str | dict[str, str] | None = lines[0] if lines else None
        if lines and all(colon and LOCALE.fullmatch(locale.strip()) for locale, colon, _text in parts):
            alphabet = {locale.strip(): text.removeprefix(" ") for locale, _colon, text in parts}
            if len(alphabet) < len(lines):
                raise forms.ValidationError(gettext("A locale stands there twice; keep one line for each."))
        elif len(lines) > 1:
            raise forms.ValidationError(
                gettext("Write one text, or in every line a locale, a colon and its text, such as “en_US: abc”.")
            )
        if not is_alphabet(alphabet):
            raise forms.ValidationError(gettext("Holds a character that no text has; remove it."))
        return alphabet

    def clean(self) -> dict[str, Any]:
        values = super().clean()
        if values.get("algorithm") and not self._misplaced(values["algorithm"]):
            self._check_parameters(values["algorithm"])
        return values

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
