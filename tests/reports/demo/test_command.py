"""`manage.py demo` fills a site once, in two halves, and completes what was interrupted."""

import io
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from unittest import mock

import pytest
from django.core.management import CommandError, call_command

from reports.demo import films, loads, setup
from reports.demo.fleets import EMOJI, HEALTH, WORDS
from reports.jobs import finish_inline
from reports.models import ProductList, Run, TrainingRun, UseCase, Version
from tests.reports.demo.small import (
    ENERGY,
    FEW,
    MANY,
    SMALL_TWINS,
    SMALL_WEB,
    SMALL_WORDS,
    write_small_definitions,
    write_small_twins,
)

pytestmark = [pytest.mark.exact, pytest.mark.django_db]

COMMAND = "reports.management.commands.demo"
TOTAL = 72
# In a week, and in as many weeks as they are here.
WEEKLY = {
    EMOJI.slug: 72,
    WORDS.slug: 108,
    HEALTH.slug: 72,
    "web-energy": 180,
    "web-memory": 180,
    "web-autoplay": 36,
    "new-words-sampled": 108,
    "web-energy-local-hashing": 180,
}
WEEKS = {
    EMOJI.slug: 2,
    WORDS.slug: 2,
    HEALTH.slug: 2,
    "web-energy": 1,
    "web-memory": 1,
    "web-autoplay": 2,
    "new-words-sampled": 2,
    "web-energy-local-hashing": 1,
}
SIZES = {slug: size * WEEKS[slug] for slug, size in WEEKLY.items()}


def work(_run: object) -> None:
    """Do a worker's work."""
    for model in (Run, TrainingRun):
        for run in model.objects.unfinished():
            finish_inline(run)


@pytest.fixture(autouse=True)
def small_demo(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    monkeypatch.setenv("DEMO_REPORTS", str(TOTAL))
    monkeypatch.setattr(setup, "SMALL", write_small_definitions(tmp_path))
    # Weeks of two days, and fewer of them.
    monkeypatch.setattr(loads, "WEEK", 2)
    monkeypatch.setattr(f"{COMMAND}.EMOJI", EMOJI._replace(weeks=WEEKS[EMOJI.slug]))
    monkeypatch.setattr(f"{COMMAND}.HEALTH", HEALTH._replace(weeks=WEEKS[HEALTH.slug]))
    monkeypatch.setattr(f"{COMMAND}.WORDS", SMALL_WORDS)
    monkeypatch.setattr(f"{COMMAND}.WEB", tuple(fleet._replace(weeks=WEEKS[fleet.slug]) for fleet in SMALL_WEB))
    monkeypatch.setattr(setup, "TWINS", write_small_twins(tmp_path))
    monkeypatch.setattr(f"{COMMAND}.TWINS", tuple(fleet._replace(weeks=WEEKS[fleet.slug]) for fleet in SMALL_TWINS))
    monkeypatch.setattr(setup, "define_web", partial(setup.define_web, MANY, FEW))
    monkeypatch.setattr(setup, "define_twins", partial(setup.define_twins, MANY))
    monkeypatch.setattr(films, "CATALOGUE", {"seed": 1, "films": 20, "people": 60})
    with mock.patch(f"{COMMAND}.take_up", work):
        yield


def demo(**options: bool) -> str:
    out = io.StringIO()
    call_command("demo", stdout=out, **options)
    return out.getvalue()


def state() -> tuple[dict[str, int], int]:
    """Reports of each use case, and how many runs there were."""
    sizes = {use_case.slug: 0 for use_case in UseCase.objects.all()}
    for version in Version.objects.select_related("use_case"):
        reports = version.shards.filter(stream__in=version.mechanism.report_streams)
        sizes[version.use_case.slug] += sum(reports.values_list("size", flat=True))
        assert all(loads.is_counted(version, week) for week in (1, 2))
    return sizes, Run.objects.count()


def test_it_is_filled_in_two_halves_once() -> None:
    first = demo(first=True)
    assert "simulated" not in first
    assert "user demo, password" in first
    assert state() == ({EMOJI.slug: 0, WORDS.slug: 0, HEALTH.slug: 0}, 0)
    rest = demo(rest=True)
    assert "password" not in rest
    assert "The demo is complete." in rest
    assert set(ProductList.objects.values_list("name", flat=True)) == {"emoji-order", "autoplay-allowed"}
    there = state()
    assert there[0] == SIZES
    assert_in_order(rest)
    assert_words_are_looked_for_week_by_week()
    assert_films_are_trained(rest)
    # Changes by people stay.
    energy = UseCase.objects.get(slug=ENERGY.slug)
    energy.title = "Batteries"
    energy.save()
    energy.versions.update(state=Version.State.SUPERSEDED)
    again = demo()
    assert again.count("the demo's reports are here already") == 7
    assert "simulated" not in again
    assert "password" in again
    assert state() == there
    assert TrainingRun.objects.count() == len(films.RUNS)
    energy.refresh_from_db()
    assert energy.title == "Batteries"
    assert energy.versions.count() == 1


def assert_films_are_trained(said: str) -> None:
    """After the newest week of everything, one after the other, the first at the task's own ε."""
    lines = said.splitlines()
    begun = lines.index("Films to watch next: simulated devices train a model …")
    assert sum("on their way" in line for line in lines[:begun]) == 6
    runs = TrainingRun.objects.order_by("created_at")
    assert {run.state for run in runs} == {TrainingRun.State.FINISHED}
    assert [run.target_epsilon for run in runs if not run.non_private] == [None, None, 1, 8, 1]


def assert_in_order(said: str) -> None:
    """Each has something, then the newest week, and then what is older."""
    sent = [line.partition(":")[0] for line in said.splitlines() if "on their way" in line]
    assert sent[:7] == [
        "Popular emoji, the newest week",
        "Health data types edited, the newest week",
        "New words, week 2 of 2",
        "Domains with high energy use, the newest week",
        "Domains with high memory use, the newest week",
        "Autoplay intent, the newest week",
        "New words, the newest week",
    ]
    assert sent[-3:] == [
        "New words, sampled, week 2 of 2",
        "New words, sampled, the newest week",
        "Domains with high energy use, local hashing, the newest week",
    ]
    assert [line for line in sent[7:] if "newest" in line] == sent[-2:]
    # Before more is simulated each of the others has a chart.
    before = said.partition("New words, the newest week")[0]
    counted = {line.partition(":")[0] for line in before.splitlines() if line.endswith("are counted")}
    assert counted == {line.partition(",")[0] for line in sent[:7]}
    assert [line for line in sent if line.startswith("Popular emoji")][1:] == ["Popular emoji, week 2 of 2"]
    assert [line for line in said.splitlines() if line.startswith("Autoplay intent")] == [
        "Autoplay intent, the newest week: 36 simulated reports are on their way …",
        "Autoplay intent: 2 of 4 days are counted",
        "Autoplay intent, week 2 of 2: 36 simulated reports are on their way …",
        "Autoplay intent: 4 of 4 days are counted",
    ]


def assert_words_are_looked_for_week_by_week() -> None:
    """So that new ones are told from old ones."""
    words, health = (Version.objects.get(use_case__slug=slug) for slug in (WORDS.slug, HEALTH.slug))
    weeks = [loads.days(words, week) for week in (2, 1)]
    runs = words.runs.order_by("created_at")
    assert [(run.first_day, run.last_day) for run in runs] == [(week[-1], week[0]) for week in weeks]
    before, now = runs
    assert before.finished_at is not None
    assert before.finished_at < now.created_at
    assert health.runs.count() == 3, "once for something to see early, and once for each week"


def test_interrupted_in_the_middle_and_with_a_run_that_failed_it_is_completed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(f"{COMMAND}.EMOJI", EMOJI._replace(weeks=1))
    monkeypatch.setattr(f"{COMMAND}.WEB", (ENERGY._replace(weeks=2),))
    send = loads.send_reports

    def interrupted(fleet: object, version: Version, missing: list[loads.Load]) -> Iterator[int]:
        sending = send(fleet, version, missing)  # type: ignore[arg-type]
        yield next(sending)
        if version.use_case.slug == ENERGY.slug:
            raise KeyboardInterrupt
        yield from sending

    def fail(_run: object) -> None:
        health = Run.objects.filter(version__use_case__slug=HEALTH.slug)
        health.update(state=Run.State.FAILED, failure="The disk is full.")
        work(None)

    with mock.patch(f"{COMMAND}.take_up", fail):
        with mock.patch.object(loads, "send_reports", interrupted), pytest.raises(KeyboardInterrupt):
            demo(rest=True)
        energy = Version.objects.get(use_case__slug=ENERGY.slug)
        assert energy.shards.values("day").distinct().count() == 1
        assert energy.runs.count() == 1, "the first day is counted before the last has come"
        with pytest.raises(CommandError, match="Health data types edited: the run failed: The disk is full"):
            demo(rest=True)
    assert loads.is_counted(energy, 2), "what failed keeps nothing else"
    assert not loads.is_counted(Version.objects.get(use_case__slug=HEALTH.slug), 2)
    demo(rest=True)
    assert state()[0] == SIZES | {EMOJI.slug: 72, ENERGY.slug: 360, "web-memory": 0, "web-autoplay": 0}


def test_sizes_that_are_none(monkeypatch: pytest.MonkeyPatch) -> None:
    for text in ("0", "-3", "many", "1.5", "²"):
        monkeypatch.setenv("DEMO_REPORTS", text)
        with pytest.raises(CommandError, match="DEMO_REPORTS must be a positive whole number"):
            demo()


def test_its_halves_exclude_each_other() -> None:
    with pytest.raises(CommandError, match="not allowed with"):
        call_command("demo", "--first", "--rest")
