"""Set-up that begins with accepted words: a use case that counts how often each of them is reported."""

from dataclasses import dataclass, replace

from django.http import Http404, HttpRequest
from django.utils.translation import gettext as _

from reports.models import DictionaryDraft, Version
from reports.web.definition_forms.starting_lists import StartingLists
from reports.web.pages.people import person
from reports.web.pages.set_up.kinds_of_question import KINDS, KindOfQuestion
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
