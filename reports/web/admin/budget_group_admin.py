"""Budget groups: changed by superusers; owners see those of their use cases."""

from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _

from reports import access
from reports.models import BudgetGroup, UseCase
from reports.privacy import largest_epsilon
from reports.web.admin.editable import EditableAdmin, EditableForm


class BudgetGroupForm(EditableForm):
    class Meta:
        model = BudgetGroup
        fields = ("name", "daily_limit")
        help_texts = {
            "name": _("Shown beside the use cases that share the limit, such as “Safari”."),
            "daily_limit": _(
                "How many reports a device may send a day for all use cases of the group together, in place of their"
                " own limits. A person’s loss is at most this number times the largest ε among them a day: a larger"
                " number means more reports and less privacy."
            ),
        }


@admin.register(BudgetGroup)
class BudgetGroupAdmin(EditableAdmin):
    form = BudgetGroupForm
    fields = ("name", "daily_limit", "members", "loss")
    readonly_fields = ("members", "loss")
    list_display = ("name", "daily_limit", "members", "loss")
    search_fields = ("name",)

    def get_queryset(self, request: HttpRequest) -> QuerySet[BudgetGroup]:
        return access.budget_groups(request.user).prefetch_related("use_cases__versions")

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return access.may_define(request.user) or access.budget_groups(request.user).exists()

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return access.may_define(request.user)

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return self.has_add_permission(request)

    def has_delete_permission(self, request: HttpRequest, obj: BudgetGroup | None = None) -> bool:
        return self.has_add_permission(request) and (obj is None or not obj.use_cases.exists())

    @admin.display(description=_("use cases"))
    def members(self, group: BudgetGroup) -> str:
        if not group.pk:
            return gettext("None yet: choose this group on the page of each use case that is to share the limit.")
        return ", ".join(use_case.title for use_case in group.use_cases.all()) or gettext("none")

    @admin.display(description=_("ε a person and day, at most"))
    def loss(self, group: BudgetGroup) -> str:
        use_cases = group.use_cases.all() if group.pk else UseCase.objects.none()
        most = largest_epsilon(version for use_case in use_cases for version in use_case.versions.all())
        if most is None:
            return gettext("none while no use case of the group has an active version")
        product = {"limit": group.daily_limit, "most": most, "loss": group.daily_limit * most}
        words = ngettext(
            "%(limit)s report × ε = %(most)s → %(loss)s",
            "%(limit)s reports × ε = %(most)s → %(loss)s",
            group.daily_limit,
        )
        return words % product
