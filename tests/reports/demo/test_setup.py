"""The demo's use cases and its user are made once; what people changed of them stays."""

import json
import stat
from pathlib import Path
from unittest import mock

import pytest
from django.conf import settings
from django.contrib.auth.models import Group, User
from pytest_django import Settings

from reports.demo import setup
from reports.kinds import puzzle_of
from reports.models import UseCase, Version
from tests.reports.demo.small import FEW, MANY, define_small_web

pytestmark = [pytest.mark.exact, pytest.mark.django_db]


@pytest.fixture(autouse=True)
def data_dir(tmp_path: Path, settings: Settings) -> Path:
    settings.DATA_DIR = tmp_path / "var"
    return tmp_path / "var"


# --- Definitions ---


def sizes() -> dict[str, int]:
    return {
        version.use_case.slug: revision.size if (revision := version.current_dictionary()) else 0
        for version in Version.objects.select_related("use_case")
    }


def test_the_small_use_cases() -> None:
    setup.define_small()
    assert sizes() == {"keyboard-emoji": 2623, "new-words": 0, "health-types-edited": 110}
    health = Version.objects.get(use_case__slug="health-types-edited")
    assert health.algorithm == "CountMeanSketch"
    assert (health.parameters["m"], health.parameters["k"], health.parameters["epsilon"]) == (256, 65536, 2)
    entries = health.current_dictionary().entries  # type: ignore[union-attr]
    assert not entries.filter(category="").exists()
    assert {"activity", "body", "heart", "sleep", "nutrition"} <= set(entries.values_list("category", flat=True))


def test_new_words() -> None:
    setup.define_small()
    version = Version.objects.get(use_case__slug="new-words")
    mechanism = puzzle_of(version)
    assert mechanism.encoded_parameters() == version.parameters
    assert [version.parameters[name] for name in mechanism.parameter_types] == [2, 2048, 1024, 6, 2048, 1024, 10]
    assert (mechanism.length, version.locales) == (10, ["en", "fr", "es"])
    assert version.use_case.reports_per_day == 2
    assert version.element("don't", "en") == "don't_____"
    assert version.element("œuvré", "fr") == "œuvré_____"
    assert version.element("pingüino", "es") == "pingüino__"
    assert version.element("été", "en") is None
    assert not version.dictionary_revisions.exists()
    emoji = UseCase.objects.get(slug="keyboard-emoji")
    assert version.use_case.owner_group == emoji.owner_group


def test_use_cases_about_domains() -> None:
    define_small_web()
    assert sizes() == {"web-energy": MANY, "web-memory": MANY, "web-autoplay": FEW}
    energy, memory, autoplay = (UseCase.objects.get(slug=slug) for slug in ("web-energy", "web-memory", "web-autoplay"))
    assert energy.budget_group == memory.budget_group
    assert energy.budget_group is not None
    assert [use_case.reports_per_day for use_case in (energy, memory, autoplay)] == [2, 2, 2]
    assert autoplay.budget_group is None
    for version in (energy.versions.get(), memory.versions.get()):
        assert version.algorithm == "HadamardCountMeanSketch"
        assert (version.parameters["m"], version.parameters["k"], version.parameters["epsilon"]) == (32768, 1024, 4)
    parameters = autoplay.versions.get().parameters
    assert (parameters["m"], parameters["k"], parameters["epsilon"]) == (1024, 65536, 8)
    assert set(energy.viewer_groups.values_list("name", flat=True)) == {"web"}
    assert energy.owner_group == Group.objects.get(name="web-owners")
    assert list(Path(settings.LDPSITE_SPOOL_DIR).iterdir()) == []


def test_dictionaries_of_full_size() -> None:
    """Their length is asked in the tests of domains, and one as long is saved in those of the admin."""
    with mock.patch.object(setup, "write_dictionary") as written, mock.patch.object(setup, "_define"):
        setup.define_web()
    assert [(call.args[0].name, call.args[1]) for call in written.mock_calls] == [
        ("many-domains.csv", 250_000),
        ("few-domains.csv", 25_000),
    ]


def test_every_description_says_that_it_is_a_simulation() -> None:
    for file in (setup.SMALL, setup.WEB, setup.TWINS):
        for item in json.loads(file.read_text()):
            assert "simulated" in item["description"]
            assert ("This is not what people type." in item["description"]) == item["slug"].startswith("new-words")
            assert ("no statement about any real site" in item["description"]) == (
                not item["slug"].startswith(("keyboard", "new-words", "health"))
            )


def test_definitions_are_applied_once_and_what_people_changed_stays() -> None:
    setup.define_small()
    assert setup.is_web_missing()
    define_small_web()
    assert not setup.is_web_missing()
    before = sizes()
    UseCase.objects.filter(slug="web-energy").update(title="Batteries")
    UseCase.objects.filter(slug="web-memory").delete()
    setup.define_small()
    define_small_web()
    assert sizes() == before
    assert Version.objects.count() == 6
    assert UseCase.objects.get(slug="web-energy").title == "Batteries"


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


def test_a_user_that_came_with_a_back_up_keeps_its_password(data_dir: Path) -> None:
    User.objects.create_superuser("demo", password="as before")
    said = "user demo, with the password it had before (change it: manage.py changepassword demo)"
    assert setup.login() == setup.login() == said
    assert not (data_dir / "demo-password").exists()
    assert User.objects.get().check_password("as before")


def test_a_start_interrupted_before_the_user_was_made_goes_on_with_its_password(data_dir: Path) -> None:
    with mock.patch.object(User.objects, "create_superuser", side_effect=KeyboardInterrupt):
        with pytest.raises(KeyboardInterrupt):
            setup.login()
    password = (data_dir / "demo-password").read_text()
    assert setup.login() == f"user demo, password {password}"
    assert User.objects.get().check_password(password)
