"""API tokens in words, for pages and the admin: only what a person may see of what they reach."""

from django.contrib.auth.models import User
from django.db.models import Count, Prefetch, QuerySet
from django.utils.translation import gettext as _

from reports import access
from reports.models import ApiToken


def tokens_of(person: User) -> QuerySet[ApiToken]:
    """Return the tokens that a person may see, with what `reach` and `scope` say of them loaded."""
    # A token that reaches a use case of the owner may name others, which the owner may not see.
    use_cases = Prefetch("use_cases", access.use_cases(person, "view"), to_attr="visible")
    tasks = Prefetch("training_tasks", access.training_tasks(person, "view"), to_attr="visible_tasks")
    named = Count("use_cases", distinct=True) + Count("training_tasks", distinct=True)
    tokens = access.api_tokens(person).select_related("person").annotate(named=named)
    return tokens.prefetch_related(use_cases, tasks)


def scope(token: ApiToken) -> str:
    """Say what a program may do."""
    words = [_("upload")] * token.may_ingest + [_("read")] * token.may_read
    return ", ".join(words) or _("nothing")


def reach(token: ApiToken) -> str:
    """Say of which use cases and training tasks."""
    if token.person is not None and token.may_read:
        return _("what %(person)s may see") % {"person": token.person.get_username()}
    if token.every_use_case:
        return _("every use case")
    visible = [*token.visible, *token.visible_tasks]  # type: ignore[attr-defined]
    titles = ", ".join(each.title for each in visible)
    if len(visible) < token.named:  # type: ignore[attr-defined]
        return _("%(titles)s, and others") % {"titles": titles} if titles else _("others")
    return titles or _("none left")
