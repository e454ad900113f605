"""The second step: which answers are counted, looked at before they are; or the letters of which words are made."""

from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext_lazy

from reports.definitions import Settings, change_draft, digest, read_proposal, revise_dictionary, settings_of
from reports.models import DictionaryDraft
from reports.results import element_name
from reports.web.definition_forms.dictionary_form import DictionaryForm, draft_as_text, present_as_text
from reports.web.definition_forms.written_fields import TextField, read_alphabet, write_alphabet
from reports.web.pages.people import person
from reports.web.pages.set_up.drafts import Draft, kept_question, of_own_draft, planned, step_page
from reports.web.pages.set_up.kinds_of_question import kind_of_question

SHOWN = 20


class LettersForm(forms.Form):
    alphabet = TextField(
        label=gettext_lazy("Letters"),
        strip=False,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text=gettext_lazy(
            "Words are put together from these; devices report no word with any other. One text for all locales, or a"
            " line for each, such as “fr_FR: abc”."
        ),
    )


@of_own_draft
def answers(request: HttpRequest, draft: Draft) -> HttpResponse:
    return _letters(request, draft) if draft.finds_words else _dictionary(request, draft)


def _letters(request: HttpRequest, draft: Draft) -> HttpResponse:
    form = LettersForm(request.POST or None, initial={"alphabet": write_alphabet(draft.version.alphabet)})
    if request.method == "POST" and form.is_valid():
        try:
            alphabet = read_alphabet(form.cleaned_data["alphabet"], draft.version.locales)
            settings: Settings = {**settings_of(draft.version), "alphabet": alphabet}
            change_draft(draft.version, **settings)
        except ValidationError as error:
            form.add_error("alphabet", error.messages)
        else:
            return redirect("set_up_plan", draft.use_case.slug)
    return step_page(request, "answers", draft, {"form": form, "letters": True}, 422 if form.errors else 200)


def _dictionary(request: HttpRequest, draft: Draft) -> HttpResponse:
    mine = DictionaryDraft.objects.filter(version=draft.version, person=person(request))
    if "use" in request.POST:
        return _use(request, draft, mine.first())
    if request.method == "POST":
        form = DictionaryForm(person(request), request.POST, request.FILES, starting=draft.version)
        if form.is_valid():
            values = {name: form.cleaned_data[name] for name in ("form", "text")}
            DictionaryDraft.objects.update_or_create(version=draft.version, person=person(request), defaults=values)
            return redirect("set_up_answers", draft.use_case.slug)
        return step_page(request, "answers", draft, {"form": form}, 422)
    return _show(request, draft, mine.first())


def _show(request: HttpRequest, draft: Draft, pasted: DictionaryDraft | None) -> HttpResponse:
    version, revision = draft.version, draft.version.current_dictionary()
    initial = (draft_as_text(pasted) if pasted is not None else {}) or present_as_text(version)
    if not initial and revision is None:
        lists = DictionaryForm(person(request), starting=version).fields.get("named")
        # The list that comes with the site is what most begin with.
        shipped = {"emoji": "shipped emoji", "domains": "shipped domain"}.get(kind_of_question(draft.use_case, version))
        initial = {"named": shipped} if lists is not None and shipped else {}
    context: dict[str, Any] = {
        "form": DictionaryForm(person(request), initial=initial, starting=version),
        "revision": revision,
    }
    if pasted is not None:
        proposal = read_proposal(pasted.text, pasted.form, version)
        first = [(each.display, element_name(version, each.display)) for each in proposal.entries[:SHOWN]]
        context |= {
            "proposal": proposal,
            "first": first,
            "more": len(proposal.entries) - len(first),
            "token": digest(proposal.entries),
        }
    return step_page(request, "answers", draft, context)


def _use(request: HttpRequest, draft: Draft, pasted: DictionaryDraft | None) -> HttpResponse:
    """Make what was looked at the dictionary, and plan anew for as many answers as it has."""
    if pasted is None:
        return redirect("set_up_answers", draft.use_case.slug)
    proposal = read_proposal(pasted.text, pasted.form, draft.version)
    if request.POST["use"] != digest(proposal.entries) or not proposal.entries:
        return redirect("set_up_answers", draft.use_case.slug)  # which shows what there is now
    try:
        with transaction.atomic():
            draft.version.dictionary_revisions.all().delete()
            question = kept_question(request, draft, len(proposal.entries))
            changed = change_draft(draft.version, **planned(settings_of(draft.version), question))
            revise_dictionary(changed, proposal.entries)
            pasted.delete()
    except ValidationError as error:
        form = DictionaryForm(person(request), {**draft_as_text(pasted)}, starting=draft.version)
        form.add_error(None, error.messages)
        return step_page(request, "answers", draft, {"form": form}, 422)
    return redirect("set_up_plan", draft.use_case.slug)
