"""The demo's domains: some known, the rest generated, any number of them, always the same."""

import csv
from pathlib import Path

import pytest

from aggregation.normalization import normalize
from reports.demo.domains import domains, generated_names, unlisted, well_known, write_dictionary

pytestmark = pytest.mark.exact


def test_the_well_known_ones() -> None:
    known = well_known()
    assert 200 <= len(known) <= 220
    assert {"video", "shopping", "news", "mail", "maps"} <= {domain.category for domain in known}
    assert all(domain.category for domain in known)


def test_generated_names_are_those_of_every_installation() -> None:
    names = generated_names(1000)
    assert names[:4] == ["malwo.app", "parly.fi", "winbox.se", "jorhub.ca"]
    assert names == generated_names(2000)[:1000]
    assert set(names[:100]) != set(generated_names(100, seed=1))


def test_there_are_not_endlessly_many() -> None:
    with pytest.raises(ValueError, match="not 1,000,000"):
        generated_names(1_000_000)


@pytest.mark.parametrize("size", [5, 300, 250_000])
def test_a_dictionary_has_the_size_asked_for(size: int) -> None:
    found = domains(size)
    elements = [domain.element for domain in found]
    assert len(set(elements)) == len(elements) == size
    assert found[: len(well_known())] == well_known()[:size]
    assert not any(domain.category for domain in found[len(well_known()) :])
    assert [element for element in elements if normalize("domain", element) != element] == []


def test_names_outside_the_dictionary() -> None:
    strange = unlisted(300, 50)
    assert len(set(strange)) == 50
    assert not {domain.element for domain in domains(300)} & set(strange)


def test_the_file_is_csv_with_categories(tmp_path: Path) -> None:
    write_dictionary(tmp_path / "domains.csv", 300)
    with (tmp_path / "domains.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [(row["element"], row["category"]) for row in rows] == [tuple(domain) for domain in domains(300)]
