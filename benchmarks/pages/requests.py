"""What is asked of the pages: for each, requests that differ in use case, locale and days."""

from collections.abc import Callable, Iterator
from importlib.util import find_spec
from typing import TypeAlias

from django.urls import URLResolver, get_resolver, reverse
from django.utils.http import urlencode

from benchmarks.pages.definitions import ADMINISTRATOR, VISITOR
from benchmarks.pages.drawing import Draw, Query

Parts: TypeAlias = tuple[Callable[[Draw], dict[str, object]], Callable[[Draw], Query]]

OF_HISTOGRAM: Parts = (Draw.slug, Draw.histogram)
OF_COMPARISON: Parts = (Draw.slug_with_files, Draw.comparison)
OF_TREND: Parts = (Draw.slug, Draw.trend)
OF_ELEMENT: Parts = (Draw.slug, Draw.element)
OF_USE_CASE: Parts = (Draw.slug, Draw.nowhere)
OF_WORDS: Parts = (Draw.slug_of_words, Draw.list_of_words)
PLAIN: Parts = (Draw.nothing, Draw.nowhere)

# By the names of their addresses; those without arguments that are not here are asked for as they are.
PAGES: dict[str, Parts] = {
    "home": (Draw.nothing, Draw.search),
    "use_case": OF_HISTOGRAM,
    "use_case_csv": OF_HISTOGRAM,
    "use_case_json": OF_HISTOGRAM,
    "use_case_parquet": OF_HISTOGRAM,
    "compare": OF_COMPARISON,
    "comparison_csv": OF_COMPARISON,
    "comparison_json": OF_COMPARISON,
    "comparison_parquet": OF_COMPARISON,
    "trend": OF_TREND,
    "trend_csv": OF_TREND,
    "trend_json": OF_TREND,
    "trend_parquet": OF_TREND,
    "element": OF_ELEMENT,
    "element_csv": OF_ELEMENT,
    "element_json": OF_ELEMENT,
    "element_parquet": OF_ELEMENT,
    **dict.fromkeys(("element_places_csv", "element_places_json", "element_places_parquet"), OF_ELEMENT),
    "annotations": OF_USE_CASE,
    "delete_annotation": (Draw.annotation, Draw.nowhere),
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
    "embed_links": OF_USE_CASE,
    "embed": (Draw.embedded_histogram, Draw.nowhere),
    "batch": (Draw.batch, Draw.nowhere),
    "api_batch": (lambda draw: {"batch_id": draw.batch()["pk"]}, Draw.nowhere),
    "api_histogram": OF_HISTOGRAM,
    "api_comparison": OF_COMPARISON,
    "api_trend": OF_TREND,
}
# The same addresses, asked for other things.
BESIDE: dict[str, tuple[str, Parts]] = {
    "use_case, words": ("use_case", OF_WORDS),
    "use_case, groups": ("use_case", (Draw.slug_with_files, Draw.grouped)),
    "use_case, consistent": ("use_case", (Draw.slug_of_complete, Draw.consistent)),
    "use_case, searched": ("use_case", (Draw.slug, Draw.searched)),
    "use_case_csv, words": ("use_case_csv", OF_WORDS),
    "compare, words": ("compare", (Draw.slug_of_words, Draw.comparison_of_words)),
    "comparison_csv, words": ("comparison_csv", (Draw.slug_of_words, Draw.comparison_of_words)),
    "trend, weeks": ("trend", (Draw.slug, Draw.trend_by_weeks)),
    "trend, words": ("trend", (Draw.slug_of_words, Draw.trend_of_words)),
    "trend, one more": ("trend", (Draw.slug, Draw.trend_and_more)),
    "trend_csv, words": ("trend_csv", (Draw.slug_of_words, Draw.trend_of_words)),
    "element, weeks": ("element", (Draw.slug, Draw.element_by_weeks)),
    "element, words": ("element", (Draw.slug_of_words, Draw.word)),
    "embed, comparison": ("embed", (Draw.embedded_comparison, Draw.nowhere)),
    "embed, trend": ("embed", (Draw.embedded_trend, Draw.nowhere)),
    "embed, element": ("embed", (Draw.embedded_element, Draw.nowhere)),
    "planner, of a plan": ("planner", (Draw.nothing, Draw.plan)),
    "planner_json, of a plan": ("planner_json", (Draw.nothing, Draw.plan)),
    "home, its cards": ("home", (Draw.nothing, lambda _draw: {"cards": "1"})),
    "operations, live": ("operations", (Draw.nothing, lambda _draw: {"live": "1"})),
}
# Addresses that change something or are no pages; and lists of accepted words and of links, which are empty here.
NOT_MEASURED = {
    *("start_run", "retry_run", "withdraw_batch", "release_batch", "delete_saved_view"),
    *("end_subscription", "resume_subscription", "logout", "choose_language", "api_upload", "api_reports"),
    *("word_list", "word_list_of_locale", "login"),
    *("revoke_embed_link", "password_reset_confirm"),
}
# The same tables as the other files have, by a package that a site need not have.
OPTIONAL = "_parquet"
# Who asks; the others are asked by somebody who may see and edit all use cases, but is no administrator.
ASKED_BY: dict[str, str] = {"operations": ADMINISTRATOR, "api_batch": ADMINISTRATOR}


def page_names() -> list[str]:
    """The names of all addresses that are measured. Raises `LookupError` for one that nobody has thought of."""
    found = []
    for name, arguments in _named(get_resolver("reports.web.urls")):
        if name in NOT_MEASURED or (name.endswith(OPTIONAL) and find_spec("pyarrow") is None):
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
