"""What the pages of a use case offer to keep of them: asked here, so that no view needs to know of it."""

from django import template
from django.contrib.auth.models import User

from reports import embedding
from reports.models import UseCase
from reports.pages.embed import PAGES
from reports.pages.subscription_form import SubscriptionForm

register = template.Library()


@register.simple_tag
def may_embed(user: User, use_case: UseCase, page: str) -> bool:
    """Whether somebody may make a link that shows the page to everybody who has it."""
    return page in PAGES and embedding.may_embed(user, use_case)


@register.simple_tag
def subscription_form(user: User, use_case: UseCase) -> SubscriptionForm:
    """An empty one."""
    return SubscriptionForm(user, use_case)
