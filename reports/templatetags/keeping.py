"""Views and subscriptions to keep, for all pages of a use case: asked here, so that no view needs to know of them."""

from django import template
from django.contrib.auth.models import AnonymousUser, User
from django.http import HttpRequest

from reports import embedding
from reports.models import SavedView, UseCase
from reports.results import default_version
from reports.web.pages.bookmarks.saved_views import saved_under
from reports.web.pages.embed.embedded_page import PAGES
from reports.web.pages.programs import Programs, programs_for

register = template.Library()


# Tabs of a use case whose pages can be saved.
_SAVED_TABS = {
    "histogram": SavedView.Page.EXPLORE,
    "compare": SavedView.Page.COMPARE,
    "trend": SavedView.Page.TREND,
    "element": SavedView.Page.ELEMENT,
    "changes": SavedView.Page.CHANGES,
    "locales": SavedView.Page.LOCALES,
}


@register.simple_tag
def saved_views_of(request: HttpRequest, use_case: UseCase, tab: str) -> list[SavedView]:
    """The saved views that open exactly this page, of those that the reader may open."""
    user: User | AnonymousUser = request.user
    if tab not in _SAVED_TABS or not isinstance(user, User):
        return []
    return saved_under(user, use_case, _SAVED_TABS[tab], request.GET.urlencode())


@register.filter
def has_locales(use_case: UseCase) -> bool:
    """Tell whether the version that is shown has several locales."""
    version = default_version(use_case)
    return version is not None and len(version.locales) > 1


@register.simple_tag
def may_embed(user: User, use_case: UseCase, page: str) -> bool:
    """Tell whether a user may make a link that shows the page to everybody who has it."""
    return page in PAGES and embedding.may_embed(user, use_case)


@register.simple_tag
def programs(request: HttpRequest, exactly: str) -> Programs | None:
    """The programs that ask for what is shown at the exact address of this page, if the API has it."""
    return programs_for(request, exactly)
