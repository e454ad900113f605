"""Definition files: what they may say is taken, all else is refused with words that say what to do."""

import json
from pathlib import Path
from typing import Any

import pytest
from django.core.exceptions import ValidationError

from reports.definitions import Entry, check_definitions, read_definitions
from tests.reports.factories import SEED, definition
from tests.reports.small_fleet import words_definition

pytestmark = [pytest.mark.exact]

PARAMETERS = {"epsilon": 4, "k": 64, "m": 64, "seed": SEED}


def problems_of(*items: Any) -> list[str]:
    with pytest.raises(ValidationError) as caught:
        check_definitions(list(items), Path())
    return caught.value.messages


# Changes to a good definition → what the message must say.
REFUSED: dict[str, tuple[dict[str, Any], list[str]]] = {
    # Values that the nouns refuse are named by their field
    "daily limit 0": ({"daily_limit": 0}, ["daily_limit: Must be a whole number of at least 1, not 0."]),
    "locale with a hyphen": ({"locales": ["en-US"]}, ["locales: 'en-US' has not the form"]),
    "alphabet a number": ({"alphabet": 5}, ["alphabet: It must be a text, or an object with a text for each locale"]),
    "epsilon": ({"parameters": PARAMETERS | {"epsilon": 1.0005}}, ["parameters: epsilon", "0.001", "1.0005", "round"]),
    "no epsilon": ({"parameters": {"k": 64, "m": 64}}, ["parameters: ", "epsilon is missing"]),
    "seed null": ({"parameters": PARAMETERS | {"seed": None}}, ["parameters: seed"]),
    "unknown algorithm": ({"algorithm": "RAPPOR"}, ["algorithm: ", "RAPPOR", "CountMeanSketch"]),
    # Fields that are there, and that are none
    "no title": ({"title": None}, ["title is missing"]),
    "no algorithm": ({"algorithm": None}, ["algorithm is missing"]),
    "no parameters": ({"parameters": None}, ["parameters is missing"]),
    "no normalisation": ({"normalization": None}, ["normalization is missing"]),
    "unknown field": ({"colour": "red"}, ["colour is not a field", "spelling"]),
    # JSON's own types for them
    "title a number": ({"title": 5}, ["title must be a text, not 5"]),
    "daily limit true": ({"daily_limit": True}, ["daily_limit must be a whole number, not True"]),
    "daily limit a text": ({"daily_limit": "5"}, ["daily_limit must be a whole number, not '5'"]),
    "minimum a fraction": ({"minimum_reports": 10.5}, ["minimum_reports must be a whole number"]),
    "rate a text": ({"false_positive_rate": "0.05"}, ["false_positive_rate must be a number"]),
    "dictionary_complete 1": ({"dictionary_complete": 1}, ["dictionary_complete must be true or false, not 1"]),
    "parameters a list": ({"parameters": []}, ["parameters must be an object"]),
    "locales a text": ({"locales": "en_US"}, ["locales must be a list of texts", '["und"]']),
    # Groups
    "groups a text": ({"viewer_groups": "keyboard"}, ["viewer_groups must be a list of names"]),
    "group without a name": ({"viewer_groups": [""]}, ["viewer_groups: "]),
    "group with half a surrogate pair": ({"viewer_groups": ["\ud83d"]}, ["viewer_groups: ", "remove it"]),
    "owner a list": ({"owner_group": ["a"]}, ["owner_group: the name of a group must be a text"]),
    "owner too long": ({"owner_group": "x" * 151}, ["owner_group: ", "150"]),
    "budget group too long": ({"budget_group": "x" * 81}, ["budget_group: ", "80"]),
    # Dictionaries
    "empty entry": ({"dictionary": ["😂", ""]}, ["dictionary: entry 2", "empty", "remove it"]),
    "entry twice after normalisation": ({"dictionary": ["❤", "❤️"]}, ["entry 2", "same element as entry 1", "keep one"]),
    "domain that is none": (
        {"normalization": "domain", "dictionary": ["example.org", "127.0.0.1"]},
        ["entry 2", "'127.0.0.1'", "no host name", "www.example.org"],
    ),
    "entry no text": ({"dictionary": ["😂", 5]}, ["entry 2", "must be a text"]),
    "entry with another field": ({"dictionary": [{"element": "😂", "count": 3}]}, ["entry 1", "display"]),
    "display with NUL": ({"dictionary": [{"element": "a", "display": "\0"}]}, ["entry 1", "remove it"]),
    "half a surrogate pair": ({"dictionary": ["\ud83d"]}, ["entry 1", "remove it"]),
    "category too long": ({"dictionary": [{"element": "x", "category": "y" * 81}]}, ["entry 1", "80", "shorten it"]),
    "dictionary a text": ({"dictionary": "emoji.txt"}, ["dictionary", '{"file": "name"}']),
    "dictionary of two fields": ({"dictionary": {"file": "a", "form": "b"}}, ["dictionary", '{"file": "name"}']),
    "dictionary file not there": ({"dictionary": {"file": "nowhere.txt"}}, ["nowhere.txt", "No such file"]),
}


@pytest.mark.parametrize(("changes", "words"), REFUSED.values(), ids=REFUSED.keys())
def test_refused_with_words_that_help(changes: dict[str, Any], words: list[str]) -> None:
    (problem,) = problems_of(definition(**changes))
    assert problem.startswith("use case 'keyboard-emoji': ")
    assert all(word in problem for word in words), problem


def test_what_is_refused_is_otherwise_good() -> None:
    """Control: each case above differs from this in one thing."""
    (read,) = check_definitions([definition()], Path())
    assert read.slug == "keyboard-emoji"
    assert read.entries == [Entry("😂", "😂"), Entry("❤", "❤️"), Entry("👍", "👍")]
    assert read.version.parameters == PARAMETERS | {"hash": "quadratic-m31-v1"}


def test_where_words_are_found_there_is_no_dictionary() -> None:
    for dictionary in (["hello"], None):
        (problem,) = problems_of(words_definition() | {"dictionary": dictionary})
        assert "dictionary: SequenceFragmentPuzzle finds its elements itself, and counts none; remove it" in problem
    (problem,) = problems_of(words_definition(dictionary_complete=True))
    assert "dictionary_complete: Its words are found without a dictionary" in problem
    assert check_definitions([words_definition(dictionary_complete=False)], Path())


@pytest.mark.parametrize(
    "changes",
    [{"dictionary": []}, {"dictionary": ["x" * 500]}, {"description": ""}, {"budget_group": ""}, {"alphabet": "abc"}],
)
def test_unusual_values_are_taken(changes: dict[str, Any]) -> None:
    assert len(check_definitions([definition(**changes)], Path())) == 1


def test_what_a_definition_may_leave_out() -> None:
    item = {
        "slug": "a",
        "title": "A",
        "algorithm": "CountMeanSketch",
        "normalization": "raw",
        "parameters": {"epsilon": 1, "k": 8, "m": 8},
    }
    (read,) = check_definitions([item], Path())
    use_case = read.use_case
    assert (use_case.daily_limit, use_case.retention_days, use_case.minimum_reports) == (1, 90, 10_000)
    assert (use_case.grace_days, use_case.false_positive_rate, use_case.dictionary_complete) == (7, 0.05, False)
    assert (use_case.prescribed_threshold, read.entries, read.version.locales) == (None, None, ["und"])
    assert "seed" not in read.version.parameters


def test_all_problems_are_told_at_once() -> None:
    problems = problems_of(
        definition(title="", daily_limit=0, locales=["en-US"]), 7, definition(slug="other", dictionary=[""])
    )
    assert [problem.split(":")[0] for problem in problems] == [
        "use case 'keyboard-emoji'",
        "use case 'keyboard-emoji'",
        "use case 'keyboard-emoji'",
        "use case number 2",
        "use case 'other'",
    ]


def test_of_many_bad_entries_twenty_are_told_and_the_rest_counted() -> None:
    problems = problems_of(definition(dictionary=["😂", *[""] * 50]))
    assert len(problems) == 21
    assert "30 more" in problems[-1]


def test_a_slug_twice() -> None:
    (problem,) = problems_of(definition(), definition(slug="other"), definition())
    assert "twice" in problem
    assert "another slug" in problem


def test_the_file_holds_a_list() -> None:
    with pytest.raises(ValidationError, match=r"put \[ \] around"):
        check_definitions({}, Path())


@pytest.mark.parametrize(
    ("raw", "words"),
    [
        (b"", ["line 1", "not JSON"]),
        (b'[\n{"slug": }]', ["line 2", "not JSON"]),
        (b"\xff\xfe", ["not UTF-8"]),
        (b"[" * 100_000, ["not JSON"]),
        (b'[{"daily_limit": ' + b"9" * 5000 + b"}]", ["not JSON"]),
        (b'[{"slug": "a", "slug": "b"}]', ["'slug'", "twice", "keep one"]),
    ],
)
def test_files_that_cannot_be_read(tmp_path: Path, raw: bytes, words: list[str]) -> None:
    path = tmp_path / "use_cases.json"
    path.write_bytes(raw)
    with pytest.raises(ValidationError) as caught:
        read_definitions(path)
    (problem,) = caught.value.messages
    assert "use_cases.json" in problem
    assert all(word in problem for word in words)


@pytest.mark.parametrize("name", ["missing.json", "."])
def test_a_path_that_is_no_file_cannot_be_read(tmp_path: Path, name: str) -> None:
    with pytest.raises(ValidationError, match="cannot read"):
        read_definitions(tmp_path / name)


def test_a_byte_order_mark_does_not_matter(tmp_path: Path) -> None:
    path = tmp_path / "use_cases.json"
    path.write_text(json.dumps([definition()]), encoding="utf-8-sig")
    assert len(read_definitions(path)) == 1


# --- Dictionaries in files ---


def read_dictionary(tmp_path: Path, name: str, raw: bytes, **changes: Any) -> list[Entry]:
    (tmp_path / name).write_bytes(raw)
    (tmp_path / "use_cases.json").write_text(json.dumps([definition(dictionary={"file": name}, **changes)]))
    (read,) = read_definitions(tmp_path / "use_cases.json")
    assert read.entries is not None
    return read.entries


def test_one_element_a_line_beside_the_definition(tmp_path: Path) -> None:
    entries = read_dictionary(tmp_path, "emoji.txt", "😂\r\n❤️\n👍".encode())
    assert entries == [Entry("😂", "😂"), Entry("❤", "❤️"), Entry("👍", "👍")]


def test_csv_columns_may_stand_in_any_order(tmp_path: Path) -> None:
    raw = 'category,element,display\nfaces,😂,joy\n"hearts, red",❤️,\n,👍,"up"\n'
    assert read_dictionary(tmp_path, "EMOJI.CSV", raw.encode()) == [
        Entry("😂", "joy", "faces"),
        Entry("❤", "❤️", "hearts, red"),
        Entry("👍", "up", ""),
    ]


@pytest.mark.parametrize("name", ["emoji.txt", "emoji.csv"])
def test_the_mark_of_spreadsheets_is_no_part_of_an_element(tmp_path: Path, name: str) -> None:
    text = "element\n😂\n" if name.endswith("csv") else "😂\n"
    assert read_dictionary(tmp_path, name, text.encode("utf-8-sig")) == [Entry("😂", "😂")]


@pytest.mark.parametrize(
    ("name", "raw", "words"),
    [
        ("e.txt", "😂\n\n👍\n".encode(), ["e.txt line 2", "empty", "remove it"]),
        ("e.txt", "😂\n👍\n😂\n".encode(), ["e.txt line 3", "same element as e.txt line 1"]),
        ("e.csv", b"element;display\na;b\n", ["e.csv line 1", "separated by commas"]),
        ("e.csv", b"element,display\n,x\n", ["e.csv line 2", "empty"]),
        ("e.csv", b'element\na\n"never closed\n', ["e.csv line 3", "never closed"]),
        ("e.txt", b"a\n" + b"x" * 1_000_000 + b"\nb", ["e.txt line 2", "too long"]),
        ("e.txt", b"a\n" + b"\xff" * 1_000_000, ["e.txt", "not UTF-8"]),
    ],
)
def test_dictionary_files_are_refused_shortly_and_with_the_line(
    tmp_path: Path, name: str, raw: bytes, words: list[str]
) -> None:
    with pytest.raises(ValidationError) as caught:
        read_dictionary(tmp_path, name, raw, normalization="raw")
    (problem,) = caught.value.messages
    assert all(word in problem for word in words), problem
    assert len(problem) < 300


def test_quotes_may_hold_commas_quotes_and_lines(tmp_path: Path) -> None:
    raw = b'element,display\r\n"a,""b""\r\nc",x\r\n\r\n"\x0b"\r\n"\x0b"\r\n'
    with pytest.raises(ValidationError) as caught:
        read_dictionary(tmp_path, "e.csv", raw, normalization="raw")
    # Rows are named by the line they begin in, blank ones in between counted.
    assert "e.csv line 6: '\\x0b' is the same element as e.csv line 5" in caught.value.messages[0]
    entries = read_dictionary(tmp_path, "e.csv", raw[:-5], normalization="raw")
    assert entries == [Entry('a,"b"\r\nc', "x"), Entry("\x0b", "\x0b")]


def test_a_file_that_two_use_cases_name_is_read_once(tmp_path: Path) -> None:
    (tmp_path / "words.txt").write_text("Hello\nWorld\n")
    file = {"file": "words.txt"}
    items = [
        definition(slug="a", normalization="word", dictionary=file),
        definition(slug="b", normalization="word", dictionary=file),
        definition(slug="c", normalization="word", keep_case=True, dictionary=file),
    ]
    first, second, third = check_definitions(items, tmp_path)
    assert first.entries is second.entries
    assert third.entries == [Entry("Hello_____", "Hello"), Entry("World_____", "World")]


# --- Budget groups ---


@pytest.mark.parametrize("other", [{"daily_limit": 3}, {}], ids=["another", "default"])
def test_use_cases_of_a_budget_group_agree_on_its_limit(other: dict[str, Any]) -> None:
    (problem,) = problems_of(
        definition(slug="a", budget_group="domains", daily_limit=2),
        definition(slug="b", budget_group="other", daily_limit=5),
        definition(slug="c", budget_group="domains", **other),
    )
    assert all(word in problem for word in ["'a'", "'c'", "'domains'", "is 2", f"is {other.get('daily_limit', 1)}"])
