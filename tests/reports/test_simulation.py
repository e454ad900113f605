"""Simulations: copies that take simulated reports alone, counted as any others, marked, and removed."""

import io
from pathlib import Path

import numpy as np
import pytest
from django.conf import settings
from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.test import Client

from reports.access import use_cases
from reports.collection.ingest import Upload, UploadRefused, ingest
from reports.jobs import finish_inline
from reports.models import Batch, ReadOut, Run, Shard, UseCase, Version
from reports.privacy import site_document
from reports.results import HistogramQuery, histogram_view
from reports.simulation import Fleet, remove_simulation, start_simulation, zipf_shares
from reports.simulation.made_up import made_up_shares
from tests.reports.small_fleet import define

pytestmark = [pytest.mark.exact, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def simulated() -> Version:
    """A copy of a use case about fruits, whose simulated reports were counted."""
    simulation = finish_inline(start_simulation(define(), 600, 2))
    run = finish_inline(Run.objects.get(version=simulation.version))
    assert (simulation.failure, run.failure, run.state) == ("", "", Run.State.FINISHED)
    return simulation.version


def test_simulated_reports_are_counted_and_published_as_any_others(simulated: Version) -> None:
    copy = simulated.use_case
    assert (copy.title, copy.slug) == ("Fruits (simulation)", "fruits-simulation")
    assert sorted(simulated.read_outs.values_list("n", flat=True)) == [150] * 4
    shown = histogram_view(copy, HistogramQuery(locale="en_US")).histogram
    assert shown is not None
    (of_locale, _other) = made_up_shares(simulated)
    assert (shown.n, shown.entries.elements[0]) == (300, of_locale.elements[0])


def test_simulated_reports_and_those_of_devices_never_mix(simulated: Version, client: Client) -> None:
    real = Version.objects.get(use_case__slug="fruits")
    for version, sent_as_simulated in ((simulated, False), (real, True)):
        fleet = Fleet(version, zipf_shares(version)[0], np.random.default_rng(1))
        body = next(fleet.documents(10)).encode()
        with pytest.raises(UploadRefused):
            ingest(Upload(io.BytesIO(body), "json"), UseCase.objects.all(), simulated=sent_as_simulated)
    asked = client.get("/api/v1/device-configuration/").json()["use_cases"]
    assert [each["slug"] for each in asked] == ["fruits"]
    root = User.objects.create_superuser("root")
    assert {each.slug for each in use_cases(root, "upload")} == {"fruits"}
    assert [each["title"] for each in site_document(root)["use_cases"]] == ["Fruits"]
    simulated.use_case.title = "Fruits"
    with pytest.raises(ValidationError, match="has to end in"):
        simulated.use_case.full_clean()


def test_removed_simulation_leaves_neither_rows_nor_files(simulated: Version) -> None:
    files = [each.file_name for model in (Shard, ReadOut) for each in model.objects.all()]
    assert files
    remove_simulation(simulated.use_case)
    assert [model.objects.count() for model in (UseCase, Version, Batch, Run)] == [1, 1, 0, 0]
    left = {path.name for path in Path(settings.DATA_DIR).rglob("*")}
    assert not left & {Path(name).name for name in files}
    with pytest.raises(ValueError, match="no simulation"):
        remove_simulation(UseCase.objects.get())


def test_without_a_dictionary_there_is_nothing_to_simulate() -> None:
    version = define()
    version.dictionary_revisions.all().delete()
    with pytest.raises(ValidationError, match="nothing to simulate"):
        start_simulation(version, 100, 1)
