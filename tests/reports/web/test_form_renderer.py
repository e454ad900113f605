"""Fields of forms are what Django's own templates make of them."""

import re

from django import forms
from django.forms.renderers import DjangoTemplates

from reports.web.form_renderer import FormRenderer

HOSTILE = "\"><script>'&"


class Everything(forms.Form):
    text = forms.CharField(
        max_length=9, initial=HOSTILE, widget=forms.TextInput(attrs={"autofocus": True, "data-a": HOSTILE})
    )
    empty = forms.CharField(required=False, widget=forms.TextInput(attrs={"spellcheck": False}))
    number = forms.FloatField(min_value=0.001, initial=1234.5)
    on = forms.BooleanField(initial=True)
    off = forms.BooleanField(required=False)
    mail = forms.EmailField()
    address = forms.URLField(assume_scheme="https")
    day = forms.DateField(widget=forms.DateInput(attrs={"type": "date"}))
    secret = forms.CharField(widget=forms.PasswordInput)
    hidden = forms.IntegerField(initial=7, widget=forms.HiddenInput)
    choice = forms.ChoiceField(choices=[("", "All"), (1, HOSTILE), (HOSTILE, "2")], initial=1)
    grouped = forms.ChoiceField(choices=[("one", "1"), (HOSTILE, [("two", "2"), (None, "3")])], initial="two")


def test_fields_are_what_django_writes() -> None:
    for data in (None, {"text": "", "number": "x", "choice": "1", "on": "on"}):
        own, theirs = (Everything(data, renderer=renderer()) for renderer in (FormRenderer, DjangoTemplates))
        for name in own.fields:
            assert str(own[name]) == re.sub(r"\n\s*", "", str(theirs[name])), name
