"""Figures' words on where their numbers come from."""

import pytest
from django.utils import timezone
from django.utils.translation import override

from reports.models import Histogram
from reports.web.pages.provenance_facts import of_version, of_windows
from tests.reports.small_fleet import days_ago, define, define_words

pytestmark = [pytest.mark.exact]


@pytest.mark.django_db
def test_parameters_are_written_as_the_reader_writes_numbers() -> None:
    version = define(parameters={"epsilon": 2.5, "k": 1024, "m": 64, "seed": "0e" * 16})
    for language, epsilon in (("en", "2.5"), ("fr", "2,5")):
        with override(language):
            facts = dict(of_version(version))
        assert (facts["ε"], facts["k"]) == (epsilon, "1024")
        assert "0e" * 16 in facts.values()


@pytest.mark.django_db
def test_parameters_of_fragments_have_their_symbols() -> None:
    facts = dict(of_version(define_words()))
    assert {"ε", "ε′", "k", "k′", "m", "m′"} <= facts.keys()


@pytest.mark.parametrize(("language", "alpha"), [("en", "0.05"), ("fr", "0,05")])
def test_the_rate_of_false_entries_is_written_as_the_reader_writes_numbers(language: str, alpha: str) -> None:
    window = Histogram(locale="en_US", first_day=days_ago(1), last_day=days_ago(1), n=300, threshold=50.0, alpha=0.05,
                       generated_at=timezone.now())  # fmt: skip
    with override(language):
        (said,) = (value for name, value in of_windows([window]) if name.startswith("α"))
    assert said == alpha
