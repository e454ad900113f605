"""Uploads as a simulated fleet would send them, with the true counts beside."""

import csv
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aggregation import simulation
from aggregation.normalization import fold_word
from reports.models import Version
from reports.results import unpadded

RECORDS_PER_DOCUMENT = 1000


class SharesError(ValueError):
    """Shares that cannot be had; the message says what is wrong, and of a file which line."""


@dataclass(frozen=True)
class Shares:
    """Distribution of the elements that one locale's devices observe; the probabilities add up to 1."""

    locale: str
    elements: tuple[str, ...]
    probabilities: NDArray[np.float64]


def read_shares(path: Path, version: Version) -> list[Shares]:
    """Read tab-separated locale, element and share, with a line of column names. Raises `SharesError`."""
    found: dict[str, dict[str, float]] = {}
    try:
        rows = list(csv.reader(path.read_text(encoding="utf-8").splitlines(), delimiter="\t", quoting=csv.QUOTE_NONE))
    except (OSError, UnicodeDecodeError) as error:
        raise SharesError(f"{path} cannot be read: {error}") from None
    for number, row in enumerate(rows[1:], 2):
        try:
            locale, text, share = row
            weight = float(share)
        except ValueError:
            raise SharesError(f"{path} line {number}: expected locale, element and share, by tabs") from None
        if locale not in version.locales:
            raise SharesError(f"{path} line {number}: the use case does not have the locale {locale!r}")
        if not 0 <= weight < float("inf"):
            raise SharesError(f"{path} line {number}: the share is not a number from 0 upwards")
        element = version.element(text, locale)
        if not element:
            reason = _why_not_reported(version, text, locale)
            raise SharesError(f"{path} line {number}: not an element that devices report{reason}")
        counts = found.setdefault(locale, {})
        counts[element] = counts.get(element, 0.0) + weight
    empty = [locale for locale, counts in found.items() if not sum(counts.values())]
    if empty or not found:
        raise SharesError(f"{path} has no shares above 0" + "".join(f" for {locale}" for locale in empty[:1]))
    return [
        Shares(locale, tuple(counts), np.array(list(counts.values())) / sum(counts.values()))
        for locale, counts in sorted(found.items())
    ]


def _why_not_reported(version: Version, text: str, locale: str) -> str:
    """Return what is wrong with an element, of words the first bad character; the file is the operator's own."""
    alphabet = version.alphabet_of(locale) if version.normalization == "word" else None
    if not text or alphabet is None:
        return ""
    foreign = next((character for character in fold_word(text, version.keep_case) if character not in alphabet), None)
    return "" if foreign is None else f": {foreign!r} is not in the alphabet of {locale}"


def zipf_shares(version: Version) -> list[Shares]:
    """Return a Zipf distribution for each locale: the dictionary's element of rank r has a share proportional to 1/r.

    Raises `SharesError` if the version has no dictionary.
    """
    revision = version.current_dictionary()
    elements = tuple(revision.elements()) if revision is not None else ()
    if not elements:
        raise SharesError(
            "The use case has no dictionary to draw from. Give a file of shares, or define a dictionary to count."
        )
    weights = 1 / np.arange(1, len(elements) + 1)
    return [Shares(locale, elements, weights / weights.sum()) for locale in version.locales]


class Fleet:
    """Simulates uploads of one locale's devices, and counts what these observed."""

    def __init__(self, version: Version, shares: Shares, rng: np.random.Generator) -> None:
        self.version = version
        self.locale = shares.locale
        self.devices = simulation.Fleet(version.device_mechanism, shares.elements, shares.probabilities, rng)

    @property
    def true_counts(self) -> NDArray[np.int64]:
        return self.devices.true_counts

    def documents(self, reports: int) -> Iterator[str]:
        """Upload documents with `reports` records in all, one JSON text each."""
        for lines in self.devices.lines(reports):
            for first in range(0, len(lines), RECORDS_PER_DOCUMENT):
                yield json.dumps(self._document(lines[first : first + RECORDS_PER_DOCUMENT]))

    def _document(self, records: list[str]) -> dict[str, Any]:
        segment = {
            "use_case": self.version.use_case.slug,
            "locale": self.locale,
            "algorithm": self.version.algorithm,
            "parameters": self.version.mechanism.encoded_parameters(),
            "records": records,
        }
        return {"version": 1, "segments": [segment]}


def simulate(
    version: Version, shares: list[Shares], reports: int, seed: int, documents: Path
) -> list[NDArray[np.int64]]:
    """Write `reports` records, evenly over the locales, as NDJSON; return the true counts of every locale."""
    true_counts = []
    with documents.open("w", encoding="utf-8") as out:
        for position, share in enumerate(shares):
            # Locales draw from independent streams: adding one does not change the others.
            fleet = Fleet(version, share, np.random.default_rng([seed, position]))
            of_locale = reports // len(shares) + (position < reports % len(shares))
            for document in fleet.documents(of_locale):
                out.write(document + "\n")
            true_counts.append(fleet.true_counts)
    return true_counts


def write_truth(path: Path, version: Version, shares: list[Shares], true_counts: list[NDArray[np.int64]]) -> None:
    """Write what was observed as tab-separated locale, element and count; elements as `export` writes them."""
    with path.open("w", encoding="utf-8") as file:
        file.write("locale\telement\tcount\n")
        for share, counts in zip(shares, true_counts, strict=True):
            for element, count in zip(share.elements, counts.tolist(), strict=True):
                file.write(f"{share.locale}\t{unpadded(version, element)}\t{count}\n")
