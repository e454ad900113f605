"""A public page on records of devices, whose script makes them as devices do, in the visitor's browser.

Nothing that is typed comes here: the field has no name and is in no form, and without the script it is not shown.
"""

import json
from typing import Any

from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from aggregation.mechanisms import MECHANISMS
from reports.access import training_tasks
from reports.collection.devices import published
from reports.web.pages.locales import locale_name
from reports.web.pages.people import reader
from reports.web.pages.what_leaves import recorded_example
from reports.web.pages.what_leaves.what_leaves_texts import SUGGESTIONS, texts


@login_not_required
@require_safe
def what_leaves(request: HttpRequest) -> HttpResponse:
    configuration = published()
    offered = json.loads(configuration.body)
    asked = offered["use_cases"]
    shown = [each for each in asked if MECHANISMS[each["algorithm"]].in_browsers]
    offered["use_cases"] = shown or [_example_use_case()]
    context = {
        "is_example": not shown,
        # Mechanisms that pages have no client for.
        "elsewhere": [each["title"] for each in asked if each not in shown],
        "configuration": offered,
        "sha256": configuration.sha256,
        "locale_names": {locale: locale_name(locale) for each in offered["use_cases"] for locale in each["locales"]},
        "texts": texts(),
        "suggestions": SUGGESTIONS,
        "trained": training_tasks(reader(request), "use").filter(published=True).order_by("title"),
        "example": recorded_example.recorded_example(),
    }
    return render(request, "reports/what_leaves.html", context)


def _example_use_case() -> dict[str, Any]:
    """In the form of the configuration: where devices are asked nothing, something can be tried all the same."""
    return {
        "slug": "example",
        "title": _("An example: emoji"),
        "daily_limit": 1,
        "budget_group": None,
        "algorithm": recorded_example.ALGORITHM,
        "parameters": recorded_example.PARAMETERS,
        "normalization": "emoji",
        "keep_case": False,
        "alphabet": None,
        "locales": ["und"],
    }
