"""An invented catalogue: films that do not exist, and simulated people who rate them. All of it follows from a seed.

People's tastes are about few directions; most of where a film lies in them its genres, decade and country tell, and the
rest no feature knows. Who likes a film is likelier to have seen it. Ratings are whole numbers from 1 to 5.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np

from ..arrays import Array
from .data import Features, Ratings

FILMS: Final = 2000
PEOPLE: Final = 20_000
GENRES: Final = (
    "drama", "comedy", "thriller", "romance", "action", "crime", "adventure", "horror", "science fiction", "fantasy",
    "family", "animation", "mystery", "war", "history", "documentary", "music", "western",
)  # fmt: skip
DECADES: Final = tuple(range(1950, 2030, 10))
COUNTRIES: Final = ("Avalon", "Borduria", "Carpathia", "Freedonia", "Laputa", "Ruritania", "Syldavia", "Zenda")
_FIRST: Final = (
    "Amber", "Broken", "Crimson", "Distant", "Electric", "Forgotten", "Gentle", "Hidden", "Iron", "Jade", "Last",
    "Midnight", "Northern", "Open", "Paper", "Quiet", "Restless", "Silver", "Tender", "Unlikely", "Velvet", "Wandering",
    "Winter", "Yellow", "Second", "Burning", "Glass", "Hollow", "Lucky", "Salt",
)  # fmt: skip
_SECOND: Final = (
    "Alibi", "Bridge", "Carousel", "Daughter", "Echo", "Ferry", "Garden", "Harbour", "Island", "Journey", "Kingdom",
    "Lantern", "Mirror", "Neighbour", "Orchard", "Passenger", "Question", "River", "Station", "Tailor", "Umbrella",
    "Voyage", "Waltz", "Year", "Letter", "Machine", "Secret", "Sky", "Stranger", "Shore",
)  # fmt: skip
_DIRECTIONS: Final = 8
# Standard deviations of a rating, in stars: by person, by film, by taste, and by mood.
_BY_PERSON: Final = 0.4
_BY_FILM: Final = 0.35
_BY_TASTE: Final = 0.5
_BY_MOOD: Final = 0.65
_MIDDLE: Final = 3.5
# Shares of what features tell of a film's place among tastes, and of how good it is.
_TOLD_OF_TASTE: Final = 0.6
_TOLD_OF_QUALITY: Final = 0.3
# How strongly people choose what they will like, beside how known a film is.
_CHOICE: Final = 1.6
# Ratings by person: the median, and the spread of its logarithm.
_MEDIAN_RATINGS: Final = 39
_SPREAD_OF_RATINGS: Final = 0.7
_FEWEST: Final = 10
_MOST: Final = 400
# Popularity falls like a power of the rank.
_EXPONENT: Final = 0.8
_BLOCK: Final = 1000


@dataclass(frozen=True)
class Film:
    """A film: title, year, country and genres, all of which are public."""

    title: str
    year: int
    country: str
    genres: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class Catalogue:
    """Films with their features, and people's ratings of them; items are named by their titles."""

    films: tuple[Film, ...]
    features: Features
    ratings: Ratings


def invented_catalogue(seed: int, *, films: int = FILMS, people: int = PEOPLE) -> Catalogue:
    """Invent films, people and ratings; one seed always gives the same."""
    rng = np.random.default_rng(seed)
    known = _films(films, rng)
    features = _features(known)
    standard = (features.values - features.values.mean(axis=0)) / np.maximum(features.values.std(axis=0), 1e-9)
    places = np.sqrt(_TOLD_OF_TASTE) * _unit(standard @ rng.standard_normal((standard.shape[1], _DIRECTIONS)))
    places += np.sqrt(1 - _TOLD_OF_TASTE) * rng.standard_normal((films, _DIRECTIONS))
    strengths = np.linspace(3, 1, _DIRECTIONS)
    places *= _BY_TASTE * strengths / np.linalg.norm(strengths)
    quality = np.sqrt(_TOLD_OF_QUALITY) * _unit(standard @ rng.standard_normal((standard.shape[1], 1)))[:, 0]
    quality = _BY_FILM * (quality + np.sqrt(1 - _TOLD_OF_QUALITY) * rng.standard_normal(films))
    ratings = _ratings(places, quality, [film.title for film in known], people, rng)
    return Catalogue(known, features, ratings)


def _unit(columns: Array) -> Array:
    return np.asarray(columns / np.maximum(columns.std(axis=0), 1e-9))


def _films(count: int, rng: np.random.Generator) -> tuple[Film, ...]:
    likely = 1 / np.arange(1, len(GENRES) + 1) ** 0.6
    pairs = rng.permutation(len(_FIRST) * len(_SECOND) * -(-count // (len(_FIRST) * len(_SECOND))))[:count]
    found = []
    for pair in pairs.tolist():
        part, rest = divmod(pair, len(_FIRST) * len(_SECOND))
        first, second = divmod(rest, len(_SECOND))
        number = "" if part == 0 else " " + "I" * (part + 1) if part < 3 else f" {part + 1}"
        genres = rng.choice(len(GENRES), rng.integers(1, 4), replace=False, p=likely / likely.sum())
        year = int(DECADES[0] + (DECADES[-1] + 6 - DECADES[0]) * rng.beta(3, 1.3))
        country = COUNTRIES[min(int(rng.exponential(2)), len(COUNTRIES) - 1)]
        title = f"The {_FIRST[first]} {_SECOND[second]}{number}"
        found.append(Film(title, year, country, tuple(GENRES[place] for place in sorted(genres))))
    return tuple(found)


def _features(films: tuple[Film, ...]) -> Features:
    names = [*GENRES, *(f"{decade}s" for decade in DECADES), *COUNTRIES]
    of_films = [{*film.genres, f"{film.year // 10 * 10}s", film.country} for film in films]
    return Features(np.array([[name in mine for name in names] for mine in of_films], np.float32), names)


def _ratings(places: Array, quality: Array, titles: list[str], people: int, rng: np.random.Generator) -> Ratings:
    films = len(titles)
    known = -_EXPONENT * np.log(rng.permutation(films) + 20) + 0.5 * quality
    users, items, values = [], [], []
    for start in range(0, people, _BLOCK):
        count = min(_BLOCK, people - start)
        liked = rng.standard_normal((count, _DIRECTIONS)) @ places.T
        # The largest of utilities with Gumbel noise are a draw without replacement.
        drawn = (
            known
            + _CHOICE * liked
            - np.log(np.maximum(rng.standard_exponential((count, films), dtype=np.float32), 1e-30))
        )
        sizes = np.exp(rng.normal(np.log(_MEDIAN_RATINGS), _SPREAD_OF_RATINGS, count))
        sizes = np.clip(sizes, _FEWEST, min(_MOST, films // 2)).astype(int)
        ranks = np.argsort(np.argsort(-drawn, axis=1), axis=1)
        person, film = np.nonzero(ranks < sizes[:, None])
        own = _BY_PERSON * rng.standard_normal(count)
        mood = _BY_MOOD * rng.standard_normal(len(person))
        users.append(person + start)
        items.append(film)
        values.append(np.clip(np.round(_MIDDLE + own[person] + quality[film] + liked[person, film] + mood), 1, 5))
    return Ratings(
        np.concatenate(users).astype(np.int32),
        np.concatenate(items).astype(np.int32),
        np.concatenate(values).astype(np.float32),
        [f"person-{number:05}" for number in range(1, people + 1)],
        titles,
    )
