"""What a definition file may say, and what is refused with words that say what to do."""

import json
from pathlib import Path
from typing import Any

import pytest

from reports.definitions import DefinitionError, Entry, read_definitions
from reports.definitions.file import check_definitions
from tests.reports.factories import SEED, definition

pytestmark = [pytest.mark.exact]

PARAMETERS = {"epsilon": 4, "k": 64, "m": 64, "seed": SEED}


def problems_of(*items: Any) -> list[str]:
    with pytest.raises(DefinitionError) as caught:
        check_definitions(list(items), Path())
    assert str(caught.value) == "\n".join(caught.value.problems)
    return caught.value.problems


def parameters(**changes: Any) -> dict[str, Any]:
    return {"parameters": PARAMETERS | changes}


def without(name: str) -> dict[str, Any]:
    return {"parameters": {key: value for key, value in PARAMETERS.items() if key != name}}


# What is changed in a good definition → what the message must say.
REFUSED: dict[str, tuple[dict[str, Any], list[str]]] = {
    # ε outside (0, 16], or finer than 0.001
    "epsilon 0": (parameters(epsilon=0), ["epsilon", "above 0", "16", "not 0"]),
    "epsilon negative": (parameters(epsilon=-1), ["epsilon", "above 0", "-1"]),
    "epsilon too large": (parameters(epsilon=16.001), ["epsilon", "at most 16", "16.001"]),
    "epsilon too fine": (parameters(epsilon=1.0005), ["epsilon", "0.001", "1.0005", "round it"]),
    "epsilon tiny": (parameters(epsilon=1e-300), ["epsilon", "0.001"]),
    "epsilon as text": (parameters(epsilon="4"), ["epsilon", "number"]),
    "epsilon true": (parameters(epsilon=True), ["epsilon", "number", "True"]),
    "epsilon infinite": (parameters(epsilon=float("inf")), ["epsilon", "at most 16"]),
    "epsilon not a number": (parameters(epsilon=float("nan")), ["epsilon"]),
    "no epsilon": (without("epsilon"), ["epsilon", "missing", "give one"]),
    # m no power of two, or above 2²⁰; k·m above 2²⁸
    "m no power of two": (parameters(m=1000), ["m must be a power of two", "1000"]),
    "m too small": (parameters(m=4), ["power of two", "8", "4"]),
    "m too large": (parameters(m=2**21), ["power of two", str(2**20), str(2**21)]),
    "m negative": (parameters(m=-64), ["power of two", "-64"]),
    "m a fraction": (parameters(m=64.0), ["m must be an integer", "64.0"]),
    "m true": (parameters(m=True), ["m must be an integer"]),
    "k 0": (parameters(k=0), ["k must be at least 1"]),
    "k a fraction": (parameters(k=1.5), ["k must be an integer"]),
    "too many cells": (parameters(k=2**19, m=1024), ["k may be at most", str(2**18), "m=1024"]),
    # The rest of the parameters
    "upper-case seed": (parameters(seed="AB" * 16), ["seed", "32 lower-case hex digits"]),
    "short seed": (parameters(seed="ab"), ["seed", "32 lower-case hex digits"]),
    "seed null": (parameters(seed=None), ["seed"]),
    "unknown hash": (parameters(hash="md5"), ["hash must be one of", "quadratic-m31-v1"]),
    "unknown parameter": (parameters(size=3), ["size", "leave it out"]),
    "parameter of another algorithm": (parameters(length=10), ["length", "leave it out"]),
    "unknown algorithm": ({"algorithm": "RAPPOR"}, ["RAPPOR", "CountMeanSketch"]),
    "parameters a list": ({"parameters": []}, ["parameters", "object"]),
    # Locales
    "locale with a hyphen": ({"locales": ["en-US"]}, ["'en-US'", "en_US"]),
    "locale in lower case": ({"locales": ["en_us"]}, ["'en_us'", "write it as"]),
    "locale in upper case": ({"locales": ["EN"]}, ["'EN'"]),
    "locale empty": ({"locales": [""]}, ["''"]),
    "locale with a newline": ({"locales": ["en_US\n"]}, ["locale"]),
    "locale no text": ({"locales": [1]}, ["locale"]),
    "no locale": ({"locales": []}, ["locales", "at least one", '["und"]']),
    "locales a text": ({"locales": "en_US"}, ["locales", "list"]),
    "locale twice": ({"locales": ["en_US", "fr_FR", "en_US"]}, ["'en_US'", "twice", "keep one"]),
    # Dictionaries
    "empty entry": ({"dictionary": ["😂", ""]}, ["dictionary: entry 2", "empty", "remove it"]),
    "entry empty after normalisation": ({"dictionary": ["\ufe0f"]}, ["dictionary: entry 1", "empty", "remove it"]),
    "entry twice": ({"dictionary": ["😂", "👍", "😂"]}, ["entry 3", "same element as entry 1", "keep one"]),
    "entry twice after normalisation": ({"dictionary": ["❤", "❤️"]}, ["entry 2", "same element as entry 1"]),
    "domain that is none": (
        {"normalization": "domain", "dictionary": ["example.org", "127.0.0.1"]},
        ["entry 2", "'127.0.0.1'", "no host name", "www.example.org"],
    ),
    "domains alike": ({"normalization": "domain", "dictionary": ["EXAMPLE.org", "example.org."]}, ["same element"]),
    "entry no text": ({"dictionary": ["😂", 5]}, ["entry 2", "must be a text"]),
    "entry with another field": ({"dictionary": [{"element": "😂", "count": 3}]}, ["entry 1", "display"]),
    "entry with NUL": ({"dictionary": ["a\0b"]}, ["entry 1", "remove it"]),
    "display with NUL": ({"dictionary": [{"element": "a", "display": "\0"}]}, ["entry 1", "remove it"]),
    "half a surrogate pair": ({"dictionary": ["\ud83d"]}, ["entry 1", "remove it"]),
    "half a surrogate pair to show": ({"dictionary": [{"element": "a", "display": "\ud83d"}]}, ["entry 1"]),
    "entry too long": ({"dictionary": ["😂", "x" * 501]}, ["entry 2", "500", "shorten it"]),
    "category too long": ({"dictionary": [{"element": "x", "category": "y" * 81}]}, ["entry 1", "80", "shorten it"]),
    "dictionary a text": ({"dictionary": "emoji.txt"}, ["dictionary", '{"file": "name"}']),
    "dictionary of two fields": ({"dictionary": {"file": "a", "form": "b"}}, ["dictionary", '{"file": "name"}']),
    "dictionary file not there": ({"dictionary": {"file": "nowhere.txt"}}, ["nowhere.txt", "No such file"]),
    # Everything else
    "no title": ({"title": None}, ["title is missing"]),
    "blank title": ({"title": "  "}, ["title", "not empty"]),
    "long title": ({"title": "x" * 201}, ["title"]),
    "title a number": ({"title": 5}, ["title must be a text"]),
    "title with NUL": ({"title": "a\0"}, ["title", "NUL", "remove it"]),
    "group with half a surrogate pair": ({"viewer_groups": ["\ud83d"]}, ["viewer_groups", "remove it"]),
    "alphabet with NUL": ({"alphabet": {"en_US": "\0"}}, ["alphabet", "NUL"]),
    "no algorithm": ({"algorithm": None}, ["algorithm is missing"]),
    "no parameters": ({"parameters": None}, ["parameters is missing"]),
    "no normalisation": ({"normalization": None}, ["normalization is missing"]),
    "unknown normalisation": ({"normalization": "nfkc"}, ["normalization", "domain, emoji, raw, word"]),
    "slug in upper case": ({"slug": "Emoji"}, ["slug", "lower-case", "hyphens"]),
    "slug with an underscore": ({"slug": "a_b"}, ["slug", "hyphens"]),
    "slug ends with a hyphen": ({"slug": "a-"}, ["slug"]),
    "slug too long": ({"slug": "a" * 81}, ["slug"]),
    "unknown field": ({"colour": "red"}, ["colour is not a field", "spelling"]),
    "daily limit 0": ({"daily_limit": 0}, ["daily_limit", "at least 1", "not 0"]),
    "daily limit true": ({"daily_limit": True}, ["daily_limit", "whole number", "True"]),
    "daily limit too large": ({"daily_limit": 2**31}, ["daily_limit"]),
    "retention 0": ({"retention_days": 0}, ["retention_days", "at least 1"]),
    "minimum 0": ({"minimum_reports": 0}, ["minimum_reports", "at least 1"]),
    "minimum a fraction": ({"minimum_reports": 10.5}, ["minimum_reports", "whole number"]),
    "rate 0": ({"false_positive_rate": 0}, ["false_positive_rate", "above 0 and below 1"]),
    "rate 1": ({"false_positive_rate": 1}, ["false_positive_rate", "above 0 and below 1"]),
    "rate not a number": ({"false_positive_rate": float("nan")}, ["false_positive_rate"]),
    "threshold 0": ({"prescribed_threshold": 0}, ["prescribed_threshold", "at least 1"]),
    "threshold a fraction": ({"prescribed_threshold": 1.5}, ["prescribed_threshold", "whole number"]),
    "threshold too large": ({"prescribed_threshold": 2**31}, ["prescribed_threshold"]),
    "grace negative": ({"grace_days": -1}, ["grace_days", "at least 0"]),
    "dictionary_complete 1": ({"dictionary_complete": 1}, ["dictionary_complete", "true or false"]),
    "keep_case as text": ({"keep_case": "yes"}, ["keep_case", "true or false"]),
    "groups a text": ({"viewer_groups": "keyboard"}, ["viewer_groups", "list of names"]),
    "group without a name": ({"viewer_groups": [""]}, ["viewer_groups"]),
    "owner a list": ({"owner_group": ["a"]}, ["owner_group", "name of a group"]),
    "budget group too long": ({"budget_group": "x" * 81}, ["budget_group", "80"]),
    "alphabet a number": ({"alphabet": 5}, ["alphabet", "for each locale"]),
}


@pytest.mark.parametrize(("changes", "words"), REFUSED.values(), ids=REFUSED.keys())
def test_refused_with_words_that_help(changes: dict[str, Any], words: list[str]) -> None:
    problems = problems_of(definition(**changes))
    assert all(problem.startswith("use case ") for problem in problems)
    assert len(problems) == 1 or changes.keys() <= {"parameters", "algorithm"}
    for word in words:
        assert word in problems[0]


def test_what_is_refused_is_otherwise_good() -> None:
    """Each case above differs from this in one thing."""
    (read,) = check_definitions([definition()], Path())
    assert read.slug == "keyboard-emoji"
    assert read.entries == [Entry("😂", "😂"), Entry("❤", "❤️"), Entry("👍", "👍")]
    assert read.parameters == PARAMETERS | {"hash": "quadratic-m31-v1"}


@pytest.mark.parametrize(
    "changes",
    [
        parameters(epsilon=0.001),
        parameters(epsilon=16),
        parameters(epsilon=16.0),
        parameters(m=8),
        parameters(m=2**20, k=2**8),
        parameters(k=1),
        {"locales": ["und"]},
        {"locales": ["zh_Hant_TW", "es_419", "fil", "ar"]},
        {"dictionary": []},
        {"dictionary": None},
        {"title": "x" * 200},
        {"slug": "a" * 80},
        {"false_positive_rate": 0.999},
        {"prescribed_threshold": 1},
        {"prescribed_threshold": 2**31 - 1},
        {"grace_days": 0},
        {"description": ""},
        {"alphabet": "abc"},
        {"alphabet": {"en_US": "abc"}},
        {"dictionary": ["x" * 500]},
        {"normalization": "domain", "dictionary": ["münchen.example", "example.org"]},
    ],
)
def test_limits_are_inclusive(changes: dict[str, Any]) -> None:
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
    assert read.locales == ("und",)
    assert (read.daily_limit, read.retention_days, read.minimum_reports) == (1, 90, 10_000)
    assert (read.grace_days, read.false_positive_rate, read.dictionary_complete) == (7, 0.05, False)
    assert (read.prescribed_threshold, read.entries) == (None, None)
    assert "seed" not in read.parameters


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


@pytest.mark.parametrize("content", [{}, "text", None, 5])
def test_the_file_holds_a_list(content: object) -> None:
    with pytest.raises(DefinitionError, match=r"put \[ \] around"):
        check_definitions(content, Path())


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
    with pytest.raises(DefinitionError) as caught:
        read_definitions(path)
    (problem,) = caught.value.problems
    assert "use_cases.json" in problem
    assert all(word in problem for word in words)


@pytest.mark.parametrize("name", ["missing.json", "."])
def test_no_file(tmp_path: Path, name: str) -> None:
    with pytest.raises(DefinitionError, match="cannot read"):
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


@pytest.mark.parametrize("name", ["emoji.csv", "EMOJI.CSV"])
def test_columns(tmp_path: Path, name: str) -> None:
    raw = 'category,element,display\nfaces,😂,joy\n"hearts, red",❤️,\n,👍,"up"\n'
    assert read_dictionary(tmp_path, name, raw.encode()) == [
        Entry("😂", "joy", "faces"),
        Entry("❤", "❤️", "hearts, red"),
        Entry("👍", "up", ""),
    ]


def test_an_element_column_is_enough(tmp_path: Path) -> None:
    assert read_dictionary(tmp_path, "emoji.csv", "element\n😂\n".encode()) == [Entry("😂", "😂")]


@pytest.mark.parametrize("name", ["emoji.txt", "emoji.csv"])
def test_the_mark_of_spreadsheets_is_no_part_of_an_element(tmp_path: Path, name: str) -> None:
    text = "element\n😂\n" if name.endswith("csv") else "😂\n"
    assert read_dictionary(tmp_path, name, text.encode("utf-8-sig")) == [Entry("😂", "😂")]


@pytest.mark.parametrize(
    ("name", "raw", "words"),
    [
        ("e.txt", "😂\n\n👍\n".encode(), ["e.txt line 2", "empty", "remove it"]),
        ("e.txt", "😂\n👍\n😂\n".encode(), ["e.txt line 3", "same element as e.txt line 1"]),
        ("e.txt", b"\xff\n", ["e.txt", "not UTF-8"]),
        ("e.csv", b"display,category\nx,y\n", ["e.csv", "element, display, category"]),
        ("e.csv", b"element,count\nx,5\n", ["e.csv", "element, display, category"]),
        ("e.csv", b"", ["e.csv", "element, display, category"]),
        ("e.csv", b"element,display\nx,y,z\n", ["e.csv line 2", "more columns", "quotes"]),
        ("e.csv", b"element\n" + b"x" * 200_000 + b"\n", ["e.csv", "field"]),
        ("e.csv", b"element,display\n,x\n", ["e.csv line 2", "empty"]),
    ],
)
def test_dictionary_files_that_are_refused(tmp_path: Path, name: str, raw: bytes, words: list[str]) -> None:
    with pytest.raises(DefinitionError) as caught:
        read_dictionary(tmp_path, name, raw)
    (problem,) = caught.value.problems
    assert all(word in problem for word in words), problem


# --- Dictionaries that are hard to read ---


@pytest.mark.parametrize(
    ("name", "raw", "words"),
    [
        ("e.csv", b'element\na\n"never closed\n', ["e.csv line 3", "never closed"]),
        ("e.csv", b'element\na\n"b" c\n', ["e.csv line 3", "quotes"]),
        ("e.csv", b"element\na\0b\n", ["e.csv line 2", "NUL"]),
        ("e.csv", b"element,element\na,b\n", ["e.csv line 1", "element, display, category"]),
        ("e.csv", b"element;display\na;b\n", ["e.csv line 1", "separated by commas"]),
        ("e.csv", b"element\n" + b"x" * 10_000_000, ["e.csv line 2", "131072"]),
        ("e.txt", b"a\n" + b"x" * 10_000_000 + b"\nb", ["e.txt line 2", "too long"]),
        ("e.txt", b"a\n" + b"\xff" * 10_000_000, ["e.txt", "not UTF-8"]),
    ],
)
def test_refused_shortly_and_with_the_line(tmp_path: Path, name: str, raw: bytes, words: list[str]) -> None:
    with pytest.raises(DefinitionError) as caught:
        read_dictionary(tmp_path, name, raw, normalization="raw")
    (problem,) = caught.value.problems
    assert all(word in problem for word in words), problem
    assert len(problem) < 300


def test_quotes_may_hold_commas_quotes_and_lines(tmp_path: Path) -> None:
    raw = b'element,display\r\n"a,""b""\r\nc",x\r\n\r\n"\x0b"\r\n"\x0b"\r\n'
    with pytest.raises(DefinitionError) as caught:
        read_dictionary(tmp_path, "e.csv", raw, normalization="raw")
    # Rows are named by the line they begin in, blank ones in between counted.
    assert "e.csv line 6: '\\x0b' is the same element as e.csv line 5" in caught.value.problems[0]
    entries = read_dictionary(tmp_path, "e.csv", raw[:-5], normalization="raw")
    assert entries == [Entry('a,"b"\r\nc', "x"), Entry("\x0b", "\x0b")]


def test_formulas_are_texts(tmp_path: Path) -> None:
    raw = 'element\n"=HYPERLINK(""https://example.org"")"\n\'=1\n@x\n'
    entries = read_dictionary(tmp_path, "e.csv", raw.encode(), normalization="raw")
    assert [entry.element for entry in entries] == ['=HYPERLINK("https://example.org")', "'=1", "@x"]


def test_long_elements_are_refused_after_normalisation_too() -> None:
    """Some characters become two."""
    problems = problems_of(definition(normalization="raw", dictionary=["\u0958" * 500]))
    assert "too long" in problems[0]


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
