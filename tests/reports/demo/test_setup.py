"""The demo fills an empty site once, completes what was interrupted, and leaves alone what people changed."""

import datetime
import stat
from pathlib import Path
from unittest import mock

import pytest
from django.contrib.auth.models import User
from django.core.management import call_command
from pytest_django import Settings

from reports.demo import setup
from reports.models import Run, Version
from reports.models.uploads import utc_today
from reports.runs import finish_inline

pytestmark = [pytest.mark.exact, pytest.mark.django_db]

TOTAL = 72


@pytest.fixture(autouse=True)
def data_dir(tmp_path: Path, settings: Settings) -> Path:
    settings.DATA_DIR = tmp_path / "var"
    return tmp_path / "var"


def reports_by_day(version: Version) -> dict[datetime.date, int]:
    found: dict[datetime.date, int] = {}
    for day, size in version.shards.values_list("day", "size"):
        found[day] = found.get(day, 0) + size
    return dict(sorted(found.items()))


# --- Reports ---


def test_a_week_is_sent_once() -> None:
    version = setup.define()
    assert list(setup.send_reports(version, setup.missing_loads(version, TOTAL)))[-1] == TOTAL
    assert list(reports_by_day(version).items()) == list(zip(setup.days(), [11, 11, 10, 10, 10, 10, 10], strict=True))
    assert setup.missing_loads(version, TOTAL) == []
    tomorrow = utc_today() + datetime.timedelta(days=1)
    with mock.patch.object(setup, "utc_today", return_value=tomorrow):
        assert setup.missing_loads(version, TOTAL) == []


@pytest.mark.parametrize("later", [0, 1])
def test_an_interrupted_start_is_completed(later: int) -> None:
    version = setup.define()
    sending = setup.send_reports(version, setup.missing_loads(version, TOTAL))
    next(sending)
    next(sending)
    with mock.patch.object(setup, "utc_today", return_value=utc_today() + datetime.timedelta(days=later)):
        missing = setup.missing_loads(version, TOTAL)
        assert [load.day for load in missing] == setup.days()[2 - later :]
        list(setup.send_reports(version, missing[: 5 if later == 0 else -1]))
    assert set(setup.days()) <= set(reports_by_day(version))
    assert len({load.seed for load in missing}) == len(missing)
    assert setup.missing_loads(version, TOTAL) == []


def test_so_few_reports_that_days_have_none() -> None:
    version = setup.define()
    list(setup.send_reports(version, setup.missing_loads(version, 3)))
    assert len(reports_by_day(version)) == 3
    assert setup.missing_loads(version, 3) == []


@pytest.mark.django_db(transaction=True)
def test_what_a_second_start_adds_is_aggregated_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DEMO_REPORTS", str(TOTAL))
    version = setup.define()
    version.use_case.minimum_reports = 1
    version.use_case.save()
    list(setup.send_reports(version, setup.missing_loads(version, TOTAL)[:2]))

    def work(run_id: object) -> None:
        for run in Run.objects.filter(state__in=Run.UNFINISHED):
            finish_inline(run.pk, lambda _progress: None)

    with (
        mock.patch("reports.management.commands.demo.take_up_expired", work),
        mock.patch.object(setup, "define", return_value=version),
    ):
        call_command("aggregate", setup.SLUG, inline=True)
        assert version.histograms.exists()
        call_command("demo")
        call_command("demo")
    assert Run.objects.count() == 2
    assert version.read_outs.values("day").distinct().count() == 7


# --- Login ---


def test_the_login_is_made_once(data_dir: Path) -> None:
    said = setup.login()
    password = (data_dir / "demo-password").read_text()
    assert said == f"user demo, password {password}"
    assert len(password) >= 12
    user = User.objects.get()
    assert user.check_password(password)
    assert user.is_superuser
    assert user.is_staff
    assert set(user.groups.values_list("name", flat=True)) == set()  # the definitions make them
    assert setup.login() == said


def test_nobody_else_may_read_the_password_at_any_time(data_dir: Path) -> None:
    data_dir.mkdir()
    write = Path.replace

    def watched(path: Path, target: Path) -> Path:
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        assert path.read_text()
        assert not target.exists()
        return write(path, target)

    with mock.patch.object(Path, "replace", watched):
        setup.login()
    assert stat.S_IMODE((data_dir / "demo-password").stat().st_mode) == 0o600
    assert [path.name for path in data_dir.iterdir()] == ["demo-password"]


def test_a_password_that_somebody_chose_stays() -> None:
    setup.login()
    user = User.objects.get()
    user.set_password("my own")
    user.save()
    assert setup.login() == "user demo, with the password you chose"
    user.refresh_from_db()
    assert user.check_password("my own")


def test_a_start_interrupted_before_the_user_was_made_goes_on_with_its_password(data_dir: Path) -> None:
    with mock.patch.object(User.objects, "create_superuser", side_effect=KeyboardInterrupt):
        with pytest.raises(KeyboardInterrupt):
            setup.login()
    password = (data_dir / "demo-password").read_text()
    assert setup.login() == f"user demo, password {password}"
    assert User.objects.get().check_password(password)
