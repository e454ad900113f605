"""The demo with small dictionaries, alphabets and sketches: what tests use where the size does not matter."""

import json
from functools import partial
from pathlib import Path

import numpy as np

from reports.demo import setup
from reports.demo.fleets import DATA, EMOJI, HEALTH, TWINS, WEB, WORDS, Fleet, shares_of_domains
from reports.demo.loads import version_of
from reports.models import Version
from reports.simulation import Shares
from tests.worlds import once

MANY, FEW = 300, 240
ENERGY, MEMORY, AUTOPLAY = (
    fleet._replace(shares=partial(shares_of_domains, use_case, size))
    for fleet, use_case, size in zip(WEB, ("energy", "memory", "autoplay"), (MANY, MANY, FEW), strict=True)
)
SMALL_WEB = (ENERGY, MEMORY, AUTOPLAY)


def few_words(version: Version) -> list[Shares]:
    return [Shares(locale, ("ab__", "bab_"), np.array([0.5, 0.5])) for locale in version.locales]


SMALL_WORDS = WORDS._replace(shares=few_words, story=())
SMALL_TWINS = (TWINS[0]._replace(shares=few_words, story=()), TWINS[1]._replace(shares=ENERGY.shares))


def write_small_definitions(folder: Path) -> Path:
    """The use cases of `setup.SMALL`, but New words with words of four letters, of which there are two."""
    items = {item["slug"]: item for item in json.loads(setup.SMALL.read_text(encoding="utf-8"))}
    items[WORDS.slug]["alphabet"] = "ab"
    items[WORDS.slug]["parameters"] |= {"k": 64, "m": 64, "fragment_k": 64, "fragment_m": 64, "length": 4}
    for item in items.values():
        if "dictionary" in item:
            item["dictionary"]["file"] = str(DATA / item["dictionary"]["file"])
    path = folder / "use_cases.json"
    path.write_text(json.dumps(list(items.values())), encoding="utf-8")
    return path


def write_small_twins(folder: Path) -> Path:
    """The use cases of `setup.TWINS`, but words as those of `write_small_definitions`."""
    items = json.loads(setup.TWINS.read_text(encoding="utf-8"))
    items[0]["alphabet"] = "ab"
    items[0]["parameters"] |= {"k": 64, "g": 64, "fragment_k": 64, "fragment_g": 64, "length": 4}
    path = folder / "twin_use_cases.json"
    path.write_text(json.dumps(items), encoding="utf-8")
    return path


def define_small_web() -> None:
    setup.define_web(MANY, FEW)


@once
def define(fleet: Fleet = EMOJI) -> Version:
    """The version of a fleet's use case."""
    setup.define_small()
    if fleet not in (EMOJI, HEALTH, WORDS, SMALL_WORDS):
        define_small_web()
    version = version_of(fleet)
    assert version is not None
    return version
