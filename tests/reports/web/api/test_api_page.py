"""The API's description for people: all of it, from this site alone."""

import re

import pytest
from django.test import Client
from django.urls import reverse

from reports.web.api.api_page import kind_of
from reports.web.api.api_schema import openapi

pytestmark = [pytest.mark.exact, pytest.mark.django_db]


def test_it_says_every_operation_parameter_and_document(as_bob: Client) -> None:
    page = as_bob.get(reverse("api_page")).content.decode()
    described = openapi()
    for path, methods in described["paths"].items():
        for method, operation in methods.items():
            assert f"<code>{method.upper()} {path}</code>" in page
            for parameter in operation["parameters"] if "parameters" in operation else []:
                assert f"<code>{parameter['name']}</code>" in page
    for name, schema in described["components"]["schemas"].items():
        assert f'<summary id="{name}">' in page
        assert all(f"<code>{field}</code>" in page for field in schema["properties"])


def test_every_link_within_it_leads_somewhere_and_it_has_no_script_of_its_own(as_bob: Client) -> None:
    page = as_bob.get(reverse("api_page")).content.decode()
    ids = set(re.findall(r'\bid="([^"]+)"', page))
    assert set(re.findall(r'href="#([^"]+)"', page)) <= ids
    assert re.findall(r"<script(?![^>]*\bsrc=)", page) == []
    assert not re.search(r'(?:src|href)="(?:https?:)?//', page)


@pytest.mark.parametrize(
    ("schema", "words", "document"),
    [
        ({"type": "number", "format": "double"}, "number", ""),
        ({"type": ["string", "null"], "format": "date"}, "string | null (date)", ""),
        ({"type": "integer", "minimum": 1, "maximum": 9}, "integer, ≥ 1, ≤ 9", ""),
        ({"enum": [1, 7]}, "1 | 7", ""),
        ({"$ref": "#/components/schemas/Trend"}, "Trend", "Trend"),
        ({"allOf": [{"$ref": "#/components/schemas/Side"}], "readOnly": True}, "Side", "Side"),
        ({"oneOf": [{"$ref": "#/components/schemas/Side"}, {"type": "null"}]}, "Side | null", "Side"),
        ({"type": "array", "items": {"type": "string"}, "maxItems": 6}, "list of string, up to 6", ""),
        ({"type": "array", "items": {"$ref": "#/components/schemas/Side"}}, "list of Side", "Side"),
    ],
)
def test_what_a_value_may_be_is_said_in_words(schema: dict[str, object], words: str, document: str) -> None:
    assert kind_of(schema) == (words, document)


def test_people_are_led_to_it_and_strangers_are_not(as_bob: Client, client: Client) -> None:
    link = f'href="{reverse("api_page")}"'
    assert link in as_bob.get(reverse("home")).content.decode()
    assert link not in client.get(reverse("privacy")).content.decode()
