"""A site in which everything exists that may be looked at, none of it charlie's."""

from dataclasses import dataclass, field
from typing import TypeAlias

import pytest
from django.apps import apps
from django.contrib.auth.models import User
from django.contrib.contenttypes.models import ContentType

from reports.accounts.addresses import key_for
from reports.embedding import make_token, read_token
from reports.evaluation import order_evaluation
from reports.jobs import finish_inline
from reports.models import (
    Annotation,
    ApiToken,
    Batch,
    Deletion,
    Evaluation,
    InboxMessage,
    ProductList,
    Run,
    SavedView,
    Subscription,
    TrainingRun,
    UseCase,
    Version,
    Viewing,
)
from reports.product_lists import approve, propose
from reports.web.client_wheel import wheel
from reports.words import Decided, decide
from tests.conftest import make_user
from tests.promises.addresses import Address, addresses
from tests.reports.found_words import define_search, find
from tests.reports.small_fleet import aggregate, days_ago, define, send
from tests.reports.trained import trained
from tests.worlds import once

Values: TypeAlias = dict[str, object]


GRID = {
    "distributions": ["harmonic", "even"],
    "elements": 20,
    "reports": 400,
    "mechanisms": [{"algorithm": "CountMeanSketch", "k": [16, 64], "m": 8}],
    "epsilon": [2, 4],
    "repetitions": 4,
    "top": 5,
}
# Parts of addresses of the admin beside keys.
SPECIAL: Values = {"state": UseCase.State.PAUSED}


@dataclass
class World:
    """Examples for what stands in addresses."""

    counted: Version
    discovered: Version
    run: Run
    batch: Batch
    # The saved view and the subscription are hers, and she made the link to an embedded page.
    owner: User
    saved_view: SavedView
    subscription: Subscription
    annotation: Annotation
    evaluation: Evaluation
    trained: TrainingRun
    examples: dict[str, Values] = field(init=False)
    # Names that must stay unseen by a person to whom none of it belongs.
    names: tuple[str, ...] = ("Fruits", "fruit-budget", "collector", "Films to watch")

    def __post_init__(self) -> None:
        counted: Values = {"slug": self.counted.use_case.slug}
        words: Values = {"slug": self.discovered.use_case.slug}
        run: Values = {"pk": self.run.pk}
        batch: Values = {"pk": self.batch.pk}
        saved_view: Values = {"pk": self.saved_view.pk}
        subscription: Values = {"pk": self.subscription.pk}
        token = make_token(self.owner, self.counted.use_case, "use_case", "previewed=1", 1)
        word_list = words | {"name": "slang-words", "locale": "en_US"}
        use_case = ContentType.objects.get_for_model(UseCase)
        self.examples = {
            **dict.fromkeys(("run", "run_progress", "retry_run"), run),
            **dict.fromkeys(("batch", "withdraw_batch", "release_batch"), batch),
            **dict.fromkeys(("word_list", "word_list_of_locale", "count_words"), word_list),
            **dict.fromkeys(("sort_words", "named_dictionaries"), words),
            **dict.fromkeys(("saved_view", "delete_saved_view"), saved_view),
            "inbox_message": {"pk": InboxMessage.objects.values_list("pk", flat=True)[0]},
            **dict.fromkeys(("end_subscription", "resume_subscription"), subscription),
            **{
                address.name: {"pk": self.evaluation.pk}
                for address in addresses()
                if "evaluation" in address.name and address.arguments
            },
            **{
                address.name: {"slug": "films"} if "slug" in address.arguments else {"pk": self.trained.pk}
                for address in addresses()
                if "train" in address.name and not address.name.startswith("admin:") and address.arguments
            },
            "recommended": {"slug": "films"},
            **{
                address.name: counted | {"name": "fruit-order"}
                for address in addresses()
                if "product_list" in address.name and "name" in address.arguments
            },
            "embed": {"token": token},
            "embed_preview": {"token": token},
            "client_wheel": {"name": wheel()[0]},
            "revoke_token": {"pk": ApiToken.objects.get(name="collector").pk},
            "confirm_address": {"key": key_for(self.owner, "new@example.org")},
            "password_reset_confirm": {"uidb64": "MQ", "token": "none"},
            "revoke_embed_link": counted | {"pk": read_token(token).pk},
            "delete_annotation": counted | {"pk": self.annotation.pk},
            "api_batch": {"batch_id": self.batch.pk},
            "admin:view_on_site": {"content_type_id": use_case.pk, "object_id": self.counted.use_case_id},
            "admin:app_list": {"app_label": "reports"},
            "": counted,
        }

    def path(self, address: Address) -> str:
        return address.path(self._values(address))

    def _values(self, address: Address) -> Values:
        if address.name in self.examples:
            return self.examples[address.name]
        if address.name.startswith("admin:") and address.arguments:
            app, model, _view = address.name.removeprefix("admin:").split("_", 2)
            found = apps.get_model(app, model)._default_manager.order_by("pk").first()
            assert found is not None, f"{address.name}: give the world of these tests a {model}."
            return dict.fromkeys(address.arguments, found.pk) | SPECIAL
        return self.examples[""]


@once
def laid_out(alice: User) -> Run:
    """Build what the world has; the run counted the fruits."""
    counted = define(budget_group="fruit-budget")
    for seed, locale in ((1, "en_US"), (2, "fr_FR")):
        send(counted, 500, locale=locale, day=days_ago(1), seed=seed)
    # Changes need days before.
    send(counted, 500, day=days_ago(2), seed=3)
    run = aggregate(counted)
    discovered = define_search()
    find(discovered, ["yeet", "lol"])
    decide(alice, discovered.use_case, "en_US", [Decided("yeet", "accepted", "slang-words", "")])
    token, _secret = ApiToken.create("collector", may_ingest=True, use_cases=[counted.use_case])
    Viewing.objects.create(token=token, use_case=counted.use_case, what="api")
    Deletion.objects.create(
        version=counted, day=days_ago(100), reports=1_000, fewest=1_000, reason=Deletion.Reason.EXPIRED
    )
    send(counted, 10)
    SavedView.objects.create(owner=alice, name="Mine", use_case=counted.use_case, page="use_case")
    subscription = Subscription.objects.create(owner=alice, use_case=counted.use_case, new_in_top=True)
    told = {f"{counted.number}:en_US": days_ago(9).isoformat()}
    batch = {f"{counted.number}:en_US": days_ago(1).isoformat()}
    InboxMessage.objects.create(subscription=subscription, told=told, batch=batch, up_to=days_ago(1))
    ordered = ProductList.objects.create(use_case=counted.use_case, name="fruit-order", rule="ordered", length=3)
    proposal = propose(ordered)
    assert proposal is not None
    approve(proposal, alice)
    Annotation.objects.create(use_case=counted.use_case, day=days_ago(1), text="Release of fruit 2")
    # A drawn seed's invented numbers would now and then be those of a hidden element by chance.
    trained()
    finish_inline(order_evaluation(GRID, str, seed=2, user=alice, use_case=counted.use_case, ring=False))
    return run


@pytest.fixture
def world(alice: User, bob: User) -> World:
    run = laid_out(alice)
    return World(
        counted=run.version,
        discovered=Version.objects.get(use_case__slug="slang"),
        run=run,
        batch=Batch.objects.get(day=days_ago(0)),
        owner=alice,
        saved_view=SavedView.objects.get(),
        subscription=Subscription.objects.get(),
        annotation=Annotation.objects.get(),
        evaluation=Evaluation.objects.get(),
        trained=TrainingRun.objects.get(non_private=False),
    )


@pytest.fixture
def gardener(world: World) -> User:
    """One of the staff who owns a use case, but nothing of that world. Made after it: the examples are the oldest."""
    define(slug="vegetables", title="Vegetables", owner_group="gardeners", viewer_groups=["gardeners"])
    user = make_user("gardener", "gardeners")
    user.is_staff = True
    user.save()
    return user
