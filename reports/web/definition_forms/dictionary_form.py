"""Form for a dictionary that is pasted, uploaded or taken from accepted words, kept as text until confirmed."""

import io
from typing import Any

from django import forms
from django.conf import settings
from django.contrib.admin.widgets import AdminTextareaWidget
from django.core.files.uploadedfile import UploadedFile
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from reports.access import Person
from reports.definitions import check_csv, write_csv
from reports.models import DictionaryDraft, Version
from reports.web.definition_forms.starting_lists import StartingLists

# Four times a quarter of a million domains; what is read is held several times over.
MAX_FILE_BYTES = 16 << 20
# With the text field and the others. What is longer is not read.
MAX_FORM_BYTES = MAX_FILE_BYTES + settings.LDPSITE_SMALL_BODY_BYTES
# Dictionaries and texts that are not larger can be edited in the text field.
_EDITABLE_ELEMENTS = 1000
_EDITABLE_CHARACTERS = 200_000
FILE_TOO_LARGE = _("The file is larger than 16 MiB; shorten it.")
_FORMS = {".txt": DictionaryDraft.Form.LINES, ".csv": DictionaryDraft.Form.CSV}


class DictionaryForm(forms.Form):
    text = forms.CharField(
        label=_("Paste the elements"),
        required=False,
        strip=False,
        widget=AdminTextareaWidget(attrs={"rows": 12, "spellcheck": "false"}),
        help_text=_("At most 2.5 MB; upload a larger dictionary as a file."),
    )
    form = forms.ChoiceField(
        label=_("The pasted text is"),
        required=False,
        choices=DictionaryDraft.Form.choices,
        initial=DictionaryDraft.Form.LINES,
        widget=forms.RadioSelect,
        help_text=_(
            "CSV begins with the line “element,display,category”; display and category are optional. People see the"
            " display form, and can group the chart by category."
        ),
    )
    file = forms.FileField(
        label=_("Or upload a file"),
        required=False,
        allow_empty_file=True,
        widget=forms.FileInput(attrs={"accept": ".txt,.csv"}),
        help_text=_("UTF-8: .txt with one element a line, or .csv as above. At most 16 MiB."),
    )
    named = forms.ChoiceField(
        label=_("Or take the words of a named dictionary"),
        required=False,
        help_text=_(
            "Words that the owners of a use case have accepted so far; later ones are not added. They were found in"
            " the reports of that use case, not in those counted here."
        ),
    )

    def __init__(self, person: Person, *args: Any, starting: Version | None = None, **kwargs: Any) -> None:
        """Offer accepted words; for the dictionary of a version that is set up, also other lists to start from."""
        super().__init__(*args, **kwargs)
        self._named = StartingLists(person, starting)
        choices = self._named.choices()
        if choices:
            self.fields["named"].choices = [("", _("None")), *choices]  # type: ignore[attr-defined]
        else:
            del self.fields["named"]
        if starting is not None and choices:
            self.fields["named"].label = _("Start from a list")
            self.fields["named"].help_text = _("You can change it before it is counted.")
            self.order_fields(["named"])

    def clean_file(self) -> tuple[DictionaryDraft.Form, str] | None:
        """Read the file, whose name says how it is written."""
        file: UploadedFile[bytes] | None = self.cleaned_data["file"]
        if file is None:
            return None
        form = _FORMS.get(str(file.name)[-4:].lower())
        if form is None:
            raise forms.ValidationError(gettext("The name of the file must end in .txt or .csv."))
        if (file.size or 0) > MAX_FILE_BYTES:
            raise forms.ValidationError(FILE_TOO_LARGE)
        content = file.read()
        try:
            text = content.decode("utf-8-sig")  # spreadsheets write the mark, and it is no part of an element
        except UnicodeDecodeError as error:
            words = gettext("Line %(line)s is not UTF-8 text. Save the file as UTF-8, and upload it again.")
            line = content.count(b"\n", 0, error.start) + 1
            raise forms.ValidationError(words % {"line": f"{line:,}"}) from None
        if "\0" in text:
            words = gettext("Line %(line)s holds a NUL, which no text has; remove it.")
            line = text.count("\n", 0, text.index("\0")) + 1
            raise forms.ValidationError(words % {"line": f"{line:,}"})
        if not text.strip():
            raise forms.ValidationError(gettext("The file is empty."))
        return form, text

    def clean(self) -> dict[str, Any]:
        values = self.cleaned_data
        if self.errors:
            return values
        file, named = values["file"], values.get("named")
        values["form"] = values["form"] or DictionaryDraft.Form.LINES
        # The text field may show the present dictionary, so what else is chosen counts.
        if named and file is not None:
            self.add_error("named", gettext("Choose a file or a named dictionary, not both."))
        elif named:
            values["form"], values["text"] = self._named.read(named)
        elif file is not None:
            values["form"], values["text"] = file
        elif not values["text"].strip():
            self.add_error("text", gettext("Paste elements, or choose a file."))
        elif values["form"] == DictionaryDraft.Form.LINES and values["text"].lstrip("\ufeff").startswith("element,"):
            self.add_error("form", gettext("The first line names columns, so this is CSV: choose that."))
        if not self.errors and values["form"] == DictionaryDraft.Form.CSV:
            self._check_csv("text" if file is None else "file", values["text"])
        return values

    def _check_csv(self, field: str, text: str) -> None:
        """Report a text that is no CSV on this page, where it can still be edited."""
        try:
            check_csv(text)
        except forms.ValidationError as error:
            words = gettext("This cannot be read as CSV: %(problem)s. Correct it, and press Preview again.")
            self.add_error(field, words % {"problem": error.message})


def draft_as_text(draft: DictionaryDraft) -> dict[str, str]:
    """Return a draft as initial values of the form; nothing if it is too large to be edited."""
    if len(draft.text) > _EDITABLE_CHARACTERS:
        return {}
    return {"text": draft.text, "form": draft.form}


def present_as_text(version: Version) -> dict[str, str]:
    """Return the dictionary in force as initial values of the form; nothing if it is too large to be edited."""
    revision = version.current_dictionary()
    if revision is None or revision.size > _EDITABLE_ELEMENTS:
        return {}
    written = io.StringIO()
    write_csv(written, revision, line_end="\n")
    return {"text": written.getvalue(), "form": DictionaryDraft.Form.CSV}
