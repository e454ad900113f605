"""What is asked of the pages: for each, requests that differ in use case, locale and days."""

import datetime
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np
from django.contrib.auth.models import User
from django.urls import URLResolver, get_resolver, reverse
from django.utils.http import urlencode

from benchmarks.pages.definitions import ADMINISTRATOR, VISITOR
from benchmarks.pages.sizes import Size
from reports.embedding import make_token
from reports.models import Batch, Run, SavedView, UseCase

Query: TypeAlias = Mapping[str, str | list[str]]


@dataclass
class Draw:
    """Draws parts of addresses, always the same in the same order."""

    size: Size
    rng: np.random.Generator = field(default_factory=lambda: np.random.default_rng(7))

    def __post_init__(self) -> None:
        everything = range(self.size.use_cases)
        self._words = [number for number in everything if self.size.finds_words(number)]
        self._files = [number for number in everything if self.size.has_files(number)]
        self._counted = [number for number in everything if not self.size.finds_words(number)]
        self._runs = list(Run.objects.order_by("-created_at").values_list("pk", flat=True)[:1000])
        self._batches = list(Batch.objects.order_by("-day").values_list("pk", flat=True)[:1000])
        self._views = list(SavedView.objects.values_list("pk", flat=True))

    def _one(self, choices: list[int]) -> int:
        return choices[int(self.rng.integers(len(choices)))]

    def slug(self) -> dict[str, object]:
        return {"slug": self.size.slug(self._one(self._counted))}

    def slug_of_words(self) -> dict[str, object]:
        return {"slug": self.size.slug(self._one(self._words))}

    def slug_with_files(self) -> dict[str, object]:
        return {"slug": self.size.slug(self._one(self._files))}

    def run(self) -> dict[str, object]:
        return {"pk": self._runs[int(self.rng.integers(len(self._runs)))]}

    def batch(self) -> dict[str, object]:
        return {"pk": self._batches[int(self.rng.integers(len(self._batches)))]}

    def view(self) -> dict[str, object]:
        return {"pk": self._one(self._views)}

    def token(self) -> dict[str, object]:
        owner = User.objects.get(username=VISITOR)
        use_case = UseCase.objects.get(slug=self.slug()["slug"])
        return {"token": make_token(owner, use_case, SavedView.Page.EXPLORE, urlencode(self.histogram()), 7)}

    def nothing(self) -> dict[str, object]:
        return {}

    def locale(self, name: str = "locale") -> Query:
        """Without the first, which is assumed anyway."""
        place = int(self.rng.integers(self.size.locales))
        return {name: self.size.names[place]} if place else {}

    def day(self) -> datetime.date:
        return self.size.all_days[int(self.rng.integers(self.size.days))]

    def window(self, prefix: str = "") -> Query:
        """Every second time a day, else the newest week, the newest month or everything."""
        choice = int(self.rng.integers(6))
        if choice < 3:
            day = self.day().isoformat()
            return {f"{prefix}from": day, f"{prefix}to": day}
        return ({f"{prefix}days": "7"}, {f"{prefix}days": "28"}, {})[choice - 3]

    def search(self) -> Query:
        number = int(self.rng.integers(self.size.use_cases + 1))
        return {"q": f"{number:03d}"} if number < self.size.use_cases else {}

    def histogram(self) -> Query:
        return {**self.locale(), **self.window()}

    def words(self) -> Query:
        last = self.size.all_days[int(self.rng.integers(min(6, self.size.days - 1), self.size.days))]
        first = max(last - datetime.timedelta(days=6), self.size.all_days[0])
        return {**self.locale(), "from": first.isoformat(), "to": last.isoformat()}

    def comparison(self) -> Query:
        return {**self.locale(), **self.window(), **self.locale("other-locale"), **self.window("other-")}

    def trend(self) -> Query:
        elements = [f"element-{place:05d}" for place in self.rng.permutation(12)[:4].tolist()]
        days = ("28", "90", "365")[int(self.rng.integers(3))]
        return {**self.locale(), "days": days, "element": elements}

    def element(self) -> Query:
        days = ("7", "90", "365")[int(self.rng.integers(3))]
        return {"element": f"element-{int(self.rng.integers(40)):05d}", "days": days}

    def nowhere(self) -> Query:
        return {}


Parts: TypeAlias = tuple[Callable[[Draw], dict[str, object]], Callable[[Draw], Query]]

OF_HISTOGRAM: Parts = (Draw.slug, Draw.histogram)
OF_COMPARISON: Parts = (Draw.slug_with_files, Draw.comparison)
OF_TREND: Parts = (Draw.slug, Draw.trend)
OF_ELEMENT: Parts = (Draw.slug, Draw.element)
OF_USE_CASE: Parts = (Draw.slug, Draw.nowhere)
OF_WORDS: Parts = (Draw.slug_of_words, Draw.words)
PLAIN: Parts = (Draw.nothing, Draw.nowhere)

# By the names of their addresses; those without arguments that are not here are asked for as they are.
PAGES: dict[str, Parts] = {
    "home": (Draw.nothing, Draw.search),
    "use_case": OF_HISTOGRAM,
    "use_case_csv": OF_HISTOGRAM,
    "use_case_json": OF_HISTOGRAM,
    "compare": OF_COMPARISON,
    "comparison_csv": OF_COMPARISON,
    "comparison_json": OF_COMPARISON,
    "trend": OF_TREND,
    "trend_csv": OF_TREND,
    "trend_json": OF_TREND,
    "element": OF_ELEMENT,
    "element_csv": OF_ELEMENT,
    "element_json": OF_ELEMENT,
    "annotations": OF_USE_CASE,
    "use_case_privacy": OF_USE_CASE,
    "use_case_privacy_json": OF_USE_CASE,
    "sort_words": (Draw.slug_of_words, Draw.locale),
    "named_dictionaries": (Draw.slug_of_words, Draw.nowhere),
    "quarantine": OF_USE_CASE,
    "viewings": OF_USE_CASE,
    "run": (Draw.run, Draw.nowhere),
    "run_progress": (Draw.run, Draw.nowhere),
    "saved_view": (Draw.view, Draw.nowhere),
    "embed_link": OF_USE_CASE,
    "embed": (Draw.token, Draw.nowhere),
    "batch": (Draw.batch, Draw.nowhere),
    "api_batch": (lambda draw: {"batch_id": draw.batch()["pk"]}, Draw.nowhere),
    "api_histogram": OF_HISTOGRAM,
    "api_comparison": OF_COMPARISON,
    "api_trend": OF_TREND,
}
# The same addresses, asked for other things.
BESIDE: dict[str, tuple[str, Parts]] = {
    "use_case, words": ("use_case", OF_WORDS),
    "home, its cards": ("home", (Draw.nothing, lambda _draw: {"cards": "1"})),
    "operations, live": ("operations", (Draw.nothing, lambda _draw: {"live": "1"})),
}
# What changes something, or is nobody's page; and lists of what people accepted, which nobody has here.
NOT_MEASURED = {
    *("start_run", "retry_run", "withdraw_batch", "release_batch", "delete_annotation", "delete_saved_view"),
    *("end_subscription", "resume_subscription", "logout", "choose_language", "api_upload", "api_reports"),
    *("word_list", "word_list_of_locale", "use_case_parquet", "login"),
}
# Who asks; the others are asked by somebody who may see and edit all use cases, but is no administrator.
ASKED_BY: dict[str, str] = {"operations": ADMINISTRATOR, "api_batch": ADMINISTRATOR}


def page_names() -> list[str]:
    """The names of all addresses that are measured. Raises `LookupError` for one that nobody has thought of."""
    found = []
    for name, arguments in _named(get_resolver("reports.urls")):
        if name in NOT_MEASURED:
            continue
        if arguments and name not in PAGES:
            raise LookupError(f"The benchmark does not know how to ask for {name!r}.")
        found.append(name)
    return [*found, *(name for name, (address, _parts) in BESIDE.items() if address in found)]


def _named(resolver: URLResolver) -> Iterator[tuple[str, tuple[str, ...]]]:
    for pattern in resolver.url_patterns:
        if isinstance(pattern, URLResolver):
            yield from _named(pattern)
        elif pattern.name:
            yield pattern.name, tuple(pattern.pattern.converters)


def asked_by(name: str) -> str:
    return ASKED_BY.get(BESIDE[name][0] if name in BESIDE else name, VISITOR)


def paths(name: str, draw: Draw, count: int) -> list[str]:
    """So many different addresses of a page, or fewer if there are not so many."""
    address, (arguments, query) = BESIDE[name] if name in BESIDE else (name, PAGES.get(name, PLAIN))
    found: dict[str, None] = {}
    for _ in range(4 * count):
        parameters = urlencode(query(draw), doseq=True)
        path = reverse(address, kwargs=arguments(draw))
        found[f"{path}?{parameters}".rstrip("?")] = None
        if len(found) == count:
            break
    return list(found)
