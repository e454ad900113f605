"""Changes from day to day in the demo: by how much is known, and it is enough to be seen."""

from statistics import fmean

import numpy as np
import pytest

from aggregation.mechanisms import mechanism_for
from reports.demo.fleets import EMOJI, HEALTH, WEB, WORDS, Fleet
from reports.demo.loads import RHYTHM, WEEK
from reports.demo.stories import Arrival, Burst, Drift, Moment, Weekend, shares_at
from reports.management.commands.demo import DEFAULT_REPORTS
from reports.models import Version
from reports.simulation import Shares
from tests.reports.demo.test_fleets import shares_as_defined, version_as_defined

pytestmark = pytest.mark.exact

MONDAY, SUNDAY = 0, 6
FLEETS = [EMOJI, WORDS, HEALTH, *WEB]


def test_weekends() -> None:
    factors = [Weekend(("a",), 1.5).factor(Moment(1, weekday)) for weekday in range(7)]
    assert factors == [1, 1, 1, 1, 1, 1.5, 1.5]


def test_a_drift_goes_from_the_oldest_day_to_the_newest() -> None:
    drift = Drift(("a",), 0.5, 3.2)
    assert [drift.factor(Moment(back, MONDAY)) for back in (99, 28, 1)] == [0.5, 0.5, pytest.approx(3.2)]
    steps = np.diff([drift.factor(Moment(back, MONDAY)) for back in range(28, 0, -1)])
    assert steps == pytest.approx(2.7 / 27)


def test_a_burst_falls_by_half_and_by_half_again() -> None:
    burst = Burst(("a",), 9, times=17, half_life=2, stays=1)
    assert [burst.factor(Moment(back, MONDAY)) for back in (28, 10, 9, 7, 5, 3)] == [1, 1, 17, 9, 5, 3]


def version_of_letters() -> Version:
    parameters = {"k": 2, "m": 8, "epsilon": 1, "seed": "00" * 16}
    return Version(normalization="raw", algorithm="CountMeanSketch", parameters=parameters)


def test_shares_of_a_day_add_up_to_one_and_leave_the_rule_alone() -> None:
    rule = Shares("en", ("a", "b", "c"), np.array([0.5, 0.3, 0.2]))
    story = (Weekend(("a",), 2.0), Weekend(("b",), 9.0, locales=("fr",)), Arrival(("new",), 3, added=0.1))
    version = version_of_letters()
    before = shares_at(Moment(4, MONDAY), version, rule, story)
    assert before.elements == ("a", "b", "c", "new")
    assert before.probabilities == pytest.approx(np.array([0.5, 0.3, 0.2, 0]))
    after = shares_at(Moment(3, SUNDAY), version, rule, story)
    assert after.probabilities == pytest.approx(np.array([1.0, 0.3, 0.2, 0.1]) / 1.6)
    assert rule.probabilities.tolist() == [0.5, 0.3, 0.2]


@pytest.mark.parametrize("fleet", FLEETS, ids=lambda fleet: fleet.slug)
def test_every_story_is_about_what_its_devices_report(fleet: Fleet) -> None:
    version = version_as_defined(fleet)
    reported: dict[str, set[str]] = {shares.locale: set(shares.elements) for shares in shares_as_defined(fleet)}
    for chapter in fleet.story:
        for locale in chapter.locales or reported:
            elements = {version.element(text, locale) for text in chapter.elements}
            assert None not in elements
            assert chapter.added or elements <= reported[locale]
    assert all(remark.back <= fleet.weeks * WEEK for remark in fleet.remarks)


def seen(fleet: Fleet, back: int, weekday: int = MONDAY, days: int = 1) -> dict[str, dict[str, tuple[float, bool]]]:
    """Return each locale's and element's share, and whether so many days like this one show it."""
    version = version_as_defined(fleet)
    found = {}
    rule = shares_as_defined(fleet)
    n = round(DEFAULT_REPORTS * fleet.reports / len(rule) * RHYTHM[weekday] / WEEK * days)
    mechanism = mechanism_for(version.algorithm, version.parameters)
    for of_locale in rule:
        shares = shares_at(Moment(back, weekday), version, of_locale, fleet.story)
        f2 = float(np.square(n * shares.probabilities).sum())
        threshold = mechanism.debiased.threshold(n, 0.05 / len(shares.elements), f2)
        found[shares.locale] = {
            element: (share, n * share > threshold)
            for element, share in zip(shares.elements, shares.probabilities.tolist(), strict=True)
        }
    return found


@pytest.mark.parametrize(("fleet", "at_least"), list(zip(FLEETS, [10, 40, 20, 15, 15, 28], strict=True)))
def test_every_day_alone_shows_something_and_of_words_every_week(fleet: Fleet, at_least: int) -> None:
    for back in (1, fleet.weeks * WEEK):
        for of_locale in seen(fleet, back, days=WEEK if fleet == WORDS else 1).values():
            assert sum(above for _share, above in of_locale.values()) >= at_least


def test_the_days_have_reports_enough_to_be_shown() -> None:
    assert fmean(RHYTHM) == pytest.approx(1)
    for fleet in FLEETS:
        locales = len(version_as_defined(fleet).locales)
        assert DEFAULT_REPORTS * fleet.reports / locales / WEEK * min(RHYTHM) > 10_000


def test_an_emoji_appears_with_the_release_that_suggests_it() -> None:
    for locale in ("en_US", "fr_FR", "es_ES"):
        above = {back: seen(EMOJI, back)[locale]["🤩"][1] for back in (28, 13, 12, 11, 1)}
        assert above == {28: False, 13: False, 12: True, 11: True, 1: True}


def test_a_final_is_talked_about_in_two_of_the_four_locales() -> None:
    on_the_day = seen(EMOJI, 5)
    assert [locale for locale in on_the_day if on_the_day[locale]["⚽"][1]] == ["es_ES", "fr_FR"]
    assert not any(of_locale["⚽"][1] for back in (6, 1) for of_locale in seen(EMOJI, back).values())


def test_something_rises_slowly() -> None:
    before, now = (seen(EMOJI, back, days=7)["en_US"]["🔥"] for back in (28, 1))
    assert now[0] > 2.5 * before[0]
    assert before[1]
    assert now[1]


def test_a_word_is_new_in_the_newest_week() -> None:
    for locale in shares_as_defined(WORDS):
        before, now = (seen(WORDS, back, days=4)[locale.locale]["pixelo____"] for back in (8, 1))
        assert before[0] == 0
        assert now[1]
