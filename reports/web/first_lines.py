"""Lines for a notebook that need nothing but a token."""

import json

from django.db.models import Exists, OuterRef
from django.http import HttpRequest
from django.urls import reverse
from django.utils.translation import get_language

from reports.access import Person, use_cases
from reports.kinds import kind_of
from reports.models import Histogram, Version


def first_lines(request: HttpRequest, person: Person, token: str) -> str:
    """Return lines that make a data frame of something that the person may see."""
    address = json.dumps(request.build_absolute_uri(reverse("home")))
    site = f"from ldpsite_client import Site\nsite = Site({address}, {json.dumps(token)})\n"
    shown = Exists(Histogram.objects.filter(version=OuterRef("pk")))
    versions = Version.objects.active().filter(shown, use_case__in=use_cases(person, "view"))
    counting = (
        each for each in versions.select_related("use_case").order_by("use_case__title") if kind_of(each).has_dictionary
    )
    version = next(counting, None)
    if version is None:
        return f"{site}site.use_cases()"
    language = (get_language() or "")[:2]
    locale = next((each for each in version.locales if each[:2] == language), version.locales[0])
    where = f"locale={json.dumps(locale)}, " if len(version.locales) > 1 else ""
    return f"{site}site.use_case({json.dumps(version.use_case.slug)}).histogram({where}days=7).to_frame()"
