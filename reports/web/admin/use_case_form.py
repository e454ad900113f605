"""The form of a use case: what may change at any time, each field with its consequence."""

from collections.abc import Mapping
from itertools import count
from typing import Any, ClassVar

from django import forms
from django.utils.text import slugify
from django.utils.translation import gettext_lazy as _

from reports.models import UseCase
from reports.web.admin.editable import EditableForm
from reports.web.admin.planned import mark_planned


class UseCaseForm(EditableForm):
    # What was planned, if this is made of a plan.
    planned: ClassVar[Mapping[str, str]] = {}

    class Meta:
        model = UseCase
        fields = (
            "title",
            "slug",
            "description",
            "viewer_groups",
            "owner_group",
            "daily_limit",
            "budget_group",
            "retention_days",
            "minimum_reports",
            "false_positive_rate",
            "prescribed_threshold",
            "grace_days",
            "dictionary_complete",
            "privacy_published",
        )
        widgets = {"description": forms.Textarea(attrs={"rows": 4, "class": "vLargeTextField"})}
        help_texts = {
            "slug": _(
                "The name by which devices and addresses call the use case: lower-case letters and digits, in words"
                " joined by hyphens. It stays for good once a version has been active, because devices know it. Left"
                " empty, it is made from the title, or is a number where that has no Latin letters."
            ),
            "title": _(
                "The heading that people read, such as “Domains with high energy use”. Devices are told it, and so is"
                " everybody who asks what they are asked, from the first activation on."
            ),
            "description": _("What people read above the chart: what is asked, of whom, and what it is good for."),
            "viewer_groups": _("Members of these groups see the results. Without one, only owners and superusers do."),
            "owner_group": _(
                "Its members change these settings, upload reports, aggregate, and withdraw batches; for these admin"
                " pages they also need the staff status. Without one, only superusers do."
            ),
            "daily_limit": _(
                "How many reports one device may send a day. The most that a person can lose a day is this number"
                " times ε, so each more report costs privacy. Has no effect in a budget group: its limit holds then."
            ),
            "budget_group": _(
                "Use cases that share one daily limit: a device divides its reports of a day among them, so that"
                " asking more questions costs a person no more. Without one, the use case has its own limit. Only"
                " superusers choose it."
            ),
            "retention_days": _(
                "So many days after it began, the raw reports of a day are deleted, counted or not, and reports for it"
                " are refused: with 1, only what is aggregated on the same day is ever counted. Results stay. What a"
                " person can lose is added up over these days, and 14 more for which reports may wait to be counted."
            ),
            "minimum_reports": _(
                "Nothing is shown about fewer reports than this. A larger number hides each person better among"
                " others; a smaller one shows results sooner, with more noise. Raised, it merges days that were shown"
                " by themselves until they hold it, at once; lowered, it releases what waits, and splits nothing."
            ),
            "false_positive_rate": _(
                "How many elements that nobody reported may be expected in a histogram: 0.05 is one such element in"
                " twenty histograms. Smaller means a higher threshold, so that rare elements stay hidden longer. Each"
                " way of grouping has as many of its own, and an element below its threshold may appear as a group of"
                " one."
            ),
            "prescribed_threshold": _(
                "In reports. Nothing is shown that fewer reports than this are estimated to be about, also where so few"
                " stand out from noise: the larger of the two thresholds holds. A change holds at once; only lists of"
                " words keep a threshold that was larger until they are made again. Empty: only the statistical"
                " threshold."
            ),
            "grace_days": _(
                "When a new version takes over, devices that have not heard of it may send reports of the one before"
                " for so many days; later ones are refused. Counts at the next activation."
            ),
            "privacy_published": _(
                "Everybody who can reach this site, without logging in, may then read its privacy page: title and"
                " description, ε, limits and rules, how many people see the results and how often, when raw reports"
                " were deleted, and every version with its parameters. Results, numbers of reports, groups and names"
                " stay hidden. Taken back, the page is for those who may see the results; what was read was read."
            ),
            "dictionary_complete": _(
                "Say so only if devices can report nothing that is not in the dictionary. Then people may also see"
                " consistent values: all estimates moved so that together they are the number of reports. If devices do"
                " report something else, these are too large."
            ),
        }

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if "slug" in self.fields:
            self.fields["slug"].required = False
        mark_planned(self.fields, self.planned)

    def clean_slug(self) -> str:
        return self.cleaned_data["slug"] or _slug_for(self.cleaned_data.get("title", ""))


def _slug_for(title: str) -> str:
    """Make an identifier of the Latin letters and digits of a title; of a title without any, the first free number."""
    if made := slugify(title.replace("_", " "))[: UseCase._meta.get_field("slug").max_length].strip("-"):
        return made
    taken = set(UseCase.objects.filter(slug__startswith="use-case-").values_list("slug", flat=True))
    return next(slug for number in count(1) if (slug := f"use-case-{number}") not in taken)
