"""The browser's half of the format: the script reproduces the exact values, and its chance is what it should be."""

import math
import sys
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any
from urllib.parse import urlsplit

import numpy as np
import pytest
from django.contrib.staticfiles import finders
from emoji import EMOJI_DATA
from playwright.sync_api import Browser, Page, Route
from scipy.stats import binom, chisquare

from aggregation.device.emoji import is_one_emoji
from aggregation.encoding import unpack_buckets, unpack_coordinates
from aggregation.mechanisms import (
    LocalHashing,
    Mechanism,
    SampledFragmentPuzzle,
    SequenceFragmentPuzzle,
    SubsetSelection,
    mechanism_for,
)
from aggregation.normalization import fold_word, normalize
from aggregation.randomness import flip_threshold
from tests.aggregation.device.test_emoji import NOT_ONE
from tests.aggregation.helpers import VECTORS

pytestmark = pytest.mark.browser

SEED = {"seed": "000102030405060708090a0b0c0d0e0f", "hash": "quadratic-m31-v1"}
CMS = ("CountMeanSketch", {"epsilon": 4, "k": 64, "m": 128, **SEED})
HCMS = ("HadamardCountMeanSketch", {"epsilon": 1, "k": 64, "m": 64, **SEED})
FRAGMENTS = {"fragment_epsilon": 3, "fragment_k": 16, "fragment_m": 32}
SFP = ("SequenceFragmentPuzzle", {"epsilon": 2, "k": 16, "m": 64, **FRAGMENTS, "length": 4, **SEED})
SAMPLED = (
    "SampledFragmentPuzzle",
    {"epsilon": 2, "k": 64, "g": 8, "fragment_k": 16, "fragment_g": 9, "fragment_share": 0.6, "length": 4, **SEED},
)
OLH = ("LocalHashing", {"epsilon": 2, "k": 64, "g": 8, **SEED})
DICTIONARY = ["\U0001f600", "\uffee", *(a + b + "c_" for a in "abcd" for b in "abcd")]
SUBSETS = SubsetSelection.of(1, DICTIONARY, 4, other=True)
SS = ("SubsetSelection", SUBSETS.encoded_parameters(), DICTIONARY)
MILLIONTH = 1e-6

Call = Callable[..., Any]


@pytest.fixture(scope="module")
def scripts(browser: Browser) -> Iterator[Page]:
    """A site of an empty page and the scripts, as they are shipped: WebCrypto is there for this machine's own."""
    context = browser.new_context()
    context.route("**/*", answer)
    yield context.new_page()
    context.close()


def answer(route: Route) -> None:
    name = urlsplit(route.request.url).path.removeprefix("/")
    found = finders.find(f"reports/{name}") if name else None
    if found:
        route.fulfill(path=found, content_type="text/javascript")
    else:
        route.fulfill(body="<!doctype html><title>Scripts</title>", content_type="text/html")


@pytest.fixture
def call(scripts: Page) -> Call:
    """Run a line of JavaScript that has `device` and `reading`, the two modules, and `given`."""
    scripts.goto("http://localhost/")
    return lambda body, given=None: run(scripts, body, given)


def run(page: Page, body: str, given: object) -> Any:
    modules = "const [device, reading] = await Promise.all([import('/device.js'), import('/reading.js')]);"
    return page.evaluate(f"async (given) => {{ {modules} {body} }}", given)


# --- Exact values ---


def test_points_rows_and_buckets(call: Call) -> None:
    points = "Promise.all(given.map(async ({ element }) => (await device.pointOf(element)).map(Number)))"
    assert call(f"return {points}", VECTORS["points"]) == [each["x0_x1_y0_y1"] for each in VECTORS["points"]]
    rows = """Promise.all(given.map(async ({ seed, label, j }) =>
        (await new device.Family(seed, label).coefficients(j)).map(Number)))"""
    assert call(f"return {rows}", VECTORS["rows"]) == [each["a0_a1_b0_b1_c"] for each in VECTORS["rows"]]
    buckets = """Promise.all(given.map(({ seed, label, element, j, m }) =>
        new device.Family(seed, label).bucket(element, j, m)))"""
    assert call(f"return {buckets}", VECTORS["buckets"]) == [each["bucket"] for each in VECTORS["buckets"]]
    sums = """given.map(({ a0_a1_b0_b1_c: row, x0_x1_y0_y1: point, m }) =>
        device.bucketOf(row.map(BigInt), point.map(BigInt), m))"""
    assert call(f"return {sums}", VECTORS["arithmetic"]) == [each["bucket"] for each in VECTORS["arithmetic"]]


def test_puzzles_and_fragments(call: Call) -> None:
    puzzles = "Promise.all(given.map(({ seed, padded_word }) => device.puzzleOf(seed, padded_word)))"
    found = call(f"return {puzzles}", VECTORS["puzzle"])
    assert found == [f"{each['puzzle']:02x}" for each in VECTORS["puzzle"]]
    mechanism = mechanism_for(*SFP)
    assert isinstance(mechanism, SequenceFragmentPuzzle)
    body = """
        const sketch = device.mechanismFor(...given.sketch);
        return Promise.all(given.places.map((q) => sketch.fragmentOf(given.word, q)));
    """
    for word in ("abc_", "שלום", "💀é__"):
        expected = [mechanism.fragment_of(word, position) for position in (1, 3)]
        assert call(body, {"sketch": SFP, "word": word, "places": [1, 3]}) == expected


def test_records_as_lines(call: Call) -> None:
    cms, hcms, sfp, olh = (VECTORS["encodings"][name] for name in ("cms", "hcms", "sfp", "local_hashing"))
    sampled = VECTORS["encodings"]["sampled_puzzle"]
    body = """
        const line = ({ j, plus_one_at: ones }, m) =>
          device.bitVectorLine(j, Uint8Array.from({ length: m }, (_, i) => ones.includes(i)));
        const { cms, hcms, sfp, local_hashing: olh, sampled_puzzle: { fragment, word } } = given;
        return [
          line(cms, cms.m),
          device.coordinateLine(hcms.j, hcms.l, hcms.sign),
          device.fragmentLine(sfp.position, line(sfp.fragment, sfp.m), line(sfp.word, sfp.m)),
          device.bucketLine(olh.j, olh.y),
          device.sampledLine(fragment.q, device.bucketLine(fragment.j, fragment.y)),
          device.sampledLine(0, device.bucketLine(word.j, word.y)),
        ];
    """
    assert call(body, VECTORS["encodings"]) == [
        each["record"] for each in (cms, hcms, sfp, olh, sampled["fragment"], sampled["word"])
    ]


def test_share_thresholds(call: Call) -> None:
    shares = "return given.map(({ fragment_share: share }) => String(device.shareThreshold(Number(share))))"
    found = call(shares, VECTORS["fragment_thresholds"])
    assert found == [each["t"] for each in VECTORS["fragment_thresholds"]]


def test_flip_thresholds(call: Call) -> None:
    found = call("return given.map(({ x }) => String(device.flipThreshold(x)))", VECTORS["flip_thresholds"])
    assert found == [each["t"] for each in VECTORS["flip_thresholds"]]
    # As numbers of JSON, and over all that may be asked of a device; halves as bit vectors use them.
    epsilons = [step / 1000 for step in range(1, 16001, 41)] + [16]
    both = "return given.map((x) => [String(device.flipThreshold(x)), String(device.flipThreshold(x, 2n))])"
    decimals = [Decimal(repr(epsilon)) for epsilon in epsilons]
    assert call(both, epsilons) == [[str(flip_threshold(x)), str(flip_threshold(x / 2))] for x in decimals]
    assert call("return String(device.flipThreshold(0))") == str(2**63)


def test_thresholds_of_lies(call: Call) -> None:
    body = "return given.map(([x, v, f]) => String(device.lieThreshold(x, BigInt(v), BigInt(f))))"
    lies, left_out = VECTORS["lie_thresholds"], VECTORS["exclusion_thresholds"]
    asked = [(each["epsilon"], 1, each["g"] - 1) for each in lies]
    asked += [(each["epsilon"], each["w"], each["size"] - each["w"]) for each in left_out]
    assert call(body, asked) == [each["t"] for each in (*lies, *left_out)]


def test_dictionaries_and_subsets(call: Call) -> None:
    vector = VECTORS["encodings"]["subset_selection"]
    assert call("return device.subsetLine(given)", vector["subset"]) == vector["record"]
    assert (
        call("return device.dictionaryDigest(given)", vector["dictionary"]["sorted"]) == vector["dictionary"]["digest"]
    )
    order = "const { elements } = device.mechanismFor(...given); return elements;"
    assert call(order, SS) == sorted(DICTIONARY), "by code points, not by halves of surrogate pairs"
    tried = """
        const mechanism = device.mechanismFor(...given.mechanism);
        try { return await mechanism.privatize(given.element); } catch (error) { return error.message; }
    """
    closed = SubsetSelection.of(16, ["a", "b"], 1)
    sent = [closed.algorithm, closed.encoded_parameters(), ["b", "a"]]
    assert call(tried, {"mechanism": sent, "element": "b"}) == "1"
    assert "not in the dictionary" in call(tried, {"mechanism": sent, "element": "c"})
    assert "parameter dictionary" in call(tried, {"mechanism": [*sent[:2], ["a", "c"]], "element": "a"})


def test_normalisation_as_in_the_vectors(call: Call) -> None:
    body = """return given.map(({ profile, in: text, alphabet = null, length = 10 }) => {
        try { return device.normalize(profile, text, { alphabet, length }); } catch (error) { return error.name; }
    })"""
    # Characters that need the tables of UTS #46 are not guessed.
    expected = [
        "RangeError" if each["profile"] == "domain" and not each["in"].isascii() else each["out"]
        for each in VECTORS["normalization"]
    ]
    assert call(body, VECTORS["normalization"]) == expected
    assert "RangeError" in expected


def test_one_emoji_is_what_it_is_to_the_client_in_python(call: Call) -> None:
    """Every known one, every character, and what is none."""
    characters = [chr(number) for number in range(sys.maxunicode + 1) if not 0xD800 <= number < 0xE000]
    listed = [*EMOJI_DATA, *NOT_ONE.values()]
    expected = [text for text in (*listed, *characters) if is_one_emoji(text)]
    # The browser makes the characters itself: sending them takes ten times as long.
    body = """
        const characters = Array.from({ length: 0x110000 }, (_none, number) => number)
            .filter((number) => number < 0xd800 || number >= 0xe000).map((number) => String.fromCodePoint(number));
        return [...given, ...characters].filter((text) => device.isOneEmoji(text));
    """
    assert call(body, listed) == expected
    assert len(EMOJI_DATA) < len(expected) < len(characters) / 100


def test_normalisation_of_every_character_equals_the_servers(call: Call) -> None:
    """Characters are those that both this Python and the browser, which is newer, know."""
    characters = [
        chr(number)
        for number in range(sys.maxunicode + 1)
        if unicodedata.category(chr(number)) not in {"Cn", "Cs", "Co"}
    ]
    changed = [each for each in characters if fold_word(each, False) != each]
    texts = [
        *changed,
        *"abc漢",
        "ΣΑΣ",
        "Σ",
        "ΑΣ.",
        "İI",
        "e\u0301",
        "J\u030c",
        "\u1100\u1161",
        "a\ufe0f",
        "❤️",
        "_a",
        "a_",
    ]
    assert len(changed) > 2000
    body = """return given.map((text) => [device.normalize("word", text, { length: 4 }),
        device.normalize("word", text, { keepCase: true, length: 4 }), device.normalize("emoji", text)])"""
    found = call(body, texts)
    for text, answers in zip(texts, found, strict=True):
        lower, kept = (normalize("word", text, keep_case=keep, length=4) for keep in (False, True))
        assert answers == [lower, kept, normalize("emoji", text)], [hex(ord(each)) for each in text]
    surrogate = 'return ["emoji", "domain", "word", "raw"].map((profile) => device.normalize(profile, "a\\ud800"))'
    assert call(surrogate) == [None] * 4


HOSTS = [
    "www.example.com", "WWW.Example.COM.", "a.b", "a..b", ".a.b", "a.b..", "localhost", "1.2.3.4", "a.1", "1.a",
    "a.0x1f", "a.0xg", "a.0x", "-a.b", "a-.b", "ab--c.d", "a_b.c", "a b.c", "a.b ", "a:b.c", "", ".", "[::1]",
    "r5---SN-najern7r.googlevideo.com", "-.-", "a.-1", "a-" * 31 + "a.de", "a-" * 32 + ".de",
    "x" * 63 + ".de", "x" * 64 + ".de", ".".join(["abc"] * 63), ".".join(["abc"] * 64), "a@b.c", "a/b.c",
    "A-1.b-2.C3", "a.b\n", "\0a.b", "a" * 4096 + ".b", *(f"a{chr(number)}b.cd" for number in range(128)),
]  # fmt: skip


def test_plain_host_names_equal_the_servers(call: Call) -> None:
    found = call('return given.map((text) => device.normalize("domain", text))', HOSTS)
    assert found == [normalize("domain", host) for host in HOSTS]
    unknown = ["xn--bcher-kva.example", "bücher.example", "a\u00adb.example", "\u212aelvin.example"]
    refused = (
        'return given.map((text) => { try { device.normalize("domain", text); } catch (error) { return error.name; } })'
    )
    assert call(refused, unknown) == ["RangeError"] * len(unknown)


# --- Chance ---


def test_a_bit_flips_below_the_threshold_and_not_at_it(call: Call) -> None:
    t = flip_threshold(Decimal(2))
    low = t & (2**32 - 1)
    drawn = [0, t - 1, t, t + 1, (t - low) - 1, t - low, t - low + 2**32, 2**64 - 1]
    assert 0 < low
    body = """
        const halves = given.drawn.flatMap((text) => [Number(BigInt(text) >> 32n), Number(BigInt(text) & 0xffffffffn)]);
        crypto.getRandomValues = (array) => { array.set(halves.splice(0, array.length)); return array; };
        return Array.from(device.flips(given.drawn.length, BigInt(given.t)));
    """
    assert call(body, {"drawn": [str(each) for each in drawn], "t": str(t)}) == [int(each < t) for each in drawn]


def test_each_flip_has_random_bits_of_its_own(call: Call) -> None:
    body = """
        const own = Crypto.prototype.getRandomValues.bind(crypto);
        const sizes = [];
        crypto.getRandomValues = (array) => { sizes.push(array.byteLength); return own(array); };
        return [device.flips(20000, 2n ** 63n).length, sizes];
    """
    length, sizes = call(body)
    assert length == 20000
    assert sum(sizes) == 8 * 20000
    # More than that in one call is refused by browsers.
    assert max(sizes) <= 65536


def test_uniform_numbers_are_not_biased_towards_small_ones(call: Call) -> None:
    body = """
        const drawn = [...given.drawn];
        crypto.getRandomValues = (array) => { array[0] = drawn.shift(); return array; };
        return [device.below(given.count), drawn.length];
    """
    # 2³² − 1 is a multiple of 3: the last number would make 0 likelier than the others.
    assert call(body, {"count": 3, "drawn": [2**32 - 1, 2**32 - 2]}) == [(2**32 - 2) % 3, 0]
    assert call(body, {"count": 2**16, "drawn": [2**32 - 1, 7]}) == [2**16 - 1, 1]
    assert call(body, {"count": 3 * 2**20, "drawn": [2**32 - 2**20, 2**32 - 2**20 - 1]}) == [3 * 2**20 - 1, 0]


def records(call: Call, sketch: Sequence[Any], element: str, count: int) -> list[str]:
    body = """
        const sketch = device.mechanismFor(...given.sketch);
        const records = [];
        while (records.length < given.count) records.push(await sketch.privatize(given.element));
        return records;
    """
    found: list[str] = call(body, {"sketch": sketch, "element": element, "count": count})
    return found


def assert_binomial(seen: Sequence[int], n: int, chance: float, alpha: float) -> None:
    """That none of the counts is in the outer α/2 of either side."""
    low, high = binom.ppf([alpha / 2, 1 - alpha / 2], n, chance)
    assert low <= min(seen)
    assert max(seen) <= high


def check_bits(
    mechanism: Any, rows: Sequence[int], bits: np.ndarray[Any, Any], elements: Sequence[str], alpha: float
) -> None:
    """Rows are uniform; own bit and others flip as they should. Four statements, at α each."""
    n, pi = len(rows), flip_threshold(mechanism.epsilon / 2) / 2**64
    assert_binomial(np.bincount(rows, minlength=mechanism.k).tolist(), n, 1 / mechanism.k, alpha / mechanism.k)
    hot = [mechanism.family.bucket(element, row, mechanism.m) for element, row in zip(elements, rows, strict=True)]
    own = bits[np.arange(n), hot]
    assert_binomial([int(n - own.sum())], n, pi, alpha)
    assert_binomial([int(bits.sum() - own.sum())], n * (mechanism.m - 1), pi, alpha)
    # Neighbours of the own bit flip independently of it.
    beside = bits[np.arange(n), (np.array(hot) + 1) % mechanism.m]
    assert_binomial([int(((own == 0) & (beside == 1)).sum())], n, pi**2, alpha)


@pytest.mark.statistical
def test_bit_vectors_flip_with_half_of_epsilon(call: Call) -> None:
    """No seed: the chance is the operating system's. A false alarm has a chance of at most 10⁻⁶."""
    mechanism = mechanism_for(*CMS)
    parsed = mechanism.parse_records(records(call, CMS, "❤", 4000))
    assert parsed.rejected == []
    found = parsed.streams["element"]
    rows, bits = found["row"].astype(int).tolist(), np.unpackbits(found["bits"], axis=1)
    check_bits(mechanism, rows, bits, ["❤"] * 4000, MILLIONTH / 4)


@pytest.mark.statistical
def test_signs_flip_with_all_of_epsilon(call: Call) -> None:
    """As above; three statements, at a third of 10⁻⁶ each."""
    mechanism: Any = mechanism_for(*HCMS)
    parsed = mechanism.parse_records(records(call, HCMS, "a.example", 6000))
    assert parsed.rejected == []
    rows, coordinates, positive = unpack_coordinates(parsed.streams["element"], mechanism.m)
    alpha = MILLIONTH / 3
    assert_binomial(np.bincount(rows, minlength=64).tolist(), 6000, 1 / 64, alpha / 64)
    assert_binomial(np.bincount(coordinates, minlength=64).tolist(), 6000, 1 / 64, alpha / 64)
    buckets = [mechanism.family.bucket("a.example", int(row), mechanism.m) for row in rows]
    honest = [int(b & int(c)).bit_count() % 2 == 0 for b, c in zip(buckets, coordinates, strict=True)]
    flipped = int((np.array(honest) != positive).sum())
    assert_binomial([flipped], 6000, flip_threshold(mechanism.epsilon) / 2**64, alpha)


@pytest.mark.statistical
def test_lies_are_as_frequent_as_they_should_be_and_uniform(call: Call) -> None:
    """As above; three statements, at a third of 10⁻⁶ each."""
    mechanism: Any = mechanism_for(*OLH)
    parsed = mechanism.parse_records(records(call, OLH, "❤", 6000))
    assert parsed.rejected == []
    rows, sent = unpack_buckets(parsed.streams["element"], mechanism.g)
    alpha, g = MILLIONTH / 3, mechanism.g
    assert_binomial(np.bincount(rows, minlength=64).tolist(), 6000, 1 / 64, alpha / 64)
    own = np.array([mechanism.family.bucket("❤", int(row), g) for row in rows])
    steps = np.bincount((sent.astype(int) - own) % g, minlength=g).tolist()
    lie = mechanism.lie_threshold / 2**64
    assert_binomial([6000 - steps[0]], 6000, lie, alpha)
    assert_binomial(steps[1:], 6000, lie / (g - 1), alpha / (g - 1))


@pytest.mark.statistical
def test_words_and_their_fragments_flip_each_with_their_own(call: Call) -> None:
    """As above; nine statements, at a ninth of 10⁻⁶ each."""
    mechanism = mechanism_for(*SFP)
    assert isinstance(mechanism, SequenceFragmentPuzzle)
    lines = [line.split(",") for line in records(call, SFP, "abc_", 4000)]
    positions = [int(line[0]) for line in lines]
    assert set(positions) == {1, 3}
    assert_binomial([positions.count(1)], 4000, 0.5, MILLIONTH / 9)
    fragments = {position: mechanism.fragment_of("abc_", position) for position in (1, 3)}
    for sketch, place, elements in (
        (mechanism.fragments, 1, [fragments[position] for position in positions]),
        (mechanism.words, 3, ["abc_"] * 4000),
    ):
        rows = [int(line[place]) for line in lines]
        packed = np.frombuffer(bytes.fromhex("".join(line[place + 1] for line in lines)), np.uint8)
        check_bits(sketch, rows, np.unpackbits(packed.reshape(4000, -1), axis=1), elements, MILLIONTH / 9)


@pytest.mark.statistical
def test_every_subset_is_as_likely_as_it_should_be(call: Call) -> None:
    """No seed: by the counts of all six subsets, at 10⁻⁶."""
    mechanism = SubsetSelection.of(1, ["a", "b", "c", "d"], 2)
    made = records(call, (mechanism.algorithm, mechanism.encoded_parameters(), mechanism.elements), "b", 6000)
    chances = [float(likelihood(mechanism, "b", f"{i},{j}")) for i in range(4) for j in range(i + 1, 4)]
    counts = [made.count(f"{i},{j}") for i in range(4) for j in range(i + 1, 4)]
    assert chisquare(counts, 6000 * np.array(chances)).pvalue > MILLIONTH


@pytest.mark.statistical
def test_words_and_fragments_are_sent_as_often_as_they_should_be(call: Call) -> None:
    """As above; six statements, at a sixth of 10⁻⁶ each."""
    mechanism = mechanism_for(*SAMPLED)
    assert isinstance(mechanism, SampledFragmentPuzzle)
    parsed = mechanism.parse_records(records(call, SAMPLED, "abc_", 6000))
    assert parsed.rejected == []
    sizes, alpha = [len(parsed.streams[stream]) for stream in mechanism.streams], MILLIONTH / 6
    assert_binomial([sizes[0]], 6000, 1 - mechanism.fragment_threshold / 2**64, alpha)
    assert_binomial(sizes[1:2], 6000 - sizes[0], 0.5, alpha)
    for stream, position in (("element", 0), ("fragment-1", 1)):
        sketch, element = mechanism.sketch_of(stream), mechanism.fragment_of("abc_", position) if position else "abc_"
        rows, sent = unpack_buckets(parsed.streams[stream], sketch.g)
        own = np.array([sketch.family.bucket(element, int(row), sketch.g) for row in rows])
        assert_binomial(np.bincount(rows, minlength=sketch.k).tolist(), len(rows), 1 / sketch.k, alpha / sketch.k)
        assert_binomial([int((sent != own).sum())], len(rows), sketch.lie_threshold / 2**64, alpha)


# --- What a record says ---


def likelihood(mechanism: Mechanism, element: str, record: str) -> Fraction:
    """By the definition of the mechanisms, bit by bit."""
    own: Any = mechanism
    fields = record.split(",")
    if isinstance(mechanism, SequenceFragmentPuzzle):
        position = int(fields[0])
        fragment = likelihood(mechanism.fragments, mechanism.fragment_of(element, position), ",".join(fields[1:3]))
        return fragment * likelihood(mechanism.words, element, ",".join(fields[3:])) / len(mechanism.positions)
    if isinstance(mechanism, SubsetSelection):
        lie = Fraction(mechanism.lie_threshold, 2**64)
        others, w = mechanism.size - 1, mechanism.w
        if str(mechanism.index_of(element)) in fields:
            return (1 - lie) / math.comb(others, w - 1)
        return lie / math.comb(others, w)
    if isinstance(mechanism, SampledFragmentPuzzle):
        position, line, share = int(fields[0]), ",".join(fields[1:]), Fraction(mechanism.fragment_share)
        if not position:
            return (1 - share) * likelihood(mechanism.words, element, line)
        of_letters = likelihood(mechanism.fragments, mechanism.fragment_of(element, position), line)
        return share / len(mechanism.positions) * of_letters
    bucket = own.family.bucket(element, int(fields[0]), own.m)
    if isinstance(mechanism, LocalHashing):
        lie = Fraction(mechanism.lie_threshold, 2**64)
        return Fraction((1 - lie if int(fields[1]) == bucket else lie / (own.g - 1)) / own.k)
    if len(fields) == 3:
        flip = Fraction(flip_threshold(own.epsilon), 2**64)
        honest = -1 if (bucket & int(fields[1])).bit_count() % 2 else 1
        return Fraction((1 - flip if int(fields[2]) == honest else flip) / (own.k * own.m))
    bits = np.unpackbits(np.frombuffer(bytes.fromhex(fields[1]), np.uint8)).tolist()
    honest_bits = [int(i == bucket) for i in range(own.m)]
    changed = sum(bit != wanted for bit, wanted in zip(bits, honest_bits, strict=True))
    # In whole numbers: fractions of so many digits are slow to reduce, and are at the end alone.
    part, whole = flip_threshold(own.epsilon / 2), 2**64
    return Fraction(part**changed * (whole - part) ** (own.m - changed), own.k * whole**own.m)


@pytest.mark.parametrize("sketch", [CMS, HCMS, OLH, SFP, SS, SAMPLED], ids=lambda sketch: str(sketch[0]))
def test_likelihoods_are_those_of_the_definition(sketch: Sequence[Any], call: Call) -> None:
    mechanism = SUBSETS if sketch is SS else mechanism_for(*sketch)
    elements = [a + b + "c_" for a in "abcd" for b in "abcd"]
    body = """
        const sketch = device.mechanismFor(...given.sketch);
        const readings = given.elements.map((element) => reading.readRecord(sketch, element, given.record));
        return reading.compare(await Promise.all(readings));
    """
    ratios = set()
    for record in records(call, sketch, "aac_", 12):
        found = call(body, {"sketch": sketch, "elements": elements, "record": record})
        exact = [likelihood(mechanism, element, record) for element in elements]
        for answer, chance in zip(found, exact, strict=True):
            assert math.isclose(answer["ratio"], chance / exact[0], rel_tol=1e-9)
            assert math.isclose(answer["posterior"], chance / sum(exact), rel_tol=1e-9)
            assert math.isclose(
                answer["log10"], math.log10(chance.numerator) - math.log10(chance.denominator), rel_tol=1e-9
            )
            assert abs(math.log(answer["ratio"])) <= float(mechanism.report_epsilon) + 1e-9
            ratios.add(round(math.log(answer["ratio"]), 6))
    assert len(ratios) > 1


# --- What a device is given ---


WRONG: list[dict[str, Any]] = [
    {"epsilon": 0}, {"epsilon": 17}, {"epsilon": "4"}, {"epsilon": 0.0005}, {"m": 100}, {"m": 4}, {"m": 2**21},
    {"k": 0}, {"k": 1.5}, {"k": 2**28}, {"seed": "00"}, {"seed": "0" * 31 + "G"}, {"hash": "another"},
]  # fmt: skip


def test_parameters_outside_the_format_are_refused(call: Call) -> None:
    body = """return given.map((each) => {
        try { device.mechanismFor(...each); return ""; } catch (error) { return error.message; }
    })"""
    for algorithm, parameters in (CMS, HCMS, SFP):
        found = call(body, [[algorithm, parameters], *([algorithm, {**parameters, **change}] for change in WRONG)])
        assert found[0] == ""
        assert [answer.split()[2] for answer in found[1:]] == [name for change in WRONG for name in change]
    wrong: list[dict[str, Any]] = [
        {"g": 1},
        {"g": 2.5},
        {"g": 2**16 + 1},
        {"k": 1},
        {"k": 2**16 + 1},
        {"epsilon": 17},
        {"seed": "00"},
    ]
    found = call(body, [OLH, *([OLH[0], {**OLH[1], **change}] for change in wrong)])
    assert [answer.split()[2] if answer else "" for answer in found] == ["", *(name for one in wrong for name in one)]
    of_subsets: list[dict[str, Any]] = [
        {"epsilon": 0},
        {"w": 0},
        {"w": 19},
        {"size": 18},
        {"other": 1},
        {"dictionary": "0"},
    ]
    found = call(body, [[SS[0], {**SS[1], **change}, DICTIONARY] for change in ({}, *of_subsets)])
    assert [answer.split()[2:3] for answer in found] == [[], *([name] for change in of_subsets for name in change)]
    wrong = [*({"fragment_share": share} for share in (0, 1, 0.0001, 0.1234, "0.5")), {"length": 3}, {"k": 1}]
    found = call(body, [SAMPLED, *([SAMPLED[0], {**SAMPLED[1], **change}] for change in wrong)])
    assert [answer.split()[2] if answer else "" for answer in found] == ["", *(name for one in wrong for name in one)]
    (unknown,) = call(body, [["toString", CMS[1]]])
    assert "no algorithm" in unknown
