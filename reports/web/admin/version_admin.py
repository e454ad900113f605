"""Versions: drafted and changed here; once active, frozen but for their locales."""

from copy import copy
from typing import Any, ClassVar, cast

from django.contrib import admin, messages
from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.db import models
from django.forms import BaseForm, Script
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from aggregation.mechanisms import MECHANISMS
from reports import access
from reports.kinds import kind_of
from reports.mechanisms import name_of, title_of
from reports.models import Version
from reports.web.admin import dictionary_pages, version_steps
from reports.web.admin.admin_pages import page_of, trail
from reports.web.admin.editable import VersionsAdmin
from reports.web.admin.parameter_fields import filled_in, own_parameters, shared_parameters
from reports.web.admin.planned_values import planned_parameters, steps_of_plan
from reports.web.admin.version_form import DraftForm, LocalesForm
from reports.web.admin.version_panel import version_in_words
from reports.web.change_history import changes_in_words, note_on_use_case


class MechanismFilter(admin.ChoicesFieldListFilter):
    """Offers all mechanisms by their names, which the field itself does not know."""

    def __init__(self, field: Any, *args: Any, **kwargs: Any) -> None:
        named = copy(field)
        named.choices = [(algorithm, title_of(algorithm)) for algorithm in MECHANISMS]
        super().__init__(named, *args, **kwargs)


@admin.register(Version)
class VersionAdmin(VersionsAdmin):
    use_case_path = "use_case"
    list_display = (
        "use_case",
        "number",
        "state",
        "mechanism_title",
        "normalization",
        "locales_listed",
        "accepts_until",
    )
    list_display_links = ("use_case", "number")
    list_filter = ("state", ("algorithm", MechanismFilter))
    list_select_related = ("use_case",)
    pages: ClassVar = {
        "activate": version_steps.confirm_activation,
        "discard": version_steps.confirm_discarding,
        "copy": version_steps.new_version_from,
        "dictionary": dictionary_pages.dictionary,
        "preview": dictionary_pages.preview,
    }

    class Media:
        # After the form is there.
        js = (Script("reports/version-form.js", defer=True),)

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return access.use_cases(cast(User, request.user), "edit").exists()

    def has_change_permission(self, request: HttpRequest, obj: Version | None = None) -> bool:
        closed = obj is not None and obj.state == Version.State.CLOSED
        return not closed and super().has_change_permission(request, obj)

    def get_fieldsets(self, request: HttpRequest, obj: Version | None = None) -> Any:
        if obj is not None and obj.state != Version.State.DRAFT:
            return [(None, {"fields": ("locales",)})]
        where = ("locales",) if obj is not None else ("use_case", "locales")
        elements = ("normalization", "keep_case", "alphabet")
        return [
            (_("Where it is asked"), {"fields": where}),
            (_("How devices randomise their reports"), {"fields": ("algorithm", *shared_parameters(), "seed")}),
            *(
                (gettext("Only for %(algorithm)s") % {"algorithm": name_of(algorithm)}, {"fields": own})
                for algorithm, own in own_parameters()
            ),
            (_("What counts as one element"), {"fields": elements}),
        ]

    def get_form(self, request: HttpRequest, obj: Version | None = None, change: bool = False, **kwargs: Any) -> Any:
        frozen = obj is not None and obj.state != Version.State.DRAFT
        form = LocalesForm if frozen else DraftForm
        known = {"person": request.user}
        return type(form.__name__, (form,), known | ({} if change else {"planned": planned_parameters(request)}))

    def changeform_view(
        self, request: HttpRequest, object_id: str | None = None, form_url: str = "", extra_context: Any = None
    ) -> HttpResponse:
        found = self.get_object(request, object_id) if object_id is not None else None
        if found is not None and request.method == "POST" and self._is_late(request, found):
            return page_of(found)
        try:
            return super().changeform_view(request, object_id, form_url, self._context(request, found))
        except ValidationError:  # another person was faster: checked again, the form says so
            return super().changeform_view(request, object_id, form_url, self._context(request, found))

    def _is_late(self, request: HttpRequest, version: Version) -> bool:
        """Tell whether the form of a draft arrives for a version that is none any more."""
        late = version.state != Version.State.DRAFT and "algorithm" in request.POST
        if late:
            words = gettext("Nothing was changed: version %(number)d is no longer a draft, so it is frozen.")
            messages.error(request, words % {"number": version.number})
        return late

    def _context(self, request: HttpRequest, version: Version | None) -> dict[str, Any]:
        if version is None:
            return steps_of_plan(request, 2)
        return {
            "trail": trail(version.use_case),
            "draft": version.state == Version.State.DRAFT,
            "closed": version.state == Version.State.CLOSED,
            **version_in_words(version, cast(User, request.user)),
        }

    def save_form(self, request: HttpRequest, form: Any, change: bool) -> Version:
        draft: DraftForm | LocalesForm = form
        had = change and draft.instance.current_dictionary() is not None
        stored = draft.store()
        if had and stored.current_dictionary() is None:
            words = gettext("The dictionary was deleted, because elements are now written differently. Add it again.")
            if not kind_of(stored).has_dictionary:
                words = gettext("The dictionary was deleted, because this algorithm finds its words itself.")
            messages.warning(request, words)
        if isinstance(draft, DraftForm) and draft.filled:
            messages.info(request, filled_in(stored.algorithm, draft.filled, draft.question))
        return stored

    def save_model(self, request: HttpRequest, obj: models.Model, form: BaseForm, change: bool) -> None:
        words = changes_in_words(form) if change else gettext("Added as a draft.")
        note_on_use_case(request, cast(Version, obj), words)

    def get_changeform_initial_data(self, request: HttpRequest) -> dict[str, Any]:
        mine = access.use_cases(cast(User, request.user), "edit")
        return {"use_case": mine.filter(slug=request.GET.get("use_case", "")).first(), **planned_parameters(request)}

    @admin.display(description=_("algorithm"), ordering="algorithm")
    def mechanism_title(self, version: Version) -> str:
        return title_of(version.algorithm)

    @admin.display(description=_("locales"))
    def locales_listed(self, version: Version) -> str:
        return ", ".join(version.locales)
