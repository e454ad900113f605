"""`manage.py demo` fills a site once, in two halves, and completes what was interrupted."""

import io
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from unittest import mock

import pytest
from django.core.management import CommandError, call_command

from reports.demo import loads, setup
from reports.demo.fleets import EMOJI, HEALTH, WORDS
from reports.models import Run, UseCase, Version
from reports.runs import finish_inline
from tests.reports.demo.small import ENERGY, FEW, MANY, SMALL_WEB, SMALL_WORDS, write_small_definitions

pytestmark = [pytest.mark.exact, pytest.mark.django_db(transaction=True)]

COMMAND = "reports.management.commands.demo"
TOTAL = 72
# In a week, and in as many weeks as they are here.
WEEKLY = {EMOJI.slug: 72, WORDS.slug: 108, HEALTH.slug: 72, "web-energy": 180, "web-memory": 180, "web-autoplay": 36}
WEEKS = {EMOJI.slug: 3, WORDS.slug: 2, HEALTH.slug: 2, "web-energy": 2, "web-memory": 2, "web-autoplay": 2}
SIZES = {slug: size * WEEKS[slug] for slug, size in WEEKLY.items()}


def work(_run: object) -> None:
    """What a worker would do."""
    for run in Run.objects.filter(state__in=Run.UNFINISHED):
        finish_inline(run.pk, lambda _progress: None)


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
    web = setup.define_web
    with mock.patch(f"{COMMAND}.take_up_expired", work):
        with mock.patch.object(setup, "define_web", partial(web, MANY, FEW)):
            yield


def demo(**options: bool) -> str:
    out = io.StringIO()
    call_command("demo", stdout=out, **options)
    return out.getvalue()


def state() -> tuple[dict[str, int], int]:
    """Reports of each use case, and how many runs there were."""
    sizes = {use_case.slug: 0 for use_case in UseCase.objects.all()}
    for version in Version.objects.select_related("use_case"):
        # Of streams, the first has a record of every report.
        reports = version.shards.filter(stream=version.mechanism.streams[0])
        sizes[version.use_case.slug] += sum(reports.values_list("size", flat=True))
        assert all(loads.is_counted(version, week) for week in (1, 2, 3))
    return sizes, Run.objects.count()


def test_all_is_there_once() -> None:
    said = demo()
    assert said.count("Autoplay intent, the newest week: 36 simulated reports are on their way") == 1
    assert said.count("Autoplay intent, week 2 of 2: 36 simulated reports are on their way") == 1
    counted = [line for line in said.splitlines() if line.startswith("Autoplay intent") and "counted" in line]
    assert counted == [f"Autoplay intent: {days} of 4 days are counted" for days in (2, 4)]
    assert "user demo, password" in said
    there = state()
    assert there[0] == SIZES
    said = demo()
    assert said.count("the demo's reports are here already") == 6
    assert "simulated" not in said
    assert state() == there


def test_words_are_looked_for_week_by_week_so_that_new_ones_are_told_from_old_ones() -> None:
    demo()
    words, health = (Version.objects.get(use_case__slug=slug) for slug in (WORDS.slug, HEALTH.slug))
    weeks = [loads.days(words, week) for week in (2, 1)]
    runs = words.runs.order_by("created_at")
    assert [(run.first_day, run.last_day) for run in runs] == [(week[-1], week[0]) for week in weeks]
    before, now = runs
    assert before.finished_at is not None
    assert before.finished_at < now.created_at
    assert health.runs.count() == 3, "once for something to see early, and once for each week"


def test_of_all_there_is_something_then_the_newest_week_and_then_what_is_older() -> None:
    said = demo(first=True) + demo(rest=True)
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
    assert not any("newest" in line for line in sent[7:])
    # Before more is simulated each of the others has a chart.
    before = said.partition("New words, the newest week")[0]
    counted = {line.partition(":")[0] for line in before.splitlines() if line.endswith("are counted")}
    assert counted == {line.partition(",")[0] for line in sent[:7]}
    assert [line for line in sent if line.startswith("Popular emoji")][1:] == [
        f"Popular emoji, week {week} of 3" for week in (2, 3)
    ]


def test_two_halves() -> None:
    first = demo(first=True)
    assert "simulated" not in first
    assert "password" in first
    assert state() == ({EMOJI.slug: 0, WORDS.slug: 0, HEALTH.slug: 0}, 0)
    rest = demo(rest=True)
    assert "password" not in rest
    assert "The demo is complete." in rest
    assert state()[0] == SIZES
    with pytest.raises(CommandError, match="not allowed with"):
        call_command("demo", "--first", "--rest")


def test_interrupted_in_the_middle_it_is_completed() -> None:
    send = loads.send_reports

    def interrupted(fleet: object, version: Version, missing: list[loads.Load]) -> Iterator[int]:
        sending = send(fleet, version, missing)  # type: ignore[arg-type]
        yield next(sending)
        if version.use_case.slug == ENERGY.slug:
            raise KeyboardInterrupt
        yield from sending

    with mock.patch.object(loads, "send_reports", interrupted), pytest.raises(KeyboardInterrupt):
        demo()
    energy = UseCase.objects.get(slug=ENERGY.slug).versions.get()
    assert energy.shards.values("day").distinct().count() == 1
    assert energy.runs.count() == 1, "the first day is counted before the last has come"
    demo()
    assert state()[0] == SIZES


def test_what_people_changed_stays() -> None:
    demo()
    energy = UseCase.objects.get(slug=ENERGY.slug)
    energy.title = "Batteries"
    energy.save()
    energy.versions.update(state=Version.State.SUPERSEDED)
    runs = Run.objects.count()
    demo()
    energy.refresh_from_db()
    assert energy.title == "Batteries"
    assert energy.versions.count() == 1
    assert Run.objects.count() == runs


def test_a_failed_run_is_said_and_does_not_keep_the_others() -> None:
    def fail(_run: object) -> None:
        health = Run.objects.filter(version__use_case__slug=HEALTH.slug)
        health.update(state=Run.State.FAILED, failure="The disk is full.")
        work(None)

    with mock.patch(f"{COMMAND}.take_up_expired", fail):
        with pytest.raises(CommandError, match="Health data types edited: the run failed: The disk is full"):
            demo(rest=True)
    version = Version.objects.get(use_case__slug=ENERGY.slug)
    assert loads.is_counted(version, 2)


@pytest.mark.parametrize("text", ["0", "-3", "many", "1.5", "²"])
def test_sizes_that_are_none(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setenv("DEMO_REPORTS", text)
    with pytest.raises(CommandError, match="DEMO_REPORTS must be a positive whole number"):
        demo()
