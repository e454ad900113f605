"""The person behind a request."""

from django.contrib.auth.models import User
from django.http import HttpRequest


def person(request: HttpRequest) -> User:
    """Who asks, in a view that asks for a login."""
    if not isinstance(request.user, User):
        raise TypeError("the view lacks login_required")
    return request.user
