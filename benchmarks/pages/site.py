"""A site with a year of reports, made as every site is: defined, sent to by simulated devices, and aggregated."""

import datetime
import io
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from django.contrib.auth.models import Group, User

from reports.collection.ingest import Upload, ingest
from reports.definitions import apply_definitions, check_definitions
from reports.evaluation import order_evaluation
from reports.jobs import finish_inline
from reports.models import Annotation, Pin, ProductList, SavedView, TrainingVersion, UseCase, Version
from reports.models.uploads import utc_today
from reports.product_lists import approve, propose
from reports.runs import start_run
from reports.simulation import Fleet, Shares
from reports.training import apply_tasks, check_tasks, order_training
from reports.web.pages.bookmarks.query_strings import READERS

LOCALES = ("en_US", "fr_FR", "es_ES", "de_DE", "it_IT", "pt_BR", "ja_JP", "ko_KR")
VISITOR, ADMINISTRATOR = "visitor", "administrator"
# Reports of each locale on each day: a dozen elements are above the threshold then.
REPORTS_PER_DAY = 1500
ELEMENTS = [f"element-{number:04d}" for number in range(1000)]
# The others are in the dictionary, and never occur.
USED = 60
# The last use case finds words, day by day, and therefore in fewer days.
WORD_DAYS = 28
WORDS = ("able", "bale", "beat", "bell", "best", "bite", "blot", "boil", "list", "lobe", "sail", "tale", "tile")


@dataclass(frozen=True)
class Size:
    use_cases: int
    locales: int
    days: int

    @property
    def slugs(self) -> list[str]:
        """Use cases that count a dictionary."""
        return [f"use-case-{number:03d}" for number in range(self.use_cases - 1)]

    @property
    def names(self) -> tuple[str, ...]:
        return LOCALES[: self.locales]

    def day(self, back: int) -> datetime.date:
        return utc_today() - datetime.timedelta(days=back)


# A model of as many films as the demo has, of few people.
TASK = {
    "slug": "films",
    "title": "Films",
    "owner_group": "everybody-owners",
    "viewer_groups": ["everybody"],
    "population": 500,
    "model": {"kind": "factored", "dimension": 16},
    "algorithm": "dpam",
    "rounds": 4,
    "target_epsilon": 4,
    "delta": 1e-4,
    "rating_range": [1, 5],
}
CATALOGUE = {"seed": 1, "films": 2000, "people": 500}
# An evaluation with as many cells and ranks as a form asks for, of few reports.
GRID: dict[str, Any] = {
    "distributions": ["harmonic", "exponential"],
    "elements": 200,
    "reports": 2000,
    "mechanisms": [{"algorithm": "CountMeanSketch", "k": [256, 1024], "m": [32, 256]}],
    "epsilon": [4],
    "repetitions": 2,
    "top": 20,
}


def build(size: Size) -> None:
    """Fill an empty database, and two people: one who owns all use cases, and an administrator."""
    definitions = [*(_counting(size, number, slug) for number, slug in enumerate(size.slugs)), _words(size)]
    apply_definitions(check_definitions(definitions, Path()))
    visitor = User.objects.create(username=VISITOR, email="visitor@example.org")
    visitor.groups.set(Group.objects.all())
    User.objects.create(username=ADMINISTRATOR, is_superuser=True, is_staff=True)
    for number, version in enumerate(Version.objects.select_related("use_case").order_by("use_case__slug")):
        use_case = version.use_case
        found = use_case.slug in size.slugs
        elements = ELEMENTS[:USED] if found else list(WORDS)
        for place, name in enumerate(size.names):
            fleet = Fleet(version, _shares(version, name, elements), np.random.default_rng([number, place]))
            for back in range(size.days if found else min(size.days, WORD_DAYS), 0, -1):
                body = "\n".join(fleet.documents(REPORTS_PER_DAY)).encode()
                ingest(Upload(io.BytesIO(body), "ndjson"), UseCase.objects.all(), day=size.day(back))
        run = finish_inline(start_run(version, ring=False))
        if run.failure:
            raise RuntimeError(run.failure)
        _add_what_people_add(size, use_case, visitor)
    finish_inline(order_evaluation(GRID, str, user=visitor, ring=False))
    apply_tasks(check_tasks([TASK]))
    finish_inline(order_training(TrainingVersion.objects.get(), catalogue=CATALOGUE, seed=1, ring=False))


def _definition(size: Size, slug: str, **fields: Any) -> dict[str, Any]:
    return {
        "slug": slug,
        "title": f"Question {slug}",
        "viewer_groups": ["everybody"],
        "owner_group": "everybody-owners",
        "locales": list(size.names),
        "retention_days": size.days + 30,
        "minimum_reports": 1000,
        **fields,
    }


def _counting(size: Size, number: int, slug: str) -> dict[str, Any]:
    dictionary = [{"element": element, "category": f"category-{element[-1]}"} for element in ELEMENTS]
    return _definition(
        size, slug, algorithm="CountMeanSketch", normalization="raw", dictionary=dictionary,
        dictionary_complete=number % 2 == 0, parameters={"epsilon": 8, "k": 1024, "m": 256, "seed": f"{number:032x}"},
    )  # fmt: skip


def _words(size: Size) -> dict[str, Any]:
    parameters = {"epsilon": 8, "k": 64, "m": 256, "fragment_epsilon": 8, "fragment_k": 64, "fragment_m": 256}
    return _definition(
        size, "words", algorithm="SequenceFragmentPuzzle", normalization="word", alphabet="abeilost",
        parameters=parameters | {"length": 4, "seed": "f" * 32},
    )  # fmt: skip


def _shares(version: Version, locale: str, texts: list[str]) -> Shares:
    elements = tuple(filter(None, (version.element(text, locale) for text in texts)))
    weights = 1 / np.arange(1, len(elements) + 1)
    return Shares(locale, elements, weights / weights.sum())


def _add_what_people_add(size: Size, use_case: UseCase, visitor: User) -> None:
    Annotation.objects.create(use_case=use_case, day=size.day(3), text="A release", written_by=visitor)
    # A view of each page: to find that one is saved takes a query more, which sites of all sizes shall have.
    views = []
    for page in READERS:
        query = f"element={WORDS[0] if use_case.slug == 'words' else ELEMENTS[0]}" if page == "element" else ""
        saved = {"owner": visitor, "name": f"{use_case.slug} {page}", "page": page, "query": query}
        views.append(SavedView.objects.create(**saved, use_case=use_case))
    Pin.objects.create(owner=visitor, view=views[use_case.pk % len(views)], position=use_case.pk)
    ordered = ProductList.objects.create(use_case=use_case, name="ordered", rule=ProductList.Rule.ORDERED, length=50)
    proposal = propose(ordered)
    if proposal is not None:
        approve(proposal, visitor)
