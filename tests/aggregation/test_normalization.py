"""Normalisation: the exact values, and what must be one element or none."""

import inspect
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aggregation.errors import ParameterError, shown
from aggregation.normalization import PROFILES, _mapped_domain, fold_word, normalize, normalize_domain
from aggregation.sketches.quadratic import coordinates
from tests.aggregation.helpers import UNHURRIED, VECTORS

pytestmark = pytest.mark.exact

LATIN = "abcdefghijklmnopqrstuvwxyz'"


def test_vectors() -> None:
    options = set(inspect.signature(normalize).parameters)
    for vector in VECTORS["normalization"]:
        given_options: dict[str, Any] = {name: vector[name] for name in vector if name in options - {"profile"}}
        assert normalize(vector["profile"], vector["in"], **given_options) == vector["out"], vector


def test_variants_of_an_emoji_are_one_element() -> None:
    variants = ["\u2764", "\u2764\ufe0f", "\u2764\ufe0e"]
    elements = {normalize("emoji", variant) for variant in variants}
    assert elements == {"\u2764"}
    assert len({coordinates(element or "") for element in elements}) == 1


def test_a_joined_sequence_stays_whole_and_keeps_its_skin_tone() -> None:
    family = "\U0001f468\u200d\U0001f469\u200d\U0001f467"
    assert normalize("emoji", family) == family
    thumb = "\U0001f44d\U0001f3fd"
    assert normalize("emoji", thumb) == thumb


DOMAINS = {
    "Example.COM": "example.com", "example.com.": "example.com", "example\u3002com": "example.com",
    "\u2603.net": "xn--n3h.net", "xn--n3h.net": "xn--n3h.net", "XN--STRAE-OQA.example": "xn--strae-oqa.example",
    "b\u00fccher.example": "xn--bcher-kva.example", "bu\u0308cher.example": "xn--bcher-kva.example",
    "1.2.3.example": "1.2.3.example", "r5---sn-najern7r.googlevideo.com": "r5---sn-najern7r.googlevideo.com",
    "R5---SN-najern7r.GoogleVideo.com.": "r5---sn-najern7r.googlevideo.com", "-a.example": "-a.example",
    "a-.example": "a-.example", "ab--cd.example": "ab--cd.example",
    "b\u00fc--cher-.example": "xn--b--cher--65a.example", "xn--b--cher--65a.example": "xn--b--cher--65a.example",
    "-1.-2": "-1.-2", f"{'a' * 63}.example": f"{'a' * 63}.example",
}  # fmt: skip
# Among them Punycode of a label that begins like Punycode.
NO_DOMAINS = [
    "example.com..", ".example.com", "example..com", "", ".", "example.com:443", "https://example.com",
    "user@example.com", "[::1]", "::1", "127.1", "0x7f.0x1", "1.2.3.4.", "\uff11.\uff12.\uff13.\uff14",
    "xn--xn---epa.example", "xn--\u00e9.example", "xn--a.example", "xn--.example", "xn--abc-.example",
    "xn--bcher-KVA\u00fc.example", f"{'a' * 64}.example", ".".join(["a" * 60] * 5), "a b.example", "\ud800.example",
    "example.com\n", "\u0301a.example", "a\u200db.example", "\u05d0a.example",
]  # fmt: skip


def test_domains() -> None:
    for text, element in (DOMAINS | dict.fromkeys(NO_DOMAINS)).items():
        assert normalize("domain", text) == element, shown(text)


WORDS: list[tuple[str, dict[str, Any], str | None]] = [
    ("Wyd", {}, "wyd_______"), ("Wyd", {"keep_case": True, "alphabet": None}, "Wyd_______"),
    ("Wyd", {"keep_case": True}, None), ("STRASSE", {"length": 4}, "stra"), ("abcdefghij", {}, "abcdefghij"),
    ("", {}, None), ("_", {}, None), ("a b", {}, None), ("abcdefghijk\u00e9", {}, None),
    ("hello", {"local_words": {"hello"}}, None), ("Hello", {"local_words": {"hello"}}, None),
    ("\ud800", {"alphabet": None}, None),
]  # fmt: skip


def test_words() -> None:
    for text, options, element in WORDS:
        assert normalize("word", text, **{"alphabet": LATIN, **options}) == element, (shown(text), options)


def test_a_word_is_folded_before_it_is_cut() -> None:
    assert fold_word("E\u0301TAT", keep_case=False) == "\u00e9tat"
    assert fold_word("E\u0301TAT", keep_case=True) == "\u00c9TAT"
    assert fold_word("Supercalifragilistic", keep_case=False) == "supercalifragilistic"
    assert fold_word(fold_word("\u0130\u1e9e", keep_case=False), keep_case=False) == "i\u0307\u00df"


def test_lower_case_does_not_depend_on_the_locale() -> None:
    assert normalize("word", "I\u0130", alphabet="i\u0307") == "ii\u0307_______"


PLAIN_LABELS = st.sampled_from(
    ["a", "7", "42", "0x1f", "0xg", "a-b", "a--b", "ab--c", "-", "xn--", "xn--n3h", "xn--a", "-a", "a-", "", "A", "a_b"]
)
LABELS = PLAIN_LABELS | st.text(st.sampled_from("abz059-xnA\u00e9\u00ad\n"), max_size=6)
LONG_LABELS = st.integers(60, 65).map(lambda size: "a" * size)


@settings(UNHURRIED, max_examples=200)
@given(st.lists(LABELS | LONG_LABELS, max_size=6), st.sampled_from(["", "", "", ".", "\n", "\u3002"]))
def test_host_names_taken_as_they_stand_are_what_the_rules_make_of_them(labels: list[str], end: str) -> None:
    text = ".".join(labels) + end
    assert normalize_domain(text) == _mapped_domain(text)


def test_lengths_of_host_names() -> None:
    """Also where the last label, the whole name or both are just too long."""
    for text in ("a.b", "host-7.example", "7.a7", "a.0x7", "a.7", "ab--c.de", "a.xn--n3h", "a.b\n"):
        for size in (0, 252, 253, 254, 4097):
            longer = "a." * ((size - len(text)) // 2) + text
            assert normalize_domain(longer) == _mapped_domain(longer), (text, size)


def test_a_text_far_too_long_is_refused_unread(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("aggregation.normalization._mapped_domain", None)
    for character in ("a", ".", "\u00e9", "\u00ad"):
        assert normalize("domain", f"{character * 10_000_000}.example") is None
    assert normalize("domain", "www.example.com") == "www.example.com"


@UNHURRIED
@given(st.sampled_from(PROFILES), st.text())
def test_normalising_twice_changes_nothing(profile: str, text: str) -> None:
    once = normalize(profile, text)
    if once is not None and profile != "word":
        assert normalize(profile, once) == once


@UNHURRIED
@given(st.text(st.sampled_from("abAB\u00e9\u00df\u0130-_.x0123\u3002\u200d\u05d0"), max_size=20))
def test_a_domain_is_ascii_and_stays_itself(text: str) -> None:
    host = normalize("domain", text)
    if host is not None:
        assert host.isascii()
        assert host == host.lower()
        assert normalize("domain", host) == host


def test_a_wrong_length_is_named() -> None:
    lengths: list[Any] = [0, 1, 3, 18, -2, 10**5000, True, 4.0, "4", None]
    for length in lengths:
        with pytest.raises(ParameterError) as caught:
            normalize("word", "a", length=length)
        assert caught.value.field == "length"


def test_an_unknown_profile_is_named() -> None:
    with pytest.raises(ParameterError, match="'hostname'") as caught:
        normalize("hostname", "a")
    assert caught.value.field == "normalization"
