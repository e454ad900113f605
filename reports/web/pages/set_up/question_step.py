"""The first step: what is to be known. It makes the draft, which the others change."""

from dataclasses import dataclass, replace

from django import forms
from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods

from reports.access import may_define, may_set_up, owner_groups, use_cases
from reports.definitions import Settings, change_draft, create_draft, free_identifier
from reports.models import DictionaryDraft, UseCase, Version
from reports.planning import Question
from reports.web.change_history import note
from reports.web.definition_forms.starting_lists import StartingLists
from reports.web.pages.people import person
from reports.web.pages.set_up.drafts import Draft, of_own_draft, planned, question_about, step_page
from reports.web.pages.set_up.kinds_of_question import KINDS, LETTERS, KindOfQuestion, kind_of_question
from reports.words import named_dictionaries_of

PARAMETER = "words"


@dataclass(frozen=True)
class AcceptedWords:
    """A named dictionary of a use case that the person may view."""

    value: str
    name: str
    locales: tuple[str, ...]
    size: int

    @property
    def kind(self) -> KindOfQuestion:
        return replace(KINDS["list"], normalization="word", size=self.size, locales=self.locales)

    @property
    def initial(self) -> dict[str, str]:
        return {"kind": "list", "title": _("Words of %(name)s") % {"name": self.name}}

    def put_into(self, request: HttpRequest, draft: Version) -> None:
        """Let the person look at the words before they are counted. That the list is read is recorded as a viewing."""
        form, text = StartingLists(person(request)).read(self.value)
        DictionaryDraft.objects.create(version=draft, person=person(request), form=form, text=text)


def accepted_words_asked_for(request: HttpRequest) -> AcceptedWords | None:
    """Return the dictionary that the address names, or none. Raises `Http404` if the person sees no such dictionary."""
    asked = request.GET.get(PARAMETER, "")
    if not asked:
        return None
    key, _space, name = asked.partition(" ")
    offered = {value for _title, choices in StartingLists(person(request)).choices() for value, _label in choices}
    # Only of what is offered is anything looked up.
    seen = any(value.startswith(f"{key} {name} ") for value in offered)
    parts = [part for part in named_dictionaries_of([int(key)])[int(key)] if part.name == name] if seen else []
    if not parts:
        raise Http404
    value = f"{key} {name} {parts[0].locale if len(parts) == 1 else ''}"
    return AcceptedWords(value, name, tuple(part.locale for part in parts), sum(part.size for part in parts))


class QuestionForm(forms.ModelForm):  # type: ignore[type-arg]
    kind = forms.ChoiceField(
        label=gettext_lazy("Kind of question"),
        choices=[(name, kind.label) for name, kind in KINDS.items()],
        widget=forms.RadioSelect,
        initial="emoji",
        error_messages={"required": gettext_lazy("Choose one.")},
    )

    field_order = ("kind",)

    class Meta:
        model = UseCase
        fields = ("title", "description")
        labels = {"title": gettext_lazy("Its name"), "description": gettext_lazy("What is it good for? (optional)")}
        help_texts = {
            "title": gettext_lazy("Everybody can read it once devices are asked, such as “Popular emoji”."),
            "description": gettext_lazy("Shown to those who see the results."),
        }
        widgets = {"description": forms.Textarea(attrs={"rows": 3})}


@require_http_methods(["GET", "HEAD", "POST"])
def set_up(request: HttpRequest) -> HttpResponse:
    """Begin a new use case, or go on with one that was begun."""
    if not may_set_up(person(request)):
        raise Http404
    words = accepted_words_asked_for(request)
    form = QuestionForm(request.POST or None, initial=words.initial if words is not None else None)
    if words is not None:
        del form.fields["kind"]
    if request.method == "POST" and form.is_valid():
        use_case = _create(request, form, words)
        return redirect("set_up_answers", use_case.slug)
    begun = use_cases(person(request), "edit").filter(versions__state=Version.State.DRAFT)
    begun = begun.exclude(pk__in=Version.objects.frozen().values("use_case")).distinct()
    return step_page(request, "question", None, {"form": form, "begun": begun}, 422 if form.errors else 200)


@transaction.atomic
def _create(request: HttpRequest, form: QuestionForm, words: AcceptedWords | None) -> UseCase:
    kind = KINDS[form.cleaned_data["kind"]] if words is None else words.kind
    use_case: UseCase = form.save(commit=False)
    use_case.slug = free_identifier(use_case.title)
    use_case.dictionary_complete = kind.complete
    if not may_define(person(request)):
        # A group that owns something, so that they stay owners; they may choose another.
        owning = use_cases(person(request), "edit").values("owner_group")
        use_case.owner_group = owner_groups(person(request)).filter(pk__in=owning).first()
    use_case.save()
    draft = create_draft(use_case, **_settings(use_case, kind))
    if words is not None:
        words.put_into(request, draft)
    note(request, use_case, _("Begun in guided set-up."), added=True)
    return use_case


@of_own_draft
def question(request: HttpRequest, draft: Draft) -> HttpResponse:
    """Change name and kind; another kind has other answers."""
    before = kind_of_question(draft.use_case, draft.version)
    form = QuestionForm(request.POST or None, instance=draft.use_case, initial={"kind": before})
    if request.method == "POST" and form.is_valid():
        with transaction.atomic():
            kind = KINDS[form.cleaned_data["kind"]]
            form.instance.dictionary_complete = kind.complete
            form.save()
            if form.cleaned_data["kind"] != before:
                _change_kind(draft, kind)
        return redirect("set_up_answers", draft.use_case.slug)
    return step_page(request, "question", draft, {"form": form}, 422 if form.errors else 200)


def _change_kind(draft: Draft, kind: KindOfQuestion) -> None:
    draft.version.dictionary_revisions.all().delete()
    change_draft(draft.version, **_settings(draft.use_case, kind))


def _settings(use_case: UseCase, kind: KindOfQuestion) -> Settings:
    """Return those of a kind of question, with what is best for a week of as many reports as most plans begin with."""
    asked = question_about(use_case, kind.size, Question(days=7), words=kind.words)
    return planned(
        {
            "algorithm": "",
            "parameters": {},
            "normalization": kind.normalization,
            "keep_case": False,
            "alphabet": LETTERS if kind.words else None,
            "locales": list(kind.locales),
        },
        asked,
    )
