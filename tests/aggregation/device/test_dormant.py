"""A device does nothing before its owner opts in, and nothing after its owner opted out."""

import hashlib
import json
import os
import secrets
from typing import Any

import pytest

from aggregation.device import Delivery, DeviceError, Observed, Sending
from aggregation.device.configuration import UseCase
from aggregation.mechanisms import HadamardCountMeanSketch
from tests.aggregation.device.helpers import CONFIGURATION, SERVER, Bench

pytestmark = pytest.mark.exact


@pytest.fixture
def unused(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let whatever computes or draws fail."""

    def fails(*args: Any, **options: Any) -> Any:
        raise AssertionError("something was computed")

    monkeypatch.setattr(os, "urandom", fails)
    monkeypatch.setattr(secrets, "randbits", fails)
    monkeypatch.setattr(UseCase, "element", fails)
    monkeypatch.setattr(HadamardCountMeanSketch, "privatize", fails)


def test_a_new_device_records_and_computes_nothing(bench: Bench, unused: None) -> None:
    assert bench.device.observe("energy", "www.example.org", "und") is Observed.DORMANT
    assert bench.device.send(SERVER) == Delivery(Sending.DORMANT)
    assert bench.device.stored() == bench.device.sent() == []
    bench.device.opt_out()
    with pytest.raises(DeviceError, match="opt in first"):
        bench.device.configure(CONFIGURATION)
    with pytest.raises(DeviceError, match="opt in first"):
        bench.device.fetch_configuration(SERVER)
    assert not bench.folder.exists()
    assert not bench.server.requests


def test_a_device_whose_owner_opted_out_neither(bench: Bench, request: pytest.FixtureRequest) -> None:
    bench.ready().observe("energy")
    bench.device.opt_out()
    before = bench.text
    request.getfixturevalue("unused")
    assert bench.device.observe("energy", "www.example.org", "und") is Observed.DORMANT
    assert bench.device.send(SERVER) == Delivery(Sending.DORMANT)
    assert bench.text == before
    assert not bench.server.requests


def test_the_patches_would_be_noticed(bench: Bench, request: pytest.FixtureRequest) -> None:
    bench.ready()
    request.getfixturevalue("unused")
    with pytest.raises(AssertionError, match="something was computed"):
        bench.observe("energy")


def test_opting_out_deletes_everything_but_the_days_of_the_last_document_and_configuration(bench: Bench) -> None:
    bench.ready().observe("energy")
    bench.observe("emoji", text="😂", locale="fr_FR")
    assert bench.send_all_due() == {"energy": 1, "emoji": 1}
    bench.observe("memory", 3)
    bench.device.opt_out()
    kept = json.loads(bench.text)
    assert (kept.pop("version"), kept.pop("spent_on"), kept.pop("spent_epsilon")) == (1, "2026-11-23", "8")
    assert kept.pop("configured_sha256") == hashlib.sha256(CONFIGURATION).hexdigest()
    assert kept.pop("configured_on") == "2026-11-21"
    assert not any(kept.values())
    assert sorted(path.name for path in bench.folder.iterdir()) == ["lock", "state.json"]


def test_before_there_is_a_configuration_nothing_is_held(bench: Bench) -> None:
    bench.device.opt_in(8)
    assert bench.device.observe("energy", "www.example.org", "und") is Observed.NOT_CONFIGURED
    assert bench.device.send(SERVER) == Delivery(Sending.NOT_CONFIGURED)
    assert bench.device.stored() == []


@pytest.mark.parametrize("epsilon", ["", "x", "NaN", "Infinity", 0, -1, "1e400", True, None, 10**7])
def test_consent_is_a_number_above_zero(bench: Bench, epsilon: Any) -> None:
    with pytest.raises(DeviceError, match="number above 0"):
        bench.device.opt_in(epsilon)
    assert not bench.folder.exists()
