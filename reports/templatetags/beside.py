"""The use case that stands beside another: asked here, so that no view needs to know of it."""

from django import template
from django.contrib.auth.models import User
from django.http import HttpRequest

from reports import access
from reports.demo import twins
from reports.models import UseCase

register = template.Library()
register.filter(twins.is_newer)


@register.simple_tag
def twin_of(request: HttpRequest, use_case: UseCase) -> UseCase | None:
    """Return the twin of a use case, if it has one that the reader may see."""
    slug = twins.twin_of(use_case.slug)
    if slug is None or not isinstance(request.user, User):
        return None
    return access.use_cases(request.user, "view").filter(slug=slug).first()
