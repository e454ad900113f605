"""Observations of the demo's simulated devices: invented, apart from the emoji and the words."""

import csv
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np

from reports.demo.domains import domains, unlisted
from reports.demo.stories import Arrival, Burst, Chapter, Drift, Weekend
from reports.models import Version
from reports.simulation import Shares, read_shares

DATA = Path(__file__).parent

MANY_DOMAINS, FEW_DOMAINS = 250_000, 25_000
UNLISTED_DOMAINS = 2_000
# Shares of all reports: about the leading domains, and about domains that no dictionary has. The rest follows Zipf's
# law, or has a shoulder: down to some rank domains come nearly alike, too seldom for the one mechanism, and often
# enough for its twin.
LEADING_SHARE, UNLISTED_SHARE = 0.60, 0.03
SHOULDER, LEADING_SHARE_BEFORE_IT = 260, 0.55
# The law of the leading ones is 1/(rank + 6): the last of thirty is reported a fifth as often as the first.
FLATTENING = 6
# Words are reported in proportion to their frequencies to this power, so that some fifty stand out instead of 35.
WORDS_POWER = 0.5
# Words that the paper names are reported by English keyboards at least as often as the word of this rank, so that
# they stand out, too.
PAPER_LOCALE, PAPER_RANK = "en", 20


class Remark(NamedTuple):
    """An annotation that comes with the reports of a day, so many days before the demo was set up."""

    back: int
    text: str
    # Whether it is about all use cases.
    everywhere: bool = False


class Fleet(NamedTuple):
    """The devices that report about one use case."""

    slug: str
    # For each report about emoji.
    reports: float
    # Shares that they observe as a rule, and what changes these from day to day.
    shares: Callable[[Version], list[Shares]]
    story: tuple[Chapter, ...] = ()
    remarks: tuple[Remark, ...] = ()
    # For so many weeks there are reports.
    weeks: int = 4
    # Whether its reports are counted when the newest week is complete, without something to see before.
    at_once: bool = False
    # The older use case that it is the twin of: the same question by another mechanism.
    twin_of: str = ""


def shares_of_file(name: str, version: Version) -> list[Shares]:
    return read_shares(DATA / name, version)


def shares_of_words(version: Version) -> list[Shares]:
    """Words by their frequencies, flattened so that dozens of them are found, and among them those of the paper."""
    return [_flattened(of_locale, version) for of_locale in shares_of_file("new_words_by_locale.tsv", version)]


def _flattened(shares: Shares, version: Version) -> Shares:
    weights = dict(zip(shares.elements, (shares.probabilities**WORDS_POWER).tolist(), strict=True))
    if shares.locale == PAPER_LOCALE:
        least = sorted(weights.values(), reverse=True)[PAPER_RANK - 1]
        for word in words_of_the_paper():
            element = str(version.element(word, shares.locale))
            weights[element] = max(weights.get(element, 0.0), least)
    probabilities = np.array(list(weights.values()))
    return replace(shares, elements=tuple(weights), probabilities=probabilities / probabilities.sum())


def words_of_the_paper() -> list[str]:
    with (DATA / "words_of_the_paper.tsv").open(encoding="utf-8", newline="") as file:
        return [row["word"] for row in csv.DictReader(file, delimiter="\t")]


def shares_of_domains(use_case: str, size: int, version: Version, *, shoulder: bool = False) -> list[Shares]:
    """Return shares led by some thirty domains in the use case's own order; all others follow in dictionary order."""
    leading_share = LEADING_SHARE_BEFORE_IT if shoulder else LEADING_SHARE
    leading = dict.fromkeys(leading_domains(use_case))
    others = [domain.element for domain in domains(size) if domain.element not in leading]
    strange = unlisted(size, UNLISTED_DOMAINS)
    ranks = np.arange(1, len(leading) + len(others) + 1)
    first, later = 1 / (ranks[: len(leading)] + FLATTENING), ranks[len(leading) :]
    behind = 1 / (1 + (later / SHOULDER) ** 3) if shoulder else 1 / later
    probabilities = [
        first / first.sum() * leading_share,
        behind / behind.sum() * (1 - leading_share - UNLISTED_SHARE),
        np.full(len(strange), UNLISTED_SHARE / len(strange)),
    ]
    elements = (*leading, *others, *strange)
    return [Shares(locale, elements, np.concatenate(probabilities)) for locale in version.locales]


def leading_domains(use_case: str) -> list[str]:
    with (DATA / "leading_domains.tsv").open(encoding="utf-8", newline="") as file:
        return [row[use_case] for row in csv.DictReader(file, delimiter="\t")]


# So many reports that some thirty bars stand out of the noise of a week, and some fifty words in each locale.
# Of emoji the whole week takes no longer than a day, and words are looked for in the whole week.
EMOJI = Fleet(
    "keyboard-emoji",
    1.0,
    partial(shares_of_file, "emoji_share_by_locale.tsv"),
    story=(
        Weekend(("😎", "😁", "🎶"), 1.6),
        Drift(("🔥",), 0.7, 2.2),
        Drift(("😂",), 1.15, 0.85),
        Burst(("🤩",), 12, times=50, half_life=2, stays=18),
        Burst(("⚽", "🏆"), 5, times=50, half_life=1, locales=("es_ES", "fr_FR")),
    ),
    remarks=(Remark(12, "Keyboard 5.2, which suggests 🤩"), Remark(5, "Championship final", everywhere=True)),
    at_once=True,
)
# A day takes 12 MB for each language: two weeks are enough to say what is new.
WORDS = Fleet(
    "new-words",
    1.5,
    shares_of_words,
    story=(
        Arrival(("pixelo",), 5, added=0.03),
        Drift(("lol",), 1.2, 0.8, locales=("en", "fr")),
        Burst(("mayweather", "mcgregor"), 3, times=3, half_life=1, locales=("en",)),
    ),
    remarks=(Remark(5, "Pixelo, a game, comes out"), Remark(3, "A boxing match")),
    weeks=2,
    at_once=True,
)
HEALTH = Fleet(
    "health-types-edited",
    1.0,
    partial(shares_of_file, "health_type_shares.tsv"),
    story=(
        Weekend(("workouts", "cycling_distance", "swimming_distance"), 2.0),
        Drift(("state_of_mind",), 0.6, 2.0),
        Burst(("medications",), 12, times=2.2, half_life=3, stays=1.3),
    ),
    remarks=(Remark(12, "The phone reminds people to log medications"),),
)
# One release in both use cases: a new way to decode video, and documents that forget what is not on the screen.
BROWSER = (Remark(9, "Browser 31"),)
WEB = (
    Fleet(
        "web-energy",
        2.5,
        partial(shares_of_domains, "energy", MANY_DOMAINS, shoulder=True),
        story=(
            Weekend(("netflix.com", "disneyplus.com", "primevideo.com", "roblox.com"), 1.5),
            Weekend(("meet.google.com", "zoom.us"), 0.3),
            Burst(("youtube.com", "twitch.tv", "vimeo.com"), 9, times=0.5, half_life=1, stays=0.6),
        ),
        remarks=BROWSER,
    ),
    Fleet(
        "web-memory",
        2.5,
        partial(shares_of_domains, "memory", MANY_DOMAINS),
        story=(
            Drift(("slack.com",), 0.6, 1.8),
            Burst(("docs.google.com", "sheets.google.com"), 9, times=0.5, half_life=1, stays=0.5),
        ),
        remarks=BROWSER,
    ),
    Fleet(
        "web-autoplay",
        0.5,
        partial(shares_of_domains, "autoplay", FEW_DOMAINS),
        story=(
            Weekend(("spotify.com", "music.youtube.com", "soundcloud.com", "bandcamp.com"), 1.5),
            Burst(("espn.com",), 5, times=4, half_life=1),
        ),
    ),
)
# Other devices that observe the same and report as often, by another mechanism.
TWINS = (
    WORDS._replace(slug="new-words-sampled", twin_of=WORDS.slug),
    WEB[0]._replace(slug="web-energy-local-hashing", twin_of=WEB[0].slug),
)
ALL = (EMOJI, WORDS, HEALTH, *WEB, *TWINS)
