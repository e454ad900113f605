"""Pages of the site and what one can do, by what people call them."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal

from django.contrib.auth.models import User
from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from reports.access import may_set_up, may_upload, operates


@dataclass(frozen=True)
class Place:
    """A page or an action, and other words by which it is found."""

    kind: Literal["page", "action"]
    title: str | Promise
    more: str | Promise
    # The name of its address, and what stands in the query string.
    view: str
    is_for: Callable[[User], bool] = lambda _person: True
    posts: bool = False

    @property
    def address(self) -> str:
        return reverse(self.view)

    @property
    def line(self) -> str:
        return f"{self.title} {self.more}"


_PLACES = (
    Place("page", _("Use cases"), _("home front page start cards"), "home"),
    Place("page", _("What changed"), _("news up down new gone difference"), "site_changes"),
    Place("page", _("Saved views"), _("bookmarks pins favourites"), "saved_views"),
    Place("page", _("Subscriptions"), _("news alerts mail webhook notifications"), "subscriptions"),
    Place("page", _("Planner"), _("plan ε sample size power"), "planner"),
    Place("page", _("Evaluations"), _("lab parameters error simulation"), "evaluations"),
    Place("page", _("Training"), _("models federated rounds"), "training_tasks"),
    Place("page", _("Operations"), _("runs storage jobs workers health"), "operations", operates),
    Place("page", _("How large a site has to be"), _("size cores storage cost capacity limits"), "size", operates),
    Place("page", _("Privacy"), _("ε epsilon budget guarantee"), "privacy"),
    Place("page", _("What leaves your device"), _("report noise example"), "what_leaves"),
    Place("page", _("API"), _("documentation OpenAPI programs tokens notebook"), "api_page"),
    Place("page", _("API tokens"), _("make revoke program notebook access key"), "tokens"),
    Place("page", _("Report format"), _("documentation upload document rejected reasons"), "report_format"),
    Place("page", _("Your account"), _("password settings profile groups"), "account"),
    Place("page", _("Admin"), _("configuration settings"), "admin:index", lambda person: person.is_staff),
    Place("action", _("New use case"), _("create define add"), "set_up", may_set_up),
    Place("action", _("Upload reports"), _("send batch file ingest"), "upload", may_upload),
    Place("action", _("Plan a use case"), _("how many reports ε"), "planner"),
    Place("action", _("Change the password"), _("account security"), "account"),
    Place("action", _("Log out"), _("sign out leave"), "logout", posts=True),
)


def places(person: User, kind: Literal["page", "action"]) -> Iterator[Place]:
    """Yield the pages or the actions that a person may use."""
    return (place for place in _PLACES if place.kind == kind and place.is_for(person))
