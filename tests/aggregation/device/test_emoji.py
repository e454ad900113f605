"""Where emoji are counted, a text that is not one emoji is not reported."""

import unicodedata
from pathlib import Path

import pytest
from emoji import EMOJI_DATA
from hypothesis import given
from hypothesis import strategies as st

from aggregation.device import Observed
from aggregation.device.emoji import is_one_emoji
from aggregation.normalization import normalize
from tests.aggregation.device.helpers import Bench

pytestmark = pytest.mark.exact

ROOT = Path(__file__).parents[3]
HEART, JOINER, THUMB, FLAG = "❤\ufe0f", "\u200d", "👍", "🏴"

NOT_ONE = {
    "a word": "hello",
    "a letter": "a",
    "a letter beyond ASCII": "é",
    "an ideograph": "漢",
    "a digit": "7",
    "a sign of keycaps alone": "#",
    "punctuation": "!",
    "a smiley of letters": ":)",
    "nothing": "",
    "a space": " ",
    "an emoji and a space": f"{THUMB} ",
    "an emoji and a line end": f"{THUMB}\n",
    "an emoji in words": f"so {THUMB}",
    "an emoji behind a word": f"so{THUMB}",
    "two emoji": THUMB * 2,
    "two flags": "🇫🇷🇩🇪",
    "half a flag": "🇫",
    "half a surrogate pair": "\ud83d",
    "a control character": "\x00",
    "a selector alone": "\ufe0f",
    "a joiner alone": JOINER,
    "a joiner at the end": THUMB + JOINER,
    "a word by joiners": JOINER.join("hello"),
    "letters in circles": JOINER.join("🅢🅔🅒🅡🅔🅣"),
    "letters of flags": JOINER.join("🇸🇪🇨🇷🇪🇹"),
    "a text of tags": FLAG + "".join(chr(0xE0000 + ord(letter)) for letter in "my id") + "\U000e007f",
    "a long word of tags": FLAG + "".join(chr(0xE0000 + ord(letter)) for letter in "secrets") + "\U000e007f",
    "tags on another picture": f"{THUMB}\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f",
    "a combining accent": f"{THUMB}\u0301",
    "very many pictures": JOINER.join(THUMB * 9),
}


def test_every_emoji_is_one_with_and_without_its_selectors() -> None:
    """All that are known: also those that lack selectors, and single components."""
    assert len(EMOJI_DATA) > 5000
    assert [each for each in EMOJI_DATA if not is_one_emoji(each)] == []
    assert [each for each in EMOJI_DATA if not is_one_emoji(normalize("emoji", each) or "")] == []


def test_every_emoji_of_the_demo_is_one() -> None:
    listed = (ROOT / "reports/demo/emoji.txt").read_text(encoding="utf-8").splitlines()
    assert len(listed) > 2000
    assert [each for each in listed if not is_one_emoji(each)] == []


@pytest.mark.parametrize("text", NOT_ONE.values(), ids=NOT_ONE)
def test_what_is_no_emoji_is_not_reported(bench: Bench, text: str) -> None:
    assert not is_one_emoji(text)
    bench.ready()
    before = bench.text
    assert bench.device.observe("emoji", text, "en_US") is Observed.NOT_REPORTED
    assert bench.text == before


@pytest.mark.parametrize("text", [HEART, "❤", "7\ufe0f\u20e3", "🇫🇷", "🏳️‍🌈", "👩🏽‍🚀", THUMB], ids=ascii)
def test_an_emoji_is_reported(bench: Bench, text: str) -> None:
    bench.ready()
    assert bench.device.observe("emoji", text, "en_US") is Observed.HELD


def test_no_letter_digit_space_or_control_is_part_of_one_but_for_keycaps_and_an_information_sign() -> None:
    pictures = {chr(number) for number in range(0x110000) if is_one_emoji(chr(number))}
    assert len(pictures) > 3000
    assert {each for each in pictures if unicodedata.category(each)[0] in "LMZC"} - {"ℹ"} == {
        each for each in pictures if unicodedata.category(each) == "Cn"
    }
    assert not any(each.isdecimal() for each in pictures)


LETTERS = st.characters(categories=["L", "Nd", "Z", "P", "Cc"], exclude_characters="ℹ#*〰〽")


@given(st.text(LETTERS, min_size=1), st.sampled_from(["", THUMB, HEART, JOINER]), st.text(LETTERS))
def test_no_text_with_ordinary_characters_is_one(before: str, emoji: str, after: str) -> None:
    assert not is_one_emoji(before + emoji + after)
