"""The form of a use case: what may change at any time, each field with its consequence."""

from collections.abc import Mapping
from typing import Any, ClassVar

from django import forms
from django.utils.translation import gettext_lazy as _

from reports.definitions import identifier_of
from reports.models import UseCase
from reports.web.admin.editable import EditableForm
from reports.web.admin.planned_values import mark_planned


class UseCaseForm(EditableForm):
    # Planned values, if this is made of a plan.
    planned: ClassVar[Mapping[str, str]] = {}

    # The identifier may be made of it.
    field_order = ("title",)

    class Meta:
        model = UseCase
        # The admin says which fields are shown, and in which order.
        exclude = ("state",)
        widgets = {"description": forms.Textarea(attrs={"rows": 4, "class": "vLargeTextField"})}
        help_texts = {
            "slug": _(
                "The name of the use case for devices and in addresses: lower-case letters and digits, in words"
                " joined by hyphens. It is fixed once a version has been active, because devices know it. Left empty,"
                " it is made from the title, or is a number if the title has no Latin letters."
            ),
            "title": _(
                "The heading people read, such as “Domains with high energy use”. It is public from the first"
                " activation on, in the device configuration."
            ),
            "description": _("Shown above the chart: what is asked, of whom, and what it is good for."),
            "viewer_groups": _(
                "Members of these groups see the results. Without a group, only owners and superusers do."
            ),
            "owner_group": _(
                "Its members change these settings, upload reports, aggregate and withdraw batches; to use these"
                " admin pages they also need staff status. Without a group, only superusers do."
            ),
            "daily_limit": _(
                "How many reports a device may send a day. A person’s loss is at most this number times ε a day, so"
                " each further report costs privacy. In a budget group, the limit of the group applies instead."
            ),
            "budget_group": _(
                "Use cases of a group share one daily limit: a device divides its reports of a day among them, so"
                " that further questions cost a person no more. Without a group, the use case has its own limit. Only"
                " superusers choose it."
            ),
            "retention_days": _(
                "The raw reports of a day are deleted this many days after the day began, counted or not, and further"
                " reports for it are refused: with 1, only reports aggregated on the same day are ever counted."
                " Results stay. A person’s loss is added up over these days, and 14 more for which reports may wait"
                " to be counted."
            ),
            "minimum_reports": _(
                "Nothing is shown about fewer reports than this. A larger number hides each person better among"
                " others; a smaller one shows results sooner, with more noise. Raising it merges release periods at"
                " once, until each holds enough; lowering it releases what waits, and splits nothing."
            ),
            "false_positive_rate": _(
                "How many elements in a histogram are expected to be there by chance alone: 0.05 is one such element"
                " in twenty histograms. A smaller number means a higher threshold, which hides rare elements longer."
                " Each way of grouping has as many of its own, and an element below its threshold may appear as a"
                " group of one."
            ),
            "prescribed_threshold": _(
                "In reports. An element is shown only if its estimate reaches this number, even where a smaller one"
                " would stand out from noise: the larger of the two thresholds applies. A change takes effect at"
                " once; only lists of words keep a larger threshold until they are made again. Empty: the statistical"
                " threshold alone."
            ),
            "grace_days": _(
                "After a new version takes over, devices that have not heard of it may send reports of the previous"
                " one for this many days; later reports are refused. Takes effect at the next activation."
            ),
            "privacy_published": _(
                "Anyone who can reach this site may then read its privacy page without logging in: title and"
                " description, ε, limits and rules, how many people see the results and how often, when raw reports"
                " were deleted, and every version with its parameters. Results, numbers of reports, groups and names"
                " stay hidden. Unchecked again, only those who may see the results can read the page."
            ),
            "dictionary_complete": _(
                "Check this only if devices can report nothing outside the dictionary. Lasting mistakes by collisions"
                " are then corrected, so that fewer hash functions are enough, and people may also see consistent"
                " values: all estimates, adjusted to add up to the number of reports. If devices do report other"
                " elements, these values are too large."
            ),
        }

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if "slug" in self.fields:
            self.fields["slug"].required = False
        mark_planned(self.fields, self.planned)

    def clean_slug(self) -> str:
        return self.cleaned_data["slug"] or identifier_of(self.cleaned_data.get("title", ""))
