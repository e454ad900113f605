"""What the demo's simulated devices observe: invented, apart from the emoji and the words."""

import csv
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np

from reports.demo.domains import domains, unlisted
from reports.models import Version
from reports.simulation import Shares, read_shares

DATA = Path(__file__).parent

MANY_DOMAINS, FEW_DOMAINS = 250_000, 25_000
UNLISTED_DOMAINS = 2_000
# Of all reports: about the leading domains, and about those that no dictionary has. The rest follows Zipf's law.
LEADING_SHARE, UNLISTED_SHARE = 0.60, 0.03
# The law of the leading ones is 1/(rank + 6): the last of thirty is reported a fifth as often as the first.
FLATTENING = 6
# Words are reported in proportion to their frequencies to this power, so that some fifty stand out instead of 35.
WORDS_POWER = 0.5


class Fleet(NamedTuple):
    """The devices that report about one use case."""

    slug: str
    # For each report about emoji.
    reports: float
    shares: Callable[[Version], list[Shares]]
    # Whether its reports are counted when the week is complete, without something to see before.
    at_once: bool = False


def shares_of_file(name: str, version: Version) -> list[Shares]:
    return read_shares(DATA / name, version)


def shares_of_words(version: Version) -> list[Shares]:
    """Words by their frequencies, flattened so that dozens of them are found."""
    shares = []
    for of_locale in shares_of_file("new_words_by_locale.tsv", version):
        flattened = of_locale.probabilities**WORDS_POWER
        shares.append(replace(of_locale, probabilities=flattened / flattened.sum()))
    return shares


def shares_of_domains(use_case: str, size: int, version: Version) -> list[Shares]:
    """Some thirty lead, in an order of their own for each use case; then all others in the order of the dictionary."""
    leading = dict.fromkeys(leading_domains(use_case))
    others = [domain.element for domain in domains(size) if domain.element not in leading]
    strange = unlisted(size, UNLISTED_DOMAINS)
    ranks = np.arange(1, len(leading) + len(others) + 1)
    first, behind = 1 / (ranks[: len(leading)] + FLATTENING), 1 / ranks[len(leading) :]
    probabilities = [
        first / first.sum() * LEADING_SHARE,
        behind / behind.sum() * (1 - LEADING_SHARE - UNLISTED_SHARE),
        np.full(len(strange), UNLISTED_SHARE / len(strange)),
    ]
    elements = (*leading, *others, *strange)
    return [Shares(locale, elements, np.concatenate(probabilities)) for locale in version.locales]


def leading_domains(use_case: str) -> list[str]:
    with (DATA / "leading_domains.tsv").open(encoding="utf-8", newline="") as file:
        return [row[use_case] for row in csv.DictReader(file, delimiter="\t")]


# So many reports that some thirty bars stand out of the noise, and some fifty words in each locale.
# Of emoji the whole week takes no longer than a day, and words are looked for in the whole week.
EMOJI = Fleet("keyboard-emoji", 1.0, partial(shares_of_file, "emoji_share_by_locale.tsv"), at_once=True)
WORDS = Fleet("new-words", 1.5, shares_of_words, at_once=True)
HEALTH = Fleet("health-types-edited", 1.0, partial(shares_of_file, "health_type_shares.tsv"))
WEB = (
    Fleet("web-energy", 2.5, partial(shares_of_domains, "energy", MANY_DOMAINS)),
    Fleet("web-memory", 2.5, partial(shares_of_domains, "memory", MANY_DOMAINS)),
    Fleet("web-autoplay", 0.5, partial(shares_of_domains, "autoplay", FEW_DOMAINS)),
)
