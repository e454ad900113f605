"""A host name as real networks have them, from the device that sees it to the histogram that shows it."""

import io
from pathlib import Path

import pytest

from aggregation.device import Answer, Device, Observed, Sending
from reports.collection.devices import published
from reports.collection.ingest import Upload, ingest
from reports.models import Histogram, UseCase
from tests.reports.small_fleet import aggregate, define, estimates

pytestmark = [pytest.mark.exact, pytest.mark.django_db]

HOST = "r5---sn-najern7r.googlevideo.com"
REPORTS = 200


def test_a_host_with_hyphens_in_the_third_and_fourth_place_is_counted(tmp_path: Path) -> None:
    version = define(
        normalization="domain",
        locales=["und"],
        dictionary=[HOST, "www.example.org"],
        parameters={"epsilon": 16, "k": 64, "m": 64, "seed": "0f" * 16},
        daily_limit=REPORTS,
    )
    accepted = []

    def upload(_method: str, _url: str, _headers: object, body: bytes | None) -> Answer:
        accepted.append(ingest(Upload(io.BytesIO(body or b""), "json"), UseCase.objects.all()).accepted)
        return Answer(202, b"{}")

    device = Device(tmp_path / "device", transport=upload)
    device.opt_in(16 * REPORTS)
    device.configure(published().body)
    for text in (HOST, HOST.upper() + "."):
        assert {device.observe("fruits", text, "und") for _ in range(REPORTS // 2)} == {Observed.HELD}
    for refused in ("192.168.0.1", "a.b.0x7f", "r5---sn-najern7r", "r5---sn_najern7r.googlevideo.com"):
        assert device.observe("fruits", refused, "und") is Observed.NOT_REPORTED
    assert device.send("https://reports.example.org", at_once=True).outcome is Sending.ACCEPTED
    assert accepted == [REPORTS]
    aggregate(version)
    histogram = Histogram.objects.get()
    assert histogram.n == REPORTS
    assert estimates(histogram).keys() == {HOST}
