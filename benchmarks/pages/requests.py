"""Requests of pages: for each, addresses that differ in use case, locale, days and elements."""

import datetime
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from importlib.util import find_spec
from typing import Any, TypeAlias

import numpy as np
from django.contrib.auth.models import User
from django.urls import URLResolver, get_resolver, reverse
from django.utils.http import urlencode

from benchmarks.pages.site import ADMINISTRATOR, ELEMENTS, VISITOR, WORD_DAYS, WORDS, Size
from reports.embedding import make_token
from reports.models import Annotation, Batch, Evaluation, Run, SavedView, TrainingRun, UseCase

Query: TypeAlias = Mapping[str, str | list[str]]


class Draw:
    """Draws parts of addresses, always the same in the same order."""

    def __init__(self, size: Size) -> None:
        self._size, self._rng = size, np.random.default_rng(7)

    def _one(self, choices: list[str]) -> str:
        return choices[int(self._rng.integers(len(choices)))]

    def slug(self) -> str:
        return self._one(self._size.slugs)

    def slug_of_complete(self) -> str:
        """Use cases whose dictionary is complete, every second one."""
        return self._one(self._size.slugs[::2])

    def locale(self) -> Query:
        """Return the locale that an address names; the first is assumed anyway."""
        place = int(self._rng.integers(self._size.locales))
        return {"locale": self._size.names[place]} if place else {}

    def _days(self, back: int, count: int, prefix: str) -> Query:
        last = self._size.day(back)
        first = last - datetime.timedelta(days=count - 1)
        return {f"{prefix}from": first.isoformat(), f"{prefix}to": last.isoformat()}

    def window(self, prefix: str = "") -> Query:
        """Every second time a day, else the newest week, the newest month or everything."""
        choice = int(self._rng.integers(6))
        if choice < 3:
            return self._days(int(self._rng.integers(1, self._size.days + 1)), 1, prefix)
        return ({f"{prefix}days": "7"}, {f"{prefix}days": "28"}, {})[choice - 3]

    def week(self, prefix: str = "") -> Query:
        """Days of which there is a list of words."""
        return self._days(int(self._rng.integers(1, max(2, min(self._size.days, WORD_DAYS) - 6))), 7, prefix)

    def histogram(self, **more: str) -> Query:
        return {**self.locale(), **self.window(), **more}

    def searched(self) -> Query:
        return self.histogram(q=str(self._rng.integers(10)), sort=self._one(["name", "-name", "-rank"]), unit="count")

    def list_of_words(self) -> Query:
        return {**self.locale(), **self.week()}

    def comparison(self, window: "Callable[[Draw, str], Query] | None" = None) -> Query:
        """Two locales, which are never one and the same twice."""
        first, second = self._rng.permutation(self._size.locales)[:2].tolist()
        window = window or Draw.window
        locales = {"locale": self._size.names[first], "other-locale": self._size.names[second]}
        return {**locales, **window(self, ""), **window(self, "other-")}

    def _element(self) -> str:
        return self._one(ELEMENTS[:12])

    def trend(self, **more: str) -> Query:
        elements = list(dict.fromkeys(self._element() for _ in range(4)))
        return {**self.locale(), "days": self._one(["28", "84", "364"]), "element": elements, **more}

    def changes(self) -> Query:
        last = self._size.day(1 + int(self._rng.integers(max(self._size.days - 56, 1))))
        # Days before are there, also of a site that has few.
        return {
            "to": last.isoformat(),
            "days": self._one([each for each in ("1", "7", "28") if 4 * int(each) <= self._size.days]),
        }

    def locales_together(self) -> Query:
        return {**self.changes(), "top": self._one(["3", "10", "20"])}

    def previewed(self) -> Query:
        return {**self.trend(), "previewed": "1"}

    def trend_of_words(self) -> Query:
        return {**self.locale(), "days": "28", "element": list(WORDS[:4])}

    def element(self, **more: str) -> Query:
        return {"element": self._element(), "days": self._one(["28", "84", "364"]), **more}

    def word(self) -> Query:
        return {"element": self._one(list(WORDS)), "days": "28"}

    def plan(self) -> Query:
        return {"n": str(self._rng.integers(1_000, 10_000_000)), "epsilon": self._one(["1", "2", "8"])}

    def search(self) -> Query:
        """Elements of all dictionaries, words, titles, and what is written wrongly."""
        return {"q": self._one([*ELEMENTS[:40], "element", *WORDS, *self._size.slugs, "elemnet", "operatoins"])}

    def token(self, page: SavedView.Page, query: "Callable[[Draw], Query]") -> dict[str, Any]:
        owner, use_case = User.objects.get(username=VISITOR), UseCase.objects.get(slug=self.slug())
        return {"token": make_token(owner, use_case, page, urlencode(query(self), doseq=True), 7)}


def of_use_case(draw: Draw) -> dict[str, Any]:
    return {"slug": draw.slug()}


def of_words(_draw: Draw) -> dict[str, Any]:
    return {"slug": "words"}


def nothing(_draw: Draw) -> dict[str, Any]:
    return {}


def newest(
    model: type[Run] | type[Batch] | type[SavedView] | type[Evaluation] | type[TrainingRun],
    _draw: Draw,
    name: str = "pk",
) -> dict[str, Any]:
    return {name: model._default_manager.order_by("-pk").values_list("pk", flat=True)[0]}


def published_model(_draw: Draw) -> dict[str, Any]:
    """Models without noise are not handed out."""
    runs = TrainingRun.objects.filter(non_private=False, state=TrainingRun.State.FINISHED)
    return {"pk": runs.values_list("pk", flat=True)[0]}


def annotation(_draw: Draw) -> dict[str, Any]:
    found = Annotation.objects.select_related("use_case")[0]
    return {"slug": found.use_case.slug if found.use_case else "", "pk": found.pk}


Parts: TypeAlias = tuple[Callable[[Draw], dict[str, Any]], Callable[[Draw], Query]]
HISTOGRAM, COMPARISON, TREND, CHANGES, ELEMENT = (
    (of_use_case, query) for query in (Draw.histogram, Draw.comparison, Draw.trend, Draw.changes, Draw.element)
)
LOCALES = (of_use_case, Draw.locales_together)
FORMS = ("csv", "json", "parquet")
# By the names of addresses and of what else is asked of them: what stands in the path, and the query.
PAGES: dict[str, Parts] = {
    **dict.fromkeys(("search", "search_json"), (nothing, Draw.search)),
    "home, its cards": (nothing, lambda _draw: {"cards": "1"}),
    "use_case": HISTOGRAM,
    "use_case, groups": (of_use_case, lambda draw: draw.histogram(group="category")),
    "use_case, consistent": (
        lambda draw: {"slug": draw.slug_of_complete()},
        lambda draw: draw.histogram(values="consistent"),
    ),
    "use_case, searched": (of_use_case, Draw.searched),
    "use_case, words": (of_words, Draw.list_of_words),
    "compare": COMPARISON,
    "compare, words": (of_words, lambda draw: draw.comparison(Draw.week)),
    "trend": TREND,
    "trend, weeks": (of_use_case, lambda draw: draw.trend(step="7")),
    "trend, one more": (of_use_case, lambda draw: draw.trend(add="00")),
    "trend, words": (of_words, Draw.trend_of_words),
    "changes": CHANGES,
    "changes, the newest": (of_use_case, nothing),
    "changes, words": (of_words, nothing),
    "locales": LOCALES,
    "locales, the newest": (of_use_case, nothing),
    "locales, words": (of_words, nothing),
    "element": ELEMENT,
    "element, weeks": (of_use_case, lambda draw: draw.element(step="7")),
    "element, words": (of_words, Draw.word),
    "embed": (lambda draw: draw.token(SavedView.Page.EXPLORE, Draw.histogram), nothing),
    "embed, changes": (lambda draw: draw.token(SavedView.Page.CHANGES, Draw.changes), nothing),
    "embed_preview": (lambda draw: draw.token(SavedView.Page.TREND, Draw.previewed), nothing),
    "embed, comparison": (lambda draw: draw.token(SavedView.Page.COMPARE, Draw.comparison), nothing),
    "embed, trend": (lambda draw: draw.token(SavedView.Page.TREND, Draw.trend), nothing),
    "embed, element": (lambda draw: draw.token(SavedView.Page.ELEMENT, Draw.element), nothing),
    **{f"use_case_{form}": HISTOGRAM for form in FORMS},
    **{f"comparison_{form}": COMPARISON for form in FORMS},
    **{f"trend_{form}": TREND for form in FORMS},
    **{f"changes_{form}": CHANGES for form in FORMS},
    **{f"locales_{form}": LOCALES for form in FORMS},
    **{f"{page}_{form}": ELEMENT for page in ("element", "element_places") for form in FORMS},
    "api_histogram": HISTOGRAM,
    "api_comparison": COMPARISON,
    "api_trend": TREND,
    "api_changes": CHANGES,
    "api_all_locales": LOCALES,
    "api_batch": (partial(newest, Batch, name="batch_id"), nothing),
    **dict.fromkeys(("sort_words", "named_dictionaries"), (of_words, nothing)),
    **dict.fromkeys(("run", "run_progress"), (partial(newest, Run), nothing)),
    "batch": (partial(newest, Batch), nothing),
    **{
        name: (partial(newest, Evaluation), nothing)
        for name in (
            *("evaluation", "evaluation_progress"),
            *(f"{view}_{form}" for view in ("evaluation", "evaluation_cells") for form in FORMS),
        )
    },
    **{
        name: (partial(newest, TrainingRun), nothing)
        for name in (f"training_{rows}_{form}" for rows in ("rounds", "releases") for form in FORMS)
    },
    **dict.fromkeys(
        ("training_model", "training_card", "api_training_run", "api_training_card"), (published_model, nothing)
    ),
    **dict.fromkeys(
        (
            *("training_task", "training_progress", "training_privacy", "training_privacy_json", "recommended"),
            *("order_training", "training_viewings"),
            *(f"api_training_{name}" for name in ("task", "runs", "statement", "ledger")),
            *(f"training_runs_{form}" for form in FORMS),
        ),
        (lambda _draw: {"slug": "films"}, nothing),
    ),
    "delete_evaluation": (partial(newest, Evaluation), nothing),
    **dict.fromkeys(
        ("product_list", "delete_product_list", "api_product_list"),
        (lambda draw: {"slug": draw.slug(), "name": "ordered"}, nothing),
    ),
    "saved_view": (partial(newest, SavedView), nothing),
    "delete_annotation": (annotation, nothing),
    "planner, of a plan": (nothing, Draw.plan),
    "operations, live": (nothing, lambda _draw: {"live": "1"}),
}
# Addresses that change something, are no pages, or list what is empty here.
NOT_MEASURED = {
    *("start_run", "retry_run", "withdraw_batch", "release_batch", "delete_saved_view", "end_subscription"),
    *(
        "resume_subscription",
        "logout",
        "choose_language",
        "choose_theme",
        "end_sessions",
        "oidc_begin",
        "oidc_callback",
        "signed_out",
        "confirm_address",
        "api_upload",
        "api_reports",
        "word_list",
        "login",
    ),
    *("cancel_evaluation", "retry_evaluation", "share_evaluation", "cancel_training", "retry_training"),
    *("api_open_rounds", "api_training_rows", "api_contributions"),
    *("change_pins", "forget_visits"),
    *("propose_product_list", "approve_product_list", "read_inbox", "inbox_message"),
    *("client_wheel", "revoke_token", "metrics"),
    *("word_list_of_locale", "count_words", "revoke_embed_link", "password_reset_confirm"),
    *("simulate", "simulation", "simulation_progress", "remove_simulation"),
}
# Others are asked for by a person who sees and edits all use cases, but is no administrator.
ADMINISTRATORS = {"operations", "api_batch"}


def page_names() -> list[str]:
    """Return the names of what is measured: every address of the site, and what else is asked of some."""
    found = [name for name in _named(get_resolver("reports.web.web_urls")) if name not in NOT_MEASURED]
    if find_spec("pyarrow") is None:
        found = [name for name in found if not name.endswith("_parquet")]
    return [*found, *(name for name in PAGES if name.partition(", ")[1] and name.partition(", ")[0] in found)]


def _named(resolver: URLResolver) -> Iterator[str]:
    for pattern in resolver.url_patterns:
        if isinstance(pattern, URLResolver):
            yield from _named(pattern)
        elif pattern.name:
            yield pattern.name


def asked_by(name: str) -> str:
    return ADMINISTRATOR if name.partition(", ")[0] in ADMINISTRATORS else VISITOR


def paths(name: str, draw: Draw, count: int) -> list[str]:
    """Return so many different addresses of a page, or fewer if there are not so many."""
    address = name.partition(", ")[0]
    takes_arguments = bool(get_resolver("reports.web.web_urls").reverse_dict.getlist(address)[0][0][0][1])
    arguments, query = PAGES.get(name, (of_use_case if takes_arguments else nothing, nothing))
    found: dict[str, None] = {}
    for _ in range(4 * count):
        path = f"{reverse(address, kwargs=arguments(draw))}?{urlencode(query(draw), doseq=True)}"
        found[path.rstrip("?")] = None
        if len(found) == count:
            break
    return list(found)
