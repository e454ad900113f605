"""Publishing a privacy page, and taking it back, in the form of a use case."""

import pytest
from django.test import Client

from reports.models import UseCase, Version
from tests.reports.web.admin.forms import change, history, use_case_form

pytestmark = [pytest.mark.exact, pytest.mark.django_db]

PAGE = "/use-cases/fruits/privacy/"


def test_its_owner_publishes_and_takes_back(version: Version, as_alice: Client, client: Client) -> None:
    use_case = version.use_case
    form = as_alice.get(change(use_case)).content.decode()
    assert "Everybody who can reach this site, without logging in" in form
    assert client.get(PAGE).status_code == 302
    as_alice.post(change(use_case), use_case_form(use_case, privacy_published="on"))
    assert UseCase.objects.get().privacy_published
    assert client.get(PAGE).status_code == 200
    assert history(use_case)[0] == "Everybody may read its privacy page: no → yes"
    as_alice.post(change(use_case), use_case_form(use_case))
    assert not UseCase.objects.get().privacy_published
    assert client.get(PAGE).status_code == 302
    assert history(use_case)[0] == "Everybody may read its privacy page: yes → no"
