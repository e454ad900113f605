"""The demo's domains: some two hundred that everybody knows, and behind them generated names, up to any size."""

import csv
import random
from functools import cache
from itertools import islice
from pathlib import Path
from typing import NamedTuple

WELL_KNOWN = Path(__file__).parent / "domains.csv"
# Another seed makes other names; every installation of the demo has the same.
SEED = 2017

_BEGINNINGS = (
    "al am ar bal bel ber bor bra bri cal car cas cor cro dal dar del dor dra el em fal far fen fer flo for gal gar"
    " gel gor gra gri hal har hel hol il in jal jor kal kar kel kor lan lar len lor lum mal mar mel mer mon mor nal"
    " nar nel nor ol or pal par pel por pri qual quin ral ran rel ros sal sar sel sil sol sor sta ster tal tar tel"
    " tor tra tri ul um val var vel ver vol wal war wel wil win yor zal zar zel zor"
).split()
_ENDINGS = (
    "aba ado ago ala ama ana ando ano ara aro ata ava ax bay bit box by cast co da deo dex di do dora dy ea eka ela"
    " emi ena era esta eta eva fi fy ga gi go hub ia ibo ica ida iko ila imo ina io ira iso ita ivo ka ki ko la lab"
    " ley li lo loop ly ma mi mo na net ni no nova ola oma on ora ota ova pad pe pia po ra ri ro rum sa shop si so"
    " sta ta ti to tu va ve vi vo wa way wo xa xo ya yo za zi zo"
).split()
_SUFFIXES = (
    "com org net de fr es it nl pl se co.uk com.br com.au co.jp ca ch at be dk fi ie in mx info io app dev shop"
    " site blog"
).split()


class Domain(NamedTuple):
    element: str
    category: str = ""


def generated_names(count: int, seed: int = SEED) -> list[str]:
    """Return so many different names in an order that the seed draws; more of them begin with the same ones."""
    places = _places(seed)
    if len(places) < count:
        raise ValueError(f"There are only {len(places):,} names, not {count:,}.")
    return [_name(place) for place in places[:count]]


@cache
def _places(seed: int) -> list[int]:
    """Shuffle all combinations of a beginning, an ending and a suffix. No two of them spell the same name."""
    places = list(range(len(_BEGINNINGS) * len(_ENDINGS) * len(_SUFFIXES)))
    random.Random(seed).shuffle(places)  # noqa: S311 (nothing is kept secret by it)
    return places


def _name(place: int) -> str:
    place, suffix = divmod(place, len(_SUFFIXES))
    beginning, ending = divmod(place, len(_ENDINGS))
    return f"{_BEGINNINGS[beginning]}{_ENDINGS[ending]}.{_SUFFIXES[suffix]}"


def well_known() -> list[Domain]:
    with WELL_KNOWN.open(encoding="utf-8", newline="") as file:
        return [Domain(row["element"], row["category"]) for row in csv.DictReader(file)]


def domains(size: int) -> list[Domain]:
    """Return a dictionary of so many domains, the well-known ones first; generated ones have no category."""
    known = well_known()[:size]
    return [*known, *(Domain(name) for name in _behind(known, size - len(known)))]


def unlisted(size: int, count: int) -> list[str]:
    """Return so many names that are in no dictionary of this size."""
    known = well_known()[:size]
    return _behind(known, size - len(known) + count)[size - len(known) :]


def _behind(known: list[Domain], count: int) -> list[str]:
    """Return so many generated names other than these domains."""
    elements = {domain.element for domain in known}
    return list(islice((name for name in generated_names(count + len(known)) if name not in elements), count))


def write_dictionary(path: Path, size: int) -> None:
    """Write a dictionary as definition files name it: CSV of element and category."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(Domain._fields)
        writer.writerows(domains(size))
