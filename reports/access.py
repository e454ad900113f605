"""Access rules: every page, export, API view, admin list and count asks here, and nowhere else."""

import datetime
from collections.abc import Collection
from typing import Final, Literal, TypeAlias

from django.contrib.auth.models import AnonymousUser, Group, User
from django.db.models import F, Q, QuerySet
from django.utils import timezone

from reports.models import (
    Annotation,
    ApiToken,
    Batch,
    BudgetGroup,
    Evaluation,
    Import,
    Pin,
    ProductList,
    SavedView,
    Subscription,
    TrainingTask,
    UseCase,
    Visit,
)
from reports.models.uploads import utc_today

Person: TypeAlias = User | AnonymousUser | ApiToken
Action: TypeAlias = Literal["view", "edit", "upload", "privacy"]

# Tokens of people who log in elsewhere hold for so long after a login.
TOKEN_DAYS_AFTER_LOGIN: Final = 30


def use_cases(person: Person, action: Action) -> QuerySet[UseCase]:
    """Return the use cases on which a person or token may perform an action.

    *view*: see results. *edit*: aggregate, withdraw batches, configure. *upload*: send reports.
    Viewers are the members of a use case's viewer groups, owners those of its owner group; superusers may do
    everything; a token may upload, or view, or both, as it says, the use cases that it names; one of a person may view
    what that person may view, or upload what it names for as long as that person may.
    No reports are uploaded where they are simulated.
    *privacy*: read the privacy page. Everybody, if it is published; otherwise people who may see results.
    """
    everything = UseCase.objects.all()
    if action == "upload":
        everything = everything.filter(simulation_of=None)
    if action == "privacy":
        return everything.filter(Q(privacy_published=True) | Q(pk__in=use_cases(person, "view").values("pk")))
    if isinstance(person, ApiToken):
        return _use_cases_of_token(person, action, everything)
    if not isinstance(person, User) or not person.is_active:
        return everything.none()
    if person.is_superuser:
        return everything
    groups = _groups(person)
    owned = Q(owner_group__in=groups)
    if action == "view":
        return everything.filter(owned | Q(pk__in=everything.filter(viewer_groups__in=groups).values("pk")))
    return everything.filter(owned)


def owned(person: Person) -> frozenset[int]:
    """Return the primary keys of the use cases that a person may edit.

    Looked up once for each person as loaded, as Django does with permissions: a page asks for it in several places.
    """
    known: frozenset[int] | None = person.__dict__.get("_owned")
    if known is None:
        known = frozenset(use_cases(person, "edit").values_list("pk", flat=True))
        person.__dict__["_owned"] = known
    return known


def _groups(person: User) -> list[int]:
    """Return the keys of a person's groups, looked up once for each person as loaded, until groups are changed."""
    # Where Django keeps what it prefetches, and forgets it at a change; its own prefetching takes twice as long.
    prefetched: dict[str, QuerySet[Group]] | None = getattr(person, "_prefetched_objects_cache", None)
    if prefetched is None:
        prefetched = person._prefetched_objects_cache = {}  # type: ignore[attr-defined]
    return [group.pk for group in prefetched.setdefault("groups", person.groups.all())]


def _use_cases_of_token(token: ApiToken, action: Action, everything: QuerySet[UseCase]) -> QuerySet[UseCase]:
    allowed = {"upload": token.may_ingest, "view": token.may_read}.get(action, False)
    if not allowed or not _holds(token):
        return everything.none()
    if token.person is not None:
        theirs = use_cases(token.person, action)
        return theirs if action == "view" else theirs.filter(pk__in=token.use_cases.values("pk"))
    return everything if token.every_use_case else everything.filter(pk__in=token.use_cases.values("pk"))


def _holds(token: ApiToken) -> bool:
    """Tell whether a token is valid, and its person, if it is of one, still has an account.

    Of an account at a provider of single sign-on that is told only at a login: the token holds for some time after it.
    """
    person = token.person
    if person is None or not token.is_valid:
        return token.is_valid
    since = _last_login_at_least()
    is_recent = person.last_login is not None and person.last_login >= since
    return person.is_active and (is_recent or not person.identities.exists())


def _last_login_at_least() -> datetime.datetime:
    return timezone.now() - datetime.timedelta(days=TOKEN_DAYS_AFTER_LOGIN)


def people(use_case: UseCase, action: Literal["view", "edit"]) -> QuerySet[User]:
    """Return the people who may view or edit a use case, as `use_cases` decides for each of them."""
    allowed = Q(is_superuser=True)
    if use_case.owner_group is not None:
        allowed |= Q(groups=use_case.owner_group)
    if action == "view":
        allowed |= Q(groups__in=use_case.viewer_groups.values("pk"))
    return User.objects.filter(allowed, is_active=True).distinct()


def reading_tokens(use_case: UseCase) -> QuerySet[ApiToken]:
    """Return the tokens that may view a use case."""
    named = Q(every_use_case=True) | Q(pk__in=ApiToken.objects.filter(use_cases=use_case).values("pk"))
    has_account = Q(identities=None) | Q(last_login__gte=_last_login_at_least())
    named |= Q(person__in=people(use_case, "view").filter(has_account).values("pk"))
    return ApiToken.objects.filter(named, may_read=True, revoked=False, expires_on__gt=utc_today())


def may_upload(person: Person) -> bool:
    """Tell whether a person may send uploads. Reports for other use cases are dropped as if these did not exist.

    A token may as long as it is valid, even if its use cases have ended: a collecting server is told which of its
    reports are no longer wanted.
    """
    if isinstance(person, ApiToken):
        return person.may_ingest and _holds(person)
    return use_cases(person, "upload").exists()


def batches(person: Person) -> QuerySet[Batch]:
    """Return the batches that a person or token may see; people may also withdraw them while they are open.

    People see batches whose use cases they all own. A token that may upload may ask for any batch of its use cases
    whose identifier it knows, which is how a collecting server follows its own uploads: who sent what is not kept.
    """
    everything = Batch.objects.all()
    if isinstance(person, User) and person.is_active and person.is_superuser:
        return everything
    action: Action = "upload" if isinstance(person, ApiToken) else "edit"
    owned = list(use_cases(person, action).values_list("pk", flat=True))
    return everything.filter(use_case_ids__contained_by=owned) if owned else everything.none()


def imports(person: Person) -> QuerySet[Import]:
    """Return the imports that a person may see: like batches, those whose use cases they all own."""
    if may_define(person):
        return Import.objects.all()
    theirs = Import.objects.filter(use_case_ids__contained_by=list(owned(person)))
    return theirs.exclude(use_case_ids=[])  # which may be for every use case


def may_import(person: Person, use_case_ids: Collection[int]) -> bool:
    """Tell whether a person sees and orders imports for these use cases, or for every one if none is given."""
    return may_define(person) or (bool(use_case_ids) and owned(person).issuperset(use_case_ids))


def evaluations(person: Person) -> QuerySet[Evaluation]:
    """Return the evaluations that a person may see: their own, and shared ones; of use cases that they may view."""
    everything = Evaluation.objects.all()
    if not isinstance(person, User) or not person.is_active:
        return everything.none()
    if person.is_superuser:
        return everything
    of_visible = Q(use_case=None) | Q(use_case__in=use_cases(person, "view").values("pk"))
    return everything.filter(Q(requested_by=person) | Q(shared=True), of_visible)


def steered_evaluations(person: Person) -> QuerySet[Evaluation]:
    """Return the evaluations that a person may cancel, retry, share and delete: those that they asked for."""
    seen = evaluations(person)
    return seen if may_define(person) else seen.filter(requested_by_id=person.pk)


def may_steer(person: Person, evaluation: Evaluation) -> bool:
    """Tell whether a person who sees an evaluation may steer it, without a query."""
    return may_define(person) or (isinstance(person, User) and evaluation.requested_by_id == person.pk)


def training_tasks(person: Person, action: Literal["view", "edit", "use"]) -> QuerySet[TrainingTask]:
    """Return the training tasks on which a person or token may perform an action.

    *view*: see runs, figures and models. *edit*: change, activate, cancel and retry runs. Viewers and owners are those
    of groups, as of use cases. *use*: read the privacy statement, and take the model to one's own device. Everybody, if
    the task is published. A token that may read views the tasks that it names; one of a person, what they may view.
    """
    everything = TrainingTask.objects.all()
    if action == "use":
        return everything.filter(Q(published=True) | Q(pk__in=training_tasks(person, "view").values("pk")))
    if isinstance(person, ApiToken):
        reads = action == "view" and person.may_read and _holds(person)
        if reads and person.person is not None:
            return training_tasks(person.person, "view")
        return person.training_tasks.all() if reads else everything.none()
    if not isinstance(person, User) or not person.is_active:
        return everything.none()
    if person.is_superuser:
        return everything
    groups = _groups(person)
    allowed = Q(owner_group__in=groups)
    if action == "view":
        allowed |= Q(pk__in=everything.filter(viewer_groups__in=groups).values("pk"))
    return everything.filter(allowed)


def operates(person: Person) -> bool:
    """Tell whether a person has use cases to look after, or all of them, even if there is none yet."""
    return may_define(person) or bool(owned(person))


def may_be_told(subscription: Subscription) -> bool:
    """Tell whether its owner may have now what a subscription is about."""
    owner = subscription.owner
    if subscription.use_case_id is None:
        return operates(owner)
    return use_cases(owner, "view").filter(pk=subscription.use_case_id).exists()


def may_set_up(person: Person) -> bool:
    """Tell whether a person may set up use cases: owners, for groups of theirs, and people who may define any."""
    return may_define(person) or (not isinstance(person, ApiToken) and bool(owned(person)))


def may_define(person: Person) -> bool:
    """Tell whether a person may create use cases for anybody, and create and change budget groups.

    A budget group's limit holds for use cases of several owners, so that none of them alone may change it.
    """
    return isinstance(person, User) and person.is_active and person.is_superuser


def budget_groups(person: Person) -> QuerySet[BudgetGroup]:
    """Return the budget groups that a person may see: of use cases that they may edit."""
    everything = BudgetGroup.objects.all()
    if may_define(person):
        return everything
    return everything.filter(pk__in=use_cases(person, "edit").values("budget_group"))


def writable_annotations(person: Person) -> QuerySet[Annotation]:
    """Return the annotations that a person may delete: of use cases that they may edit, none that are about all."""
    everything = Annotation.objects.all()
    if may_define(person):
        return everything
    return everything.filter(use_case__in=use_cases(person, "edit").values("pk"))


def may_delete(person: Person, annotation: Annotation) -> bool:
    """Tell whether a person may delete an annotation, without one query for each annotation of a list."""
    return may_define(person) or annotation.use_case_id in owned(person)


def owner_groups(person: Person) -> QuerySet[Group]:
    """Return the groups that a person may make owners of a use case: only their own, so that they stay owners."""
    if may_define(person):
        return Group.objects.all()
    return person.groups.all() if isinstance(person, User) and person.is_active else Group.objects.none()


def api_tokens(person: Person) -> QuerySet[ApiToken]:
    """Return the tokens that a person may see: their own; for owners, all that reach a use case or task of theirs."""
    everything = ApiToken.objects.all()
    if may_define(person):
        return everything
    owned = use_cases(person, "edit")
    tasks = training_tasks(person, "edit")
    found = Q(person__in=[person.pk] if isinstance(person, User) else [])
    found |= Q(pk__in=everything.filter(training_tasks__in=tasks.values("pk")).values("pk"))
    if owned.exists():
        naming = everything.filter(use_cases__in=owned.values("pk")).values("pk")
        found |= Q(every_use_case=True) | Q(pk__in=naming)
    return everything.filter(found)


def revocable_tokens(person: Person) -> QuerySet[ApiToken]:
    """Return the tokens that a person may revoke: their own; for owners, those that reach only what is theirs."""
    seen = api_tokens(person)
    if may_define(person):
        return seen
    of_others = UseCase.objects.exclude(pk__in=use_cases(person, "edit").values("pk")).values("pk")
    tasks_of_others = TrainingTask.objects.exclude(pk__in=training_tasks(person, "edit").values("pk")).values("pk")
    naming_others = ApiToken.objects.filter(Q(use_cases__in=of_others) | Q(training_tasks__in=tasks_of_others))
    return seen.filter(every_use_case=False).exclude(pk__in=naming_others.values("pk"))


def saved_views(person: Person) -> QuerySet[SavedView]:
    """Return the saved views that a person may open: of use cases that they see, their own or shared with their groups.

    Only the owner may change them.
    """
    everything = SavedView.objects.all()
    if not isinstance(person, User) or not person.is_active:
        return everything.none()
    theirs = Q(owner=person) | Q(shared_with__in=_groups(person))
    return everything.filter(theirs, use_case__in=use_cases(person, "view").values("pk"))


def pins(person: Person) -> QuerySet[Pin]:
    """Return the pins on a person's front page: of views that they may open, their own, and those for a team of theirs.

    Only the owner of a view may pin it for the group that it is shared with, and only their owners may change pins.
    """
    everything = Pin.objects.all()
    if not isinstance(person, User):
        return everything.none()
    of_team = Q(for_team=True, owner=F("view__owner"), view__shared_with__in=_groups(person))
    return everything.filter(Q(owner=person) | of_team, view__in=saved_views(person).values("pk"))


def visits(person: Person) -> QuerySet[Visit]:
    """Return the pages that a person visited last, of use cases that they may still see."""
    everything = Visit.objects.all()
    if not isinstance(person, User):
        return everything.none()
    return everything.filter(owner=person, use_case__in=use_cases(person, "view").values("pk"))


def product_lists(person: Person) -> QuerySet[ProductList]:
    """Return the lists for products that a person or token may read: of use cases they may view, and public ones.

    None are made of simulated reports, so that no product reads what is made up.
    """
    viewed = use_cases(person, "view").values("pk")
    return ProductList.objects.filter(Q(is_public=True) | Q(use_case__in=viewed), use_case__simulation_of=None)


def subscriptions(person: Person) -> QuerySet[Subscription]:
    """Return a person's subscriptions, including those to use cases they no longer see, about which nothing is sent."""
    everything = Subscription.objects.all()
    return everything.filter(owner=person) if isinstance(person, User) and person.is_active else everything.none()
