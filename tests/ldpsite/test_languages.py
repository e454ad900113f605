"""Every language is complete, right in its form, chosen by the reader, and none of the business of devices."""

import ast
import os
import re
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from django.utils.translation import get_supported_language_variant, override

from aggregation import training
from ldpsite.env import BASE_DIR
from reports.formatting import percent, rounded, whole
from reports.models import failures
from tests.browser.everything import build, is_left_out, no_pages, of_admin, pages
from tests.ldpsite.catalogue import Entry, compiled, entries
from tests.promises.addresses import addresses
from tests.promises.conftest import World, world  # noqa: F401 - the latter is a fixture
from tests.reports.small_fleet import define

pytestmark = pytest.mark.exact

CATALOGUE = BASE_DIR / "locale/fr/LC_MESSAGES/django.po"
# Placeholders, and texts in angle brackets.
PLACEHOLDERS = re.compile(r"%\(\w+\)[a-z]|%[a-z%]|\{\w+\}|<[^<>]+>")
# Double signs want a space before them that no line ends at, and quotes within; apostrophes are curled.
MISTAKES = {
    "an ordinary space before : ; ? ! » or %": re.compile(r" [:;?!»%](?![(\w])"),
    "no space before ; ? !": re.compile(r"[\w)’»][;?!](?:\s|$)"),
    "no space before a colon": re.compile(r"[\w)’»]:\s(?!abc)"),
    "an ordinary space, or none, behind «": re.compile(r"«(?!\u00a0)"),
    "no space before »": re.compile(r"[^\u00a0]»"),
    "a straight apostrophe or English quotes": re.compile(r"\w'\w|[“”]"),
}


@pytest.fixture(scope="module")
def french() -> list[Entry]:
    return list(entries(CATALOGUE))


@pytest.mark.gettext
def test_every_message_of_the_code_is_translated(tmp_path: Path, french: list[Entry]) -> None:
    """`make messages` finds none that the catalogue lacks, and none that it has for nothing."""
    if shutil.which("xgettext") is None:
        pytest.skip("gettext is not installed (Debian: gettext)")
    for name in ("aggregation", "ldpsite", "reports", "templates", "manage.py"):
        # Nothing but what is read: the whole of a checkout may be large.
        (shutil.copytree if (BASE_DIR / name).is_dir() else shutil.copy)(BASE_DIR / name, tmp_path / name)
    folder = tmp_path / "locale/fr/LC_MESSAGES"
    folder.mkdir(parents=True)
    command = [sys.executable, "-m", "django", "makemessages", "--locale", "fr", "--no-wrap", "--verbosity", "0"]
    # Without the project's settings its catalogue goes to ./locale.
    bare = {name: value for name, value in os.environ.items() if name != "DJANGO_SETTINGS_MODULE"}
    done = subprocess.run(command, cwd=tmp_path, env=bare, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    found = [entry for entry in entries(folder / "django.po") if entry.messages != ("",)]
    assert len(found) > 1000
    known = {(entry.key, entry.messages) for entry in french}
    assert {(entry.key, entry.messages) for entry in found} == known


def test_nothing_is_missing_or_guessed(french: list[Entry]) -> None:
    assert [entry.messages for entry in french if entry.fuzzy or not all(entry.translations)] == []
    doubled = Counter(entry.key for entry in french)
    assert [key for key, times in doubled.items() if times > 1] == []
    assert [entry.messages for entry in french if len(entry.translations) != len(entry.messages)] == []


def test_messages_are_read_as_the_code_has_them(french: list[Entry]) -> None:
    r"""Escapes such as \u00a0 are not understood where messages are collected: write the character itself."""
    assert [entry.messages for entry in french if "\\" in "".join(entry.messages)] == []


def test_what_is_filled_in_stays(french: list[Entry]) -> None:
    def parts(text: str) -> set[str]:
        return set(PLACEHOLDERS.findall(text))

    wrong = []
    for entry in french:
        # One thing need not be counted in words: “the one word” of “all %(count)s words”.
        allowed = parts(entry.messages[-1]) | parts(entry.messages[0])
        for message, translation in zip(entry.messages, entry.translations, strict=True):
            first_of_two = len(entry.messages) == 2 and message == entry.messages[0]
            if parts(translation) != parts(message) and not (first_of_two and parts(translation) <= allowed):
                wrong.append((message, translation))
    assert wrong == []


@pytest.mark.parametrize("mistake", MISTAKES)
def test_typography(mistake: str, french: list[Entry]) -> None:
    pattern = MISTAKES[mistake]
    tag = re.compile(r"<[^<>]+>|https?://")
    assert [text for entry in french for text in entry.translations if pattern.search(tag.sub("", text))] == []


def test_what_is_compiled_is_what_is_written(french: list[Entry]) -> None:
    """The site starts without gettext: compiled catalogues come along."""
    assert compiled(CATALOGUE.with_suffix(".mo")) == {entry.key: entry.translations for entry in french}


def test_no_message_is_translated_when_its_module_is_imported() -> None:
    """It would keep the language of the first reader."""
    found = [f"{path}:{line}" for path in (BASE_DIR / "reports").rglob("*.py") for line in too_early(path)]
    assert found == []


def too_early(path: Path) -> Iterator[int]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    eager = {
        name.asname or name.name
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and node.module == "django.utils.translation"
        for name in node.names
        if name.name in {"gettext", "ngettext", "pgettext", "npgettext"}
    }
    pending: list[ast.AST] = [tree]
    while pending:
        node = pending.pop()
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in eager:
            yield node.lineno
        children = list(ast.iter_child_nodes(node))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            # Only what is computed when it is defined.
            children = [*node.args.defaults, *(default for default in node.args.kw_defaults if default)]
        pending.extend(children)


def test_a_message_that_is_translated_too_early_is_found(tmp_path: Path) -> None:
    module = tmp_path / "module.py"
    module.write_text(
        "from django.utils.translation import gettext as _\nTEXT = _('a')\ndef f(x=_('b')):\n    return _('c')\n"
    )
    assert sorted(too_early(module)) == [2, 3]


def test_numbers_are_written_as_in_french() -> None:
    with override("fr"):
        assert rounded(1234.5, 1) == "1\u00a0234,5"
        assert whole(1_000_000) == "1\u00a0000\u00a0000"
        assert percent(0.125) == "12,50\u00a0%"


def test_reasons_of_failure_are_told_in_the_readers_language() -> None:
    kept = failures.NO_ALPHABET % {"locale": "en_US"}
    with override("fr"):
        told = failures.in_words(kept)
        assert "en_US" in told
        assert told.startswith("La version n’a pas d’alphabet")
        assert failures.in_words("what an earlier site said") == "what an earlier site said"
    with override("en"):
        assert failures.in_words(kept) == kept


WRONG_TASK: Any = {
    "slug": "A!",
    "title": "",
    "population": 0,
    "model": {"kind": "deep"},
    "algorithm": "sgd",
    "rounds": 0,
    "target_epsilon": 11,
    "rating_range": [5, 1],
    "public_features": 1,
    "metrics": [],
    "colour": "red",
}
SOUND_TASK: Any = {
    "slug": "films",
    "title": "Films",
    "population": 1000,
    "model": {"kind": "factored"},
    "algorithm": "dpam",
    "rounds": 3,
    "target_epsilon": 4,
    "delta": 1e-5,
    "rating_range": [1, 5],
}


@pytest.mark.parametrize(
    "task",
    [
        WRONG_TASK,
        SOUND_TASK | {"rating_range": 1, "model": 1, "regularization": -1},
        SOUND_TASK | {"delta": 0.1, "model": {"kind": "linear"}, "sampling_rate": 0.1},
        SOUND_TASK | {"algorithm": "dp_sgd", "public_features": True, "noise_multiplier": {"sum": 1}},
        SOUND_TASK | {"noise_multiplier": 0.01},
    ],
)
def test_what_the_trainer_refuses_is_told_in_the_readers_language(task: dict[str, Any]) -> None:
    with pytest.raises(training.InvalidTask) as refused:
        training.plan_training(training.TrainingTask.from_mapping(task))
    with override("fr"):
        said = {str(problem): failures.in_words(str(problem)) for problem in refused.value.problems}
    assert [words for words, told in said.items() if words == told or "%(" in told] == []


ENGLISH = re.compile(r"\b(?:the|of|and|which|are|with|from|this|nobody|reports)\b", re.IGNORECASE)
# A title of a paper, an annotation, and addresses of pages.
QUOTED = ("Hiding Among the Clones", "Release of fruit", "http://testserver/")
TEXT = re.compile(r"(?s)<(script|style|code|pre|svg)\b.*?</\1>|<(?:[^>\"]|\"[^\"]*\")*>")
# The API's description is one document, the same in every language as files are, and marked as what it is.
DESCRIPTION = re.compile(r'(?s)<div class="api" lang="en" dir="ltr">.*</main>')
NAMES = re.compile(r'\b(?:aria-label|title|placeholder|alt|data-label|data-once)="([^"]*)"')


@pytest.mark.django_db
def test_no_page_speaks_english_to_french_readers(world: World, alice: User, client: Client) -> None:  # noqa: F811
    """English texts that were never marked to be translated, or whose message is not in the catalogue."""
    alice.is_superuser = alice.is_staff = True
    alice.save()
    site = build(world)
    client.force_login(alice)
    client.cookies[settings.LANGUAGE_COOKIE_NAME] = "fr"
    own = [each for each in addresses() if not of_admin(each.name) or each.name.startswith("admin:reports_")]
    # No page is among the addresses that are none: the walk over all addresses sees to it.
    own = [each for each in own if each.name not in no_pages() and not is_left_out(each.name)]
    found = list(pages(site, own, client))
    assert len(found) > 50
    english = set()
    for page in found:
        shown = DESCRIPTION.sub("", page.text)
        for text in [*TEXT.sub("\n", shown).splitlines(), *NAMES.findall(shown)]:
            if ENGLISH.search(text) and not any(quoted in text for quoted in QUOTED):
                english.add((page.name, text.strip()))
    assert english == set()


# --- The choice ---


def choose(client: Client, language: str, page: str) -> None:
    whole = f"http://testserver{page}"
    answer = client.post(reverse("choose_language"), {"language": language}, headers={"referer": whole})
    assert (answer.status_code, answer.headers["Location"]) == (302, whole)


@pytest.mark.django_db
def test_somebody_chooses_a_language_and_stays_on_the_page(alice: User, client: Client) -> None:
    define()
    client.force_login(alice)
    page = f"{reverse('use_case', args=['fruits'])}?locale=fr_FR"
    assert "Déconnexion" not in client.get(page).content.decode()
    choose(client, "fr", page)
    shown = client.get(page)
    assert '<html lang="fr" dir="ltr">' in shown.content.decode()
    assert "Déconnexion" in shown.content.decode()
    assert shown.headers["Content-Language"] == "fr"
    choose(client, "en", page)
    assert "Log out" in client.get(page, headers={"accept-language": "fr"}).content.decode()


@pytest.mark.django_db
def test_until_somebody_chooses_the_browser_does(client: Client) -> None:
    login = reverse("login")
    assert "Se connecter" in client.get(login, headers={"accept-language": "fr-CA,en;q=0.5"}).content.decode()
    assert "Log in" in client.get(login, headers={"accept-language": "de,en;q=0.5"}).content.decode()


def test_the_choice_is_kept_in_a_cookie_that_says_nothing_else(client: Client) -> None:
    strict = Client(enforce_csrf_checks=True)
    choose(strict, "fr", reverse("login"))
    (cookie,) = strict.cookies.values()
    assert (cookie.key, cookie.value) == (settings.LANGUAGE_COOKIE_NAME, "fr")
    assert (cookie["samesite"], cookie["httponly"], cookie["path"]) == ("Lax", True, "/")
    assert cookie["max-age"] == settings.LANGUAGE_COOKIE_AGE


def test_nobody_is_sent_elsewhere(client: Client) -> None:
    for away in ("https://example.com/", "//example.com/", "javascript:alert(1)"):
        answer = client.post(reverse("choose_language"), {"language": "fr", "next": away})
        assert answer.headers["Location"] == "/"
        answer = client.post(reverse("choose_language"), {"language": "fr"}, headers={"referer": away})
        assert answer.headers["Location"] == "/"
    assert client.get(reverse("choose_language")).status_code == 405


def test_the_languages_are_those_of_the_catalogues() -> None:
    catalogues = {path.parent.parent.name for path in (BASE_DIR / "locale").glob("*/LC_MESSAGES/django.po")}
    assert {code for code, _name in settings.LANGUAGES} == catalogues | {"en"}
    for code, _name in settings.LANGUAGES:
        assert get_supported_language_variant(code, strict=True) == code


# --- What has no language ---


@pytest.mark.django_db
def test_devices_are_answered_the_same_in_every_language(client: Client) -> None:
    define()
    client.cookies[settings.LANGUAGE_COOKIE_NAME] = "fr"
    french = {"accept-language": "fr"}
    asked: list[Callable[[Client, dict[str, str]], Any]] = [
        lambda who, headers: who.get(reverse("api_device_configuration"), headers=headers),
        lambda who, headers: who.post(reverse("api_reports"), "{}", content_type="text/plain", headers=headers),
        lambda who, headers: who.post(reverse("api_reports"), "{}", content_type="application/json", headers=headers),
        lambda who, headers: who.post(
            reverse("api_reports"),
            "{}",
            content_type="application/json",
            headers={"idempotency-key": "k" * 32, **headers},
        ),
    ]
    for ask in asked:
        one, other = ask(client, french), ask(Client(), {})
        assert one.content == other.content
        assert "Content-Language" not in one.headers


# In which files differ that were made one after the other.
MOMENT = re.compile(rb"\d{4}-\d\d-\d\dT[\d:.]+(?:\+00:00|Z)")


@pytest.mark.django_db
def test_files_are_the_same_in_every_language(world: World, alice: User, client: Client) -> None:  # noqa: F811
    client.force_login(alice)
    paths = [
        world.path(address)
        for address in addresses()
        # Files of privacy hold the sentences of their pages.
        if no_pages().get(address.name) == "a file" and "privacy" not in address.name
    ]
    assert len(paths) > 10

    def files() -> list[bytes]:
        return [MOMENT.sub(b"", client.get(path).getvalue()) for path in paths]

    english = files()
    client.cookies[settings.LANGUAGE_COOKIE_NAME] = "fr"
    french = files()
    assert [path for path, one, other in zip(paths, english, french, strict=True) if one != other] == []
