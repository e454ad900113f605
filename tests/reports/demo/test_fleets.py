"""Observations of the demo's devices: different stories, and reports enough to see them."""

import csv
import json
from functools import cache

import numpy as np
import pytest

from aggregation.estimation import detection_power
from aggregation.mechanisms import mechanism_for
from reports.demo import setup
from reports.demo.domains import domains, well_known
from reports.demo.fleets import (
    DATA,
    EMOJI,
    HEALTH,
    TWINS,
    WEB,
    WORDS,
    Fleet,
    leading_domains,
    shares_of_file,
    words_of_the_paper,
)
from reports.management.commands.demo import DEFAULT_REPORTS
from reports.models import Version
from reports.simulation import Shares

pytestmark = pytest.mark.exact

FILES = (setup.SMALL, setup.WEB, setup.TWINS)


def version_as_defined(fleet: Fleet) -> Version:
    """A version that is in no database."""
    items = {item["slug"]: item for file in FILES for item in json.loads(file.read_text())}
    item = items[fleet.slug]
    parameters = item["parameters"] | {"seed": "00" * 16}
    fields = {name: item.get(name) for name in ("algorithm", "normalization", "locales", "alphabet")}
    return Version(parameters=parameters, **fields)


@cache
def shares_as_defined(fleet: Fleet) -> tuple[Shares, ...]:
    """The shares of a quarter of a million domains are made once for all tests of them."""
    return tuple(fleet.shares(version_as_defined(fleet)))


def test_every_use_case_has_its_fleet() -> None:
    defined = [item["slug"] for file in FILES for item in json.loads(file.read_text())]
    assert defined == [fleet.slug for fleet in (EMOJI, WORDS, HEALTH, *WEB, *TWINS)]


@pytest.mark.parametrize("use_case", ["energy", "memory", "autoplay"])
def test_thirty_known_domains_lead(use_case: str) -> None:
    leading = leading_domains(use_case)
    assert len(set(leading)) == len(leading) == 30
    assert set(leading) <= {domain.element for domain in well_known()}


def shares_of_categories(fleet: Fleet) -> list[str]:
    """The categories of the domains that a fleet reports, the largest first."""
    categories = {domain.element: domain.category for domain in well_known()}
    found: dict[str, float] = {}
    (shares,) = shares_as_defined(fleet)
    for element, share in zip(shares.elements, shares.probabilities.tolist(), strict=True):
        if category := categories.get(element):
            found[category] = found.get(category, 0.0) + share
    return sorted(found, key=found.__getitem__, reverse=True)


@pytest.mark.parametrize(("fleet", "use_case"), [(WEB[0], "energy"), (WEB[1], "memory")])
def test_video_shopping_and_news_lead_as_in_the_paper(fleet: Fleet, use_case: str) -> None:
    leading = {"video", "shopping", "news"}
    assert set(shares_of_categories(fleet)[:3]) == leading
    categories = {domain.element: domain.category for domain in well_known()}
    assert {categories[element] for element in leading_domains(use_case)[:5]} == leading


def test_the_use_cases_tell_different_stories() -> None:
    stories = [leading_domains(use_case) for use_case in ("energy", "memory", "autoplay")]
    for number, story in enumerate(stories):
        for other in stories[:number]:
            assert story[:10] != other[:10]
            assert len(set(story) & set(other)) <= 20


@pytest.mark.parametrize("fleet", [HEALTH, *WEB], ids=lambda fleet: fleet.slug)
def test_about_thirty_elements_stand_out(fleet: Fleet) -> None:
    version = version_as_defined(fleet)
    (shares,) = shares_as_defined(fleet)
    assert shares.probabilities.sum() == pytest.approx(1)
    assert len(set(shares.elements)) == len(shares.elements)
    n = round(DEFAULT_REPORTS * fleet.reports)
    f2 = float(np.square(n * shares.probabilities).sum())
    mechanism = mechanism_for(version.algorithm, version.parameters)
    threshold = mechanism.debiased.threshold(n, 0.05 / len(shares.elements), f2)
    assert 28 <= (n * shares.probabilities > threshold).sum() <= 50


def test_twins_show_some_forty_elements_beside_two_hundred() -> None:
    """The expected numbers of the four weeks, of the same truth and as many reports at the same ε."""
    (shares,), seen = shares_as_defined(WEB[0]), []
    for fleet in (WEB[0], TWINS[1]):
        version = version_as_defined(fleet)
        assert np.array_equal(fleet.shares(version)[0].probabilities, shares.probabilities)
        assert (fleet.reports, fleet.weeks, fleet.story) == (WEB[0].reports, WEB[0].weeks, WEB[0].story)
        n = round(DEFAULT_REPORTS * fleet.reports * fleet.weeks)
        f2 = float(np.square(n * shares.probabilities).sum())
        mechanism = mechanism_for(version.algorithm, version.parameters)
        assert mechanism.report_epsilon == 4
        threshold = mechanism.debiased.threshold(n, 0.05 / 250_000, f2)
        power = detection_power(mechanism.debiased, shares.probabilities * n, n, f2, threshold)
        seen.append(float(power[:250_000].sum()))
    assert 28 <= seen[0] <= 45
    assert 200 <= seen[1] <= 260


@pytest.mark.parametrize(("fleet", "size"), list(zip(WEB, [250_000, 250_000, 25_000], strict=True)))
def test_a_few_reports_are_about_domains_that_no_dictionary_has(fleet: Fleet, size: int) -> None:
    (shares,) = shares_as_defined(fleet)
    listed = {domain.element for domain in domains(size)}
    strange = np.array([element not in listed for element in shares.elements])
    assert shares.probabilities[strange].sum() == pytest.approx(0.03)
    assert listed <= set(shares.elements)


def listed_words() -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    with (DATA / "new_words_by_locale.tsv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file, delimiter="\t"):
            found.setdefault(row["locale"], []).append(row["word"])
    return found


def test_devices_report_every_word_of_the_lists() -> None:
    version = version_as_defined(WORDS)
    words = listed_words()
    assert {locale: len(of_locale) for locale, of_locale in words.items()} == {"en": 84, "fr": 91, "es": 91}
    words["en"] += [word for word in words_of_the_paper() if word not in words["en"]]
    for shares in WORDS.shares(version):
        reported = [word[:10].ljust(10, "_") for word in words[shares.locale]]
        assert list(shares.elements) == reported, "each fits the alphabet, and no two are the same when they are cut"
    assert [word for of_locale in words.values() for word in of_locale if len(word) > 10] == ["coronavirus"]


def test_frequencies_of_words_are_flattened_in_their_order() -> None:
    version = version_as_defined(WORDS)
    raised = {version.element(word, "en") for word in words_of_the_paper()}
    for shares, before in zip(WORDS.shares(version), shares_of_file("new_words_by_locale.tsv", version), strict=True):
        assert shares.probabilities.sum() == pytest.approx(1)
        share = dict(zip(shares.elements, shares.probabilities.tolist(), strict=True))
        kept = [element for element in before.elements if shares.locale != "en" or element not in raised]
        flattened = [share[element] for element in kept]
        assert flattened == sorted(flattened, reverse=True)
        # A word that is a hundred times as frequent is reported ten times as often.
        frequency = dict(zip(before.elements, before.probabilities.tolist(), strict=True))
        assert flattened[0] / flattened[-1] == pytest.approx((frequency[kept[0]] / frequency[kept[-1]]) ** 0.5)


def words_that_stand_out(shares: Shares, version: Version, least: float = 1.0) -> set[str]:
    """Words that are reported so many times as often as a threshold asks for."""
    n = round(DEFAULT_REPORTS * WORDS.reports / len(version.locales))
    assert n == 200_000
    f2 = float(np.square(n * shares.probabilities).sum())
    # Against twice as many candidates as there are words.
    threshold = version.mechanism.debiased.threshold(n, 0.05 / (2 * len(shares.elements)), f2)
    return {
        element.rstrip("_")
        for element, share in zip(shares.elements, shares.probabilities, strict=True)
        if n * share > least * threshold
    }


def test_some_fifty_words_stand_out_in_each_locale() -> None:
    version = version_as_defined(WORDS)
    for shares in WORDS.shares(version):
        assert 45 <= len(words_that_stand_out(shares, version)) <= 65


def test_in_english_the_words_of_the_paper_stand_out_by_far() -> None:
    version = version_as_defined(WORDS)
    (english,) = [shares for shares in WORDS.shares(version) if shares.locale == "en"]
    paper = set(words_of_the_paper())
    assert {"hun", "th", "wyd", "despacito", "queria"} <= paper
    assert paper <= words_that_stand_out(english, version, least=1.5)


@pytest.mark.parametrize("name", ["emoji_share_by_locale.tsv", "new_words_by_locale.tsv"])
def test_the_licence_stands_beside_what_others_have_made(name: str) -> None:
    (about,) = [item for item in (DATA / "README.md").read_text().split("\n- ") if item.startswith(f"`{name}`")]
    assert "wordfreq](https://github.com/rspeer/wordfreq) 3.1.1" in about
    assert "[CC BY-SA 4.0](https://creativecommons.org/licenses/by-sa/4.0/)" in about


def test_shares_of_health_types_are_of_the_dictionary() -> None:
    (shares,) = HEALTH.shares(version_as_defined(HEALTH))
    with (DATA / "health_types.csv").open(newline="") as file:
        types = {row["element"] for row in csv.DictReader(file)}
    assert set(shares.elements) == types
