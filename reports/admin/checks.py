"""Fields that definition files have too are held to the same ranges."""

from collections.abc import Mapping
from typing import Any

from django import forms
from django.utils.text import capfirst

from reports.definitions.file import field_problem


def check_fields(form: forms.BaseForm, names: Mapping[str, str]) -> None:
    """Put what is wrong with values beside them; `names` leads from the form's fields to those of the file."""
    values: dict[str, Any] = form.cleaned_data
    for name, name_in_file in names.items():
        if values.get(name) is not None and (problem := field_problem(name_in_file, values[name])):
            form.add_error(name, f"{capfirst(problem)}.")
