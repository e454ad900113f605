"""Thresholded: below the minimum nothing is seen on a page, in an export, through the API or in the admin."""

import re
from collections.abc import Callable

import numpy as np
import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse

from reports.models import ApiToken, DeviceRecord, Histogram, HistogramEntry, Version
from reports.models.uploads import utc_today
from tests.promises.addresses import addresses
from tests.promises.conftest import World
from tests.reports.small_fleet import aggregate, days_ago, define, send

pytestmark = [pytest.mark.exact, pytest.mark.django_db]

# No other number on any page is like this one.
REPORTS = 4_219
SHOWN = re.compile(r"4[,. \u202f\u00a0]?219")


def uploaded(version: Version) -> None:
    send(version, REPORTS, day=days_ago(1))
    aggregate(version)


def from_devices(version: Version) -> None:
    (records,) = version.mechanism.split(
        version.mechanism.privatize_fleet(["apple"], np.zeros(REPORTS, int), np.random.default_rng(1))
    ).values()
    DeviceRecord.objects.bulk_create(
        DeviceRecord(version=version, locale="en_US", stream="element", day=utc_today(), record=record.tobytes())
        for record in records
    )


@pytest.mark.parametrize("arrive", [uploaded, from_devices])
def test_fewer_than_the_minimum_are_nowhere(
    arrive: Callable[[Version], None], world: World, bob: User, client: Client
) -> None:
    """Not even how many they are, to those who may only look."""
    few = define(slug="few", title="Few", minimum_reports=10_000)
    arrive(few)
    assert not Histogram.objects.filter(version=few).exists()
    client.force_login(bob)
    seen = 0
    for address in addresses():
        if "slug" in address.arguments:
            values = world.examples.get(address.name, {}) | {"slug": "few"}
            answer = client.get(address.path(values), follow=True)
            seen += answer.status_code == 200
            assert not SHOWN.search(answer.getvalue().decode()), address.name
    assert seen > 2
    for name in ("use_case_csv", "use_case_json", "api_histogram"):
        assert client.get(reverse(name, args=["few"])).status_code == 404
    _token, secret = ApiToken.create("reader", may_read=True)
    bearer = {"authorization": f"Bearer {secret}"}
    assert Client(headers=bearer).get(reverse("api_histogram", args=["few"])).status_code == 404
    with pytest.raises(CommandError, match="No histogram is published"):
        call_command("export", "few")
    client.force_login(User.objects.create_superuser("root", password="password"))
    page = client.get(reverse("admin:reports_histogram_changelist"))
    assert "Few" not in page.content.decode().split('id="result_list"')[1].split("</table>")[0]


def test_what_does_not_stand_out_is_nowhere(world: World, bob: User, client: Client) -> None:
    """In a published histogram: fruits that nobody reported are above no threshold, and in no answer."""
    shown = HistogramEntry.objects.filter(histogram__version=world.counted).values_list("element", flat=True)
    absent = {"elderberry", "fig"}  # and dates, but that is a word of pages
    assert not absent & set(shown)
    client.force_login(bob)
    for name in ("use_case", "use_case_csv", "use_case_json", "api_histogram"):
        answer = client.get(reverse(name, args=["fruits"]), follow=True)
        assert answer.status_code == 200
        text = answer.getvalue().decode()
        assert "apple" in text
        for element in absent:
            assert not re.search(rf"\b{element}\b", text), name
