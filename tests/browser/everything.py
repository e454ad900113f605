"""A site on which every page has something to show, and the list of its pages, found by walking its addresses."""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache

from django.conf import settings
from django.http.response import HttpResponseBase
from django.template import Template
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from reports.bulk import Tally
from reports.collection.ingest import Refusal
from reports.definitions import create_draft, draft_from, settings_of
from reports.embedding import make_token
from reports.models import Batch, Histogram, Import, Run, TrainingRound, UseCase, failures
from reports.runs import start_run
from reports.training import draft_from as draft_of_training
from reports.web.pages.set_up.drafts import STEPS
from tests.promises.addresses import Address, addresses
from tests.promises.conftest import World
from tests.reports.factories import batch_of
from tests.reports.runs.stepwise import begin
from tests.reports.small_fleet import aggregate, days_ago, define, define_words, send, send_words
from tests.reports.suspicious import send_suspicious
from tests.reports.trained import define_task, order

FORMS = ("csv", "json", "parquet")
# Addresses that are no page, and what they are instead, beside those of the API and of files of tables.
_NO_PAGES = {
    "embed_preview": "a picture",
    "search_json": "for the palette",
    "simulation": "leads to a chart, or follows what is under way",
    **dict.fromkeys(
        ("word_list", "word_list_of_locale", "client_wheel", "training_model", "training_card", "report_format_text"),
        "a file",
    ),
    **dict.fromkeys(
        (
            *("start_run", "retry_run", "choose_language", "choose_theme", "end_sessions", "logout", "revoke_token"),
            *("delete_saved_view", "change_pins", "forget_visits", "propose_product_list", "approve_product_list"),
            *("end_subscription", "resume_subscription", "read_inbox", "simulate", "remove_simulation"),
            *("cancel_evaluation", "retry_evaluation", "share_evaluation", "cancel_training", "retry_training"),
        ),
        "takes a form",
    ),
    **dict.fromkeys(
        ("evaluation_progress", "training_progress", "run_progress", "simulation_progress"), "a part of a page"
    ),
    **dict.fromkeys(("oidc_begin", "oidc_callback", "signed_out"), "there with a provider of single sign-on alone"),
    **dict.fromkeys(("healthz", "readyz", "metrics"), "for load balancers and Prometheus"),
}


@cache
def no_pages() -> dict[str, str]:
    """Return the addresses that are no page, and what they are instead. For the admin see `is_left_out`."""
    names = [address.name for address in addresses() if not of_admin(address.name)]
    api = dict.fromkeys((name for name in names if name.startswith("api_") and name != "api_page"), "the API")
    files = (name for name in names if name.rpartition("_")[2] in FORMS)
    return dict.fromkeys(files, "a file") | api | _NO_PAGES


# Embedded pages beside the histogram, by the names of pages; with annotations of days, too.
EMBEDDED = [
    ("compare", "locale=en_US&other-locale=fr_FR"),
    ("trend", "element=apple&element=banana&annotated=all"),
    ("element", "element=apple&annotated=all"),
    ("changes", "days=1&previewed=1"),
]


@dataclass(frozen=True)
class Everything:
    """The site of the promises, with more days, what is suspicious, what failed, and what is under way."""

    world: World
    draft: int
    held: Batch
    failed: Run
    searching: Run
    training_draft: int

    def particular(self) -> dict[str, list[str]]:
        """Pages that need more said in their address, and states of pages that look different; by name of the view."""
        fruits, slang = ("fruits",), ("slang",)
        use_case, compare = (reverse(name, args=fruits) for name in ("use_case", "compare"))
        element, changes = (reverse(name, args=fruits) for name in ("element", "changes"))
        found = reverse("element", args=slang)
        return {
            "search": ["/search/", "/search/?q=apple", "/search/?q=zzzz"],
            "use_case": [
                use_case,
                f"{use_case}?group=category",
                f"{use_case}?category=berries",
                f"{use_case}?from=2020-01-01&to=2020-01-02",
                f"{use_case}?q=nothing",
                f"{use_case}?sort=nonsense",
                f"{use_case}?from=nonsense",
                reverse("use_case", args=slang),
                f"{reverse('use_case', args=slang)}?words=all",
                reverse("use_case", args=("empty",)),
                reverse("use_case", args=("words",)),
            ],
            "compare": [
                f"{compare}?locale=en_US&with=fr_FR",
                f"{reverse('compare', args=slang)}?locale=en_US&with=fr_FR",
                reverse("compare", args=("empty",)),
            ],
            "trend": [
                reverse("trend", args=slang),
                reverse("trend", args=("empty",)),
            ],
            "changes": [
                f"{changes}?days=1",
                *(reverse("changes", args=(slug,)) for slug in ("slang", "empty", "words")),
            ],
            "locales": [reverse("locales", args=(slug,)) for slug in ("slang", "empty", "words")],
            "element": [f"{element}?element=apple", f"{found}?element=yeet", f"{element}?element=durian"],
            "embed": [self._embedded(*shown) for shown in EMBEDDED],
            "use_case_privacy": [reverse("use_case_privacy", args=slang)],
            "planner": [reverse("planner"), f"{reverse('planner')}?n=100&m=1024&k=70000&limit=3"],
            **{f"set_up_{step}": [reverse(f"set_up_{step}", args=["begun"])] for step in STEPS},
            "set_up_begin": [reverse("set_up_begin", args=fruits)],
            "quarantine": [reverse("quarantine", args=fruits)],
            "product_lists": [reverse("product_lists", args=slugs) for slugs in (fruits, slang)],
            "product_list": [reverse("product_list", args=("fruits", "fruit-order"))],
            "training_task": [reverse("training_task", args=[slug]) for slug in ("films", "waiting", "untrained")],
            "training_privacy": [reverse("training_privacy", args=["untrained"])],
            "training_viewings": [reverse("training_viewings", args=["films"])],
            "order_training": [reverse("order_training", args=[slug]) for slug in ("films", "untrained")],
            "recommended": [reverse("recommended", args=[slug]) for slug in ("films", "untrained")],
            **{
                f"admin:reports_trainingversion_{name}": [
                    reverse(f"admin:reports_trainingversion_{name}", args=[self.training_draft])
                ]
                for name in ("change", "activate")
            },
            "run": [reverse("run", args=[run.pk]) for run in (self.failed, self.searching)],
            **{name: [reverse(name, args=[self.held.pk])] for name in ("batch", "release_batch", "withdraw_batch")},
            "sort_words": [f"{reverse('sort_words', args=slang)}?words=foreign"],
            "admin:reports_histogram_change": [
                reverse("admin:reports_histogram_change", args=[Histogram.objects.filter(revision=None)[0].pk])
            ],
            "admin:reports_version_activate": [reverse("admin:reports_version_activate", args=[self.draft])],
            "admin:reports_version_discard": [reverse("admin:reports_version_discard", args=[self.draft])],
            "admin:reports_version_dictionary": [reverse("admin:reports_version_dictionary", args=[self.draft])],
            "admin:reports_version_change": [reverse("admin:reports_version_change", args=[self.draft])],
        }

    def _embedded(self, page: str, query: str) -> str:
        return reverse("embed", args=[make_token(self.world.owner, self.world.counted.use_case, page, query, 1)])


def build(world: World) -> Everything:
    """Add to the world what makes its pages as full as they get."""
    version = world.counted
    revision = version.current_dictionary()
    assert revision is not None
    revision.entries.filter(position__in=(0, 1)).update(category="berries")
    for number, days in enumerate((3, 2, 2)):
        send(version, 400, day=days_ago(days), locale=("en_US", "en_US", "fr_FR")[number], seed=10 + number)
    for number, locale in enumerate(("en_US", "fr_FR")):
        send(version, 400, day=days_ago(10), locale=locale, seed=20 + number)
    aggregate(version)
    define(slug="empty", title="Nothing yet")
    begun = UseCase.objects.create(slug="begun", title="Only begun", owner_group=version.use_case.owner_group)
    create_draft(begun, **settings_of(version))
    words = define_words()
    send_words(words, 150, day=days_ago(1))
    searching = start_run(words, ring=False)
    begin(searching.pk)
    failed = Run.objects.create(
        version=world.discovered,
        first_day=days_ago(9),
        last_day=days_ago(8),
        state=Run.State.FAILED,
        failure=failures.WORKERS_LOST,
        finished_at=timezone.now(),
    )
    held = batch_of(send_suspicious(version))
    queued = order(define_task(slug="waiting", title="Queued films"))
    # As if its worker had ended after a round: the page has the curve so far.
    TrainingRound.objects.create(run=queued, number=1, epsilon=1.0, figures={"rmse": 0.9})
    read = Tally(objects=9, accepted=400, rejected=Counter(malformed_record=120), refused=Counter({Refusal.BROKEN: 1}))
    (source,) = settings.LDPSITE_REPORT_SOURCES
    fruits = {"address": source, "use_case_ids": [version.use_case_id]}
    Import.objects.create(state=Import.State.FINISHED, finished_at=timezone.now(), tally=read.stored(), **fruits)
    untrained = draft_of_training(define_task(slug="untrained", title="Not yet")).pk
    return Everything(world, draft_from(version).pk, held, failed, searching, untrained)


def of_admin(name: str) -> bool:
    return name.startswith("admin:")


# Things that people add in the admin.
ADDED_BY_HAND = {
    f"admin:reports_{model}_add"
    for model in ("apitoken", "budgetgroup", "trainingtask", "trainingversion", "usecase", "version")
}
# Addresses of the admin: those that only take a form, those that scripts ask for, and the other login.
NO_PAGES_OF_THE_ADMIN = {
    "admin:login", "admin:logout", "admin:autocomplete", "admin:jsi18n", "admin:view_on_site",
    "admin:reports_version_copy", "admin:reports_version_preview", "admin:reports_trainingversion_copy",
}  # fmt: skip


def is_left_out(name: str) -> bool:
    """Tell whether an address of the admin is no page, opens for no user, or is Django's own, alike for each model."""
    own = name.startswith("admin:reports_")
    same = name.endswith("_history") and name != "admin:reports_usecase_history"
    closed = name.endswith("_delete") or (own and name.endswith("_add") and name not in ADDED_BY_HAND)
    return same or closed or name in NO_PAGES_OF_THE_ADMIN


@dataclass(frozen=True)
class Shown:
    """A page: the name of its view, its path and its text."""

    name: str
    path: str
    text: str
    # Whether it has a template of ours that no page before has.
    is_new: bool


def examples(site: Everything, of: Iterable[Address]) -> Iterator[tuple[str, str, bool]]:
    """Yield paths: the name of the view, the path, and whether it is named above as one that shows a page."""
    particular = site.particular()
    for address in of:
        named = particular.get(address.name, [])
        try:
            usual = [site.world.path(address)]
        except KeyError:
            usual = []  # an address with examples of its own only, or no page
        yield from ((address.name, path, path in named) for path in dict.fromkeys([*usual, *named]))


def pages(site: Everything, of: Iterable[Address], client: Client) -> Iterator[Shown]:
    """Show whatever answers with a document, and what is named above."""
    shown: set[str | None] = set()
    for name, path, is_named in examples(site, of):
        answer = client.get(path)
        if is_named or _is_page(answer):
            parts = {template.name for template in answer.templates if is_ours(template)}
            yield Shown(name, path, answer.content.decode(), not parts <= shown)
            shown |= parts


def is_ours(template: Template) -> bool:
    return str(template.origin).startswith(str(settings.BASE_DIR / "templates"))


def _is_page(answer: HttpResponseBase) -> bool:
    html = answer.headers.get("Content-Type", "").startswith("text/html")
    return html and answer.status_code == 200 and b"<html" in getattr(answer, "content", b"")
