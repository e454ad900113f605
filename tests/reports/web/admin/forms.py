"""A browser's data of the admin's forms, and the words of their pages."""

import html
import re
from typing import Any

from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import User
from django.db.models import Model
from django.urls import reverse

from reports.definitions import draft_from
from reports.models import UseCase, Version
from reports.web.admin.version_form import DraftForm

USE_CASE = {
    "title": "Loud domains",
    "slug": "loud-domains",
    "description": "",
    "daily_limit": "1",
    "minimum_reports": "1000",
    "retention_days": "90",
    "false_positive_rate": "0.05",
    "grace_days": "7",
}
VERSION = {
    "locales": "en_US, fr_FR",
    "algorithm": "CountMeanSketch",
    "epsilon": "4",
    "k": "64",
    "m": "64",
    "seed": "",
    "normalization": "raw",
    "alphabet": "",
}
_FIGURE = re.compile(r'<dt>(.*?)</dt>\s*<dd class="figure">(.*?)</dd>\s*<dd class="meaning">(.*?)</dd>', re.DOTALL)


def page(name: str, *args: Any) -> str:
    return reverse(f"admin:reports_{name}", args=args)


def change(found: Model) -> str:
    return page(f"{found._meta.model_name}_change", found.pk)


def use_case_form(use_case: UseCase, **changes: Any) -> dict[str, Any]:
    groups = [group.pk for group in use_case.viewer_groups.all()]
    present = {name: getattr(use_case, name) for name in USE_CASE if name != "slug"}
    linked = {"owner_group": use_case.owner_group_id or "", "budget_group": use_case.budget_group_id or ""}
    return present | linked | {"viewer_groups": groups} | changes


def draft_form(draft: Version, person: User, sent: dict[str, Any] | None = None) -> DraftForm:
    """The form of a draft by itself, which takes a tenth of the time of its page."""
    form = type("Form", (DraftForm,), {"person": person})
    made: DraftForm = form(sent, instance=Version.objects.get(pk=draft.pk))
    return made


def make_draft(version: Version) -> Version:
    return draft_from(version)


def history(found: Model) -> list[str]:
    """Messages, the newest first."""
    entries = LogEntry.objects.filter(content_type__model=found._meta.model_name, object_id=str(found.pk))
    return [entry.get_change_message() for entry in entries.order_by("-pk")]


def panel(response: Any) -> dict[str, tuple[str, str]]:
    """The figures of “What this means” by their names, each with its meaning."""
    section = response.content.decode().split('id="consequences"')[1].split("</section>")[0]
    texts = (
        [re.sub(r"[ \n]+", " ", html.unescape(text)).strip() for text in found] for found in _FIGURE.findall(section)
    )
    return {name: (figure, meaning) for name, figure, meaning in texts}
