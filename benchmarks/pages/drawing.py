"""What is asked for: parts of addresses, which differ in use case, locale, days and elements."""

import datetime
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np
from django.contrib.auth.models import User
from django.utils.http import urlencode
from numpy.typing import NDArray

from aggregation.normalization import PAD
from benchmarks.pages import definitions
from benchmarks.pages.sizes import Size
from reports.embedding import make_token
from reports.models import Annotation, Batch, Run, SavedView, UseCase
from reports.web.pages.embed.embedded import ANNOTATED, OF_USE_CASE

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
        self._complete = [number for number in self._files if definitions.is_complete(number)]
        self._counted = [number for number in everything if not self.size.finds_words(number)]
        self._runs = list(Run.objects.order_by("-created_at").values_list("pk", flat=True)[:1000])
        self._batches = list(Batch.objects.order_by("-day").values_list("pk", flat=True)[:1000])
        self._views = list(SavedView.objects.values_list("pk", flat=True))
        annotations = Annotation.objects.exclude(use_case=None).order_by("-day", "pk")
        self._annotations = list(annotations.values_list("use_case__slug", "pk")[:1000])

    def _one(self, choices: list[int]) -> int:
        return choices[int(self.rng.integers(len(choices)))]

    def slug(self) -> dict[str, object]:
        return {"slug": self.size.slug(self._one(self._counted))}

    def slug_of_words(self) -> dict[str, object]:
        return {"slug": self.size.slug(self._one(self._words))}

    def slug_with_files(self) -> dict[str, object]:
        return {"slug": self.size.slug(self._one(self._files))}

    def slug_of_complete(self) -> dict[str, object]:
        return {"slug": self.size.slug(self._one(self._complete))}

    def run(self) -> dict[str, object]:
        return {"pk": self._runs[int(self.rng.integers(len(self._runs)))]}

    def batch(self) -> dict[str, object]:
        return {"pk": self._batches[int(self.rng.integers(len(self._batches)))]}

    def view(self) -> dict[str, object]:
        return {"pk": self._one(self._views)}

    def annotation(self) -> dict[str, object]:
        slug, pk = self._annotations[int(self.rng.integers(len(self._annotations)))]
        return {"slug": slug, "pk": pk}

    def embedded_histogram(self) -> dict[str, object]:
        return self._token(SavedView.Page.EXPLORE, self.slug(), self.histogram())

    def embedded_comparison(self) -> dict[str, object]:
        return self._token(SavedView.Page.COMPARE, self.slug_with_files(), self.comparison())

    def embedded_trend(self) -> dict[str, object]:
        return self._token(SavedView.Page.TREND, self.slug(), self._annotated(self.trend()))

    def embedded_element(self) -> dict[str, object]:
        return self._token(SavedView.Page.ELEMENT, self.slug(), self._annotated(self.element()))

    def _annotated(self, query: Query) -> Query:
        return {**query, ANNOTATED: OF_USE_CASE}

    def _token(self, page: str, slug: dict[str, object], query: Query) -> dict[str, object]:
        owner = User.objects.get(username=definitions.VISITOR)
        use_case = UseCase.objects.get(slug=slug["slug"])
        return {"token": make_token(owner, use_case, page, urlencode(query, doseq=True), 7)}

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

    def grouped(self) -> Query:
        return {**self.histogram(), "group": "category"}

    def consistent(self) -> Query:
        return {**self.histogram(), "values": "consistent"}

    def searched(self) -> Query:
        """Other rows than most people see, and another chart of them."""
        sort = ("name", "-name", "-rank")[int(self.rng.integers(3))]
        return {**self.histogram(), "q": f"{int(self.rng.integers(10))}", "sort": sort, "unit": "count", "scale": "log"}

    def words(self, prefix: str = "") -> Query:
        """A list of a week."""
        last = self.size.all_days[int(self.rng.integers(min(6, self.size.days - 1), self.size.days))]
        first = max(last - datetime.timedelta(days=6), self.size.all_days[0])
        return {f"{prefix}from": first.isoformat(), f"{prefix}to": last.isoformat()}

    def list_of_words(self) -> Query:
        return {**self.locale(), **self.words()}

    def two_locales(self) -> Query:
        """Not the same twice: of one locale the second side may lie before all days, or be the first again."""
        first, second = self.rng.permutation(self.size.locales)[:2].tolist()
        return {"locale": self.size.names[first], "other-locale": self.size.names[second]}

    def comparison(self) -> Query:
        return {**self.two_locales(), **self.window(), **self.window("other-")}

    def comparison_of_words(self) -> Query:
        return {**self.two_locales(), **self.words(), **self.words("other-")}

    def _some(self, names: NDArray[np.bytes_]) -> list[str]:
        """Four of the most frequent."""
        return [self._name(names, place) for place in self.rng.permutation(12)[:4].tolist()]

    def _name(self, names: NDArray[np.bytes_], place: int) -> str:
        return str(names[place].decode()).rstrip(PAD)

    def _one_of(self, *numbers: int) -> str:
        return str(self._one(list(numbers)))

    def trend(self) -> Query:
        return {**self.locale(), "days": self._one_of(28, 90, 365), "element": self._some(definitions.elements())}

    def trend_by_weeks(self) -> Query:
        elements = self._some(definitions.elements())
        return {**self.locale(), "step": "7", "days": self._one_of(28, 84, 364), "element": elements}

    def trend_of_words(self) -> Query:
        return {**self.locale(), "days": self._one_of(28, 84, 364), "element": self._some(definitions.words())}

    def trend_and_more(self) -> Query:
        """What somebody types who looks for one more element, of which there are several."""
        return {**self.locale(), "add": f"00{int(self.rng.integers(100)):02d}"}

    def element(self) -> Query:
        element = self._name(definitions.elements(), int(self.rng.integers(40)))
        return {"element": element, "days": self._one_of(7, 90, 365)}

    def element_by_weeks(self) -> Query:
        return {**self.element(), "step": "7", "days": self._one_of(28, 84, 364)}

    def word(self) -> Query:
        word = self._name(definitions.words(), int(self.rng.integers(20)))
        return {"element": word, "days": self._one_of(28, 84, 364)}

    def plan(self) -> Query:
        """Other figures than are usual, of all mechanisms together."""
        return {
            "n": str(int(self.rng.integers(1_000, 10_000_000))),
            "days": self._one_of(1, 7, 28),
            "epsilon": self._one_of(1, 2, 8),
            "size": str(int(self.rng.integers(100, 1_000_000))),
            "exponent": f"0.{int(self.rng.integers(1, 10))}",
            "limit": self._one_of(1, 10),
        }

    def nowhere(self) -> Query:
        return {}
