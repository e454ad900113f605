"""The shipped client of browsers, broken in one place each, to be audited as the shipped one is."""

from pathlib import Path

from aggregation.audit import Client, browser_client
from ldpsite.env import BASE_DIR

SCRIPT = BASE_DIR / "reports" / "static" / "reports" / "device.js"

# A small generator with a state of 32 bits, which Math.imul makes look random.
_GENERATOR = """
let state = 1;
function seeded(array) {
  for (let i = 0; i < array.length; i += 1) {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    array[i] = (t ^ (t >>> 14)) >>> 0;
  }
  return array;
}
"""
_CHANGES = {
    "twice_epsilon": [
        ("flipThreshold(this.epsilon);", "flipThreshold(2 * this.epsilon);"),
        ("flipThreshold(this.epsilon, 2n);", "flipThreshold(this.epsilon);"),
        ("lieThreshold(this.epsilon, 1n, BigInt(g - 1));", "lieThreshold(2 * this.epsilon, 1n, BigInt(g - 1));"),
        ("= lieThreshold(epsilon, BigInt(w)", "= lieThreshold(2 * epsilon, BigInt(w)"),
    ],
    "hot_bit_kept": [
        (
            "bits[await this.family.bucket(element, row, this.m)] ^= 1;",
            "bits[await this.family.bucket(element, row, this.m)] = 1;",
        ),
        ("flipped ? -honest : honest", "flipped ? honest : honest"),
        ("const [lies] = flips(1, this.lieThreshold);", "const lies = 0;"),
    ],
    "own_among_others": [
        ("subsetBelow(this.size - 1, lies", "subsetBelow(this.size - 1 + lies, lies"),
        ("(i < own ? i : i + 1)", "(lies || i < own ? i : i + 1)"),
    ],
    "lies_to_the_own_bucket": [("(honest + 1 + below(this.g - 1)) % this.g", "below(this.g)")],
    "word_and_fragment_sent": [
        (
            "sampledLine(0, await this.words.privatize(element));",
            "`${await this.privatizeFragment(element)}\\n${sampledLine(0, await this.words.privatize(element))}`;",
        ),
        ("return isFragment ?", "return false ?"),
    ],
    "seeded_for_each_report": [
        ("crypto.getRandomValues(", "seeded("),
        ("async privatize(element) {", "async privatize(element) {\n    state = 1;"),
    ],
    "seeded_at_the_start": [("crypto.getRandomValues(", "seeded(")],
}


def broken_browser_client(how: str, folder: Path) -> Client:
    """The script of pages with some of its words replaced; each has to be there."""
    script = SCRIPT.read_text(encoding="utf-8")
    for words, others in _CHANGES[how]:
        assert words in script, f"device.js has changed: correct the list of changes, {words!r} is not in it"
        script = script.replace(words, others)
    if "seeded(" in script:
        script += _GENERATOR
    path = folder / "device.js"
    path.write_text(script, encoding="utf-8")
    return browser_client(path)
