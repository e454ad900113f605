"""The public page "What leaves your device", as the server makes it."""

import html
import json
import math
import re
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from django.contrib.staticfiles import finders
from django.test import Client
from django.urls import reverse

from aggregation.mechanisms import mechanism_for
from aggregation.normalization import PROFILES, normalize
from aggregation.randomness import flip_threshold
from reports.collection.devices.configuration import configuration, published
from reports.models import UseCase
from reports.web.pages.what_leaves.recorded_example import ALGORITHM, PARAMETERS, RECORD, recorded_example
from reports.web.pages.what_leaves.what_leaves_texts import SUGGESTIONS, texts
from tests.reports.small_fleet import define, define_words

pytestmark = [pytest.mark.exact, pytest.mark.django_db]

ADDRESS = "/what-leaves-your-device/"


def page(client: Client) -> str:
    response = client.get(ADDRESS)
    assert response.status_code == 200
    return response.content.decode()


def embedded(text: str, name: str) -> Any:
    found = re.search(rf'<script id="{name}" type="application/json">(.*?)</script>', text, re.DOTALL)
    assert found is not None
    return json.loads(found[1])


def test_strangers_see_it_and_get_no_cookie(client: Client) -> None:
    assert reverse("what_leaves") == ADDRESS
    response = client.get(ADDRESS)
    assert response.status_code == 200
    assert not response.cookies
    assert client.head(ADDRESS).status_code == 200
    assert client.post(ADDRESS, {"typed": "secret"}).status_code == 405
    # With whatever is added to its address, which is not used: nothing of it comes back.
    assert "secret" not in client.get(ADDRESS, {"q": "secret"}).content.decode()


def test_it_is_linked_from_the_login(client: Client) -> None:
    assert f'href="{ADDRESS}"' in client.get(reverse("login")).content.decode()


def test_the_login_is_linked_for_those_who_are_not_logged_in(client: Client, as_bob: Client) -> None:
    link = f'href="{reverse("login")}">Log in</a>'
    assert link in page(client)
    assert link not in client.get(reverse("login")).content.decode()
    assert link not in page(as_bob)


def test_nothing_on_it_can_be_sent(client: Client) -> None:
    text = page(client)
    main = text[text.index("<main") : text.index("</main>")]
    assert "<form" not in main
    fields = re.findall(r"<(?:input|select|textarea)[^>]*>", main)
    assert len(fields) == 3
    assert not [field for field in fields if " name=" in field]
    # A browser's own spelling service may send what is typed to its maker.
    assert 'spellcheck="false"' in main


def test_it_offers_what_devices_are_asked(client: Client) -> None:
    define(title="</script><b>Fruits</b>")
    define_words()
    text = page(client)
    assert embedded(text, "leaves-configuration") == configuration()
    assert published().sha256 in text
    assert "<b>Fruits</b>" not in text
    assert embedded(text, "leaves-locale-names") == {"en_US": "English (United States)", "fr_FR": "French (France)"}
    UseCase.objects.filter(slug="words").update(state=UseCase.State.PAUSED)
    (offered,) = embedded(page(client), "leaves-configuration")["use_cases"]
    assert offered["slug"] == "fruits"


def test_where_nothing_is_asked_there_is_an_example(client: Client) -> None:
    define()
    fields = set(embedded(page(client), "leaves-configuration")["use_cases"][0])
    UseCase.objects.update(state=UseCase.State.ARCHIVED)
    text = page(client)
    (example,) = embedded(text, "leaves-configuration")["use_cases"]
    assert set(example) == fields
    assert mechanism_for(example["algorithm"], example["parameters"]).encoded_parameters() == example["parameters"]
    assert "this site asks devices nothing" in text


def test_suggestions_are_reported_as_they_are() -> None:
    assert set(SUGGESTIONS) == set(PROFILES)
    for profile, suggested in SUGGESTIONS.items():
        elements = [normalize(profile, text, length=16) for text in suggested]
        assert None not in elements
        assert len(set(elements)) == len(suggested) >= 4


# --- The recorded example ---


def test_the_example_is_a_record_of_the_format() -> None:
    mechanism: Any = mechanism_for(ALGORITHM, PARAMETERS)
    example = recorded_example()
    parsed = mechanism.parse_records([example.record])
    assert parsed.rejected == []
    assert example.record == RECORD
    (found,) = parsed.streams["element"]
    bits = np.unpackbits(found["bits"])
    hot = mechanism.family.bucket("❤", int(found["row"]), 1024)
    assert example.ring == (hot % 32, hot // 32)
    squares = re.findall(r"M(\d+) (\d+)h1v1h-1z", example.path)
    assert [32 * int(y) + int(x) for x, y in squares] == np.flatnonzero(bits).tolist()
    assert "".join(f"M{x} {y}h1v1h-1z" for x, y in squares) == example.path
    told = " ".join([*example.sentences, example.picture])
    assert f"bit {hot} " in told
    assert f"{bits.sum()} are 1" in told
    assert "Bit 178 is 1: the noise has left it" in told
    assert "11.9\u00a0%" in told


def test_what_else_the_example_could_have_been() -> None:
    example = recorded_example()
    mechanism: Any = mechanism_for(ALGORITHM, PARAMETERS)
    (record,) = mechanism.parse_records([RECORD]).streams["element"]
    bits, flip = np.unpackbits(record["bits"]), Fraction(flip_threshold(Decimal(2)), 2**64)
    chances = []
    for candidate, text in zip(example.candidates, SUGGESTIONS["emoji"], strict=True):
        own = bits[mechanism.family.bucket(normalize("emoji", text), int(record["row"]), 1024)]
        changed = int(bits.sum()) - 1 if own else int(bits.sum()) + 1
        chances.append(flip**changed * (1 - flip) ** (1024 - changed) / 65536)
        assert (candidate.text, candidate.bit) == (text, own)
        power = -math.log10(chances[-1].numerator) + math.log10(chances[-1].denominator)
        digits = f"{10 ** (power % 1):.1f} × 10"
        exponent = "".join("⁰¹²³⁴⁵⁶⁷⁸⁹"[int(digit)] for digit in str(int(power)))
        assert candidate.chance == f"1 in {digits}{exponent}"
    for candidate, chance in zip(example.candidates, chances, strict=True):
        assert candidate.belief == f"{float(100 * chance / sum(chances)):.1f}\u00a0%"
        assert (candidate.compared == "equally likely") == (chance == chances[0])
        assert candidate.compared in {"equally likely", "54.6 times as likely under “❤️”"}
    bound, belief, verdict = example.conclusions
    assert "more than 54.6 times" in bound
    assert example.candidates[0].belief in belief
    assert f"fits {chances.count(chances[0])} of these inputs equally well" in verdict
    assert 1 < chances.count(chances[0]) < len(chances)


def test_the_example_is_on_the_page_in_full(client: Client) -> None:
    text = html.unescape(page(client))
    example = recorded_example()
    for part in (example.record, example.path, example.picture, *example.sentences, *example.conclusions):
        assert part in text
    assert '<div id="live" hidden>' in text
    assert '<div id="example">' in text
    assert text.count('<th scope="row">') == len(example.candidates)


# --- The script ---

# Things that a device's script has no business with: other chance, clocks, the network, the page, what is kept.
NOT_THERE = (
    "Math.random", "Date", "performance", "fetch", "XMLHttp", "WebSocket", "Beacon", "import ", "import(", "require",
    "document", "window", "navigator", "localStorage", "sessionStorage", "cookie", "indexedDB", "console", "eval",
)  # fmt: skip


def code_of(name: str) -> str:
    path = finders.find(f"reports/{name}")
    assert isinstance(path, str)
    return re.sub(r"//[^\n]*", "", Path(path).read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", ["device.js", "reading.js"])
def test_the_scripts_that_know_what_was_typed_reach_nothing(name: str) -> None:
    code = code_of(name)
    assert [word for word in NOT_THERE if word in code] == []
    used = set(re.findall(r"\bcrypto\.[\w.]+", code))
    assert used == ({"crypto.getRandomValues", "crypto.subtle.digest"} if name == "device.js" else set())


def test_every_text_of_the_script_is_there_and_used() -> None:
    code, known = code_of("what-leaves.js"), texts()
    for profile in PROFILES:
        assert f"label_{profile}" in known
    # Some names are made of what a record is read as.
    kinds = {*re.findall(r'kind(?:: | = )"(\w+)"', code_of("reading.js")), "word"}
    made = {f"own_{kind}" for kind in kinds} | {f"tally_{kind}" for kind in (*kinds, "sampled")}
    assert set(re.findall(r"say\(`(\w+)\$", code)) == {"own_", "tally_", "label_"}
    named = set(re.findall(r'"([a-z]+(?:_[a-z]+)*)"', code)) | made
    assert [name for name in known if not name.startswith("label_") and name not in named] == []
    assert [name for name in (*re.findall(r'say\("(\w+)"', code), *made) if name not in known] == []
    # The script has all values that it fills in: no placeholder is of another kind.
    for text in known.values():
        assert "%" not in re.sub(r"%%|%\(\w+\)s", "", text)
