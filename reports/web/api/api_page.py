"""The API's description for people: made here, from the same document, so that nothing is loaded from elsewhere."""

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any, NamedTuple, cast

from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.template.loader import render_to_string
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from reports.web.api.api_schema import openapi
from reports.web.client_wheel import install_command
from reports.web.first_lines import first_lines

Schema = Mapping[str, Any]

_REFERENCE = "#/components/schemas/"
# Headings of operations, by their tags, in the order of the page.
_SECTIONS = {
    "results": "Results",
    "lists": "What there is to read",
    "training": "Training",
    "collecting": "Uploads",
    "devices": "Devices",
    "description": "This description",
}
# Limits of values, as they are written behind a type.
_LIMITS = {"minimum": "≥ {}", "maximum": "≤ {}", "minItems": "{} or more", "maxItems": "up to {}"}


class Kind(NamedTuple):
    """Range of a value in words, and the document that it is, if it is one."""

    words: str
    document: str = ""


@require_safe
def api_page(request: HttpRequest) -> HttpResponse:
    context = {
        "description": _description(),
        "install": install_command(request),
        "lines": first_lines(request, cast(User, request.user), _("your token")),
    }
    return render(request, "reports/api.html", context)


@cache
def _description() -> str:
    described = openapi()
    operations = list(_operations(described["paths"]))
    schemas: Mapping[str, Schema] = described["components"]["schemas"]
    context = {
        "sections": [
            (heading, [each for each in operations if tag in each["tags"]]) for tag, heading in _SECTIONS.items()
        ],
        "documents": [
            {**schema, "name": name, "fields": _properties(schema)} for name, schema in sorted(schemas.items())
        ],
    }
    return render_to_string("reports/_api_description.html", context)


def _operations(paths: Mapping[str, Any]) -> Iterator[Schema]:
    """Yield what the description has of each operation, with the kinds of all values in words."""
    for path, methods in paths.items():
        for method, described in methods.items():
            parameters = sorted(described.get("parameters", ()), key=lambda each: each["in"] != "path")
            yield {
                **described,
                "method": method.upper(),
                "path": path,
                "fields": [{**each, "kind": kind_of(each["schema"])} for each in parameters],
                "body": _kinds(described.get("requestBody", {})),
                "answers": [
                    (status, _kinds(answer), answer["description"])
                    for status, answer in sorted(described["responses"].items())
                ],
            }


def _kinds(content: Mapping[str, Any]) -> list[tuple[str, Kind]]:
    return [(media, kind_of(described["schema"])) for media, described in content.get("content", {}).items()]


def _properties(schema: Schema) -> list[Schema]:
    required = schema.get("required", ())
    return [
        {**each, "name": name, "required": name in required, "kind": kind_of(each)}
        for name, each in schema.get("properties", {}).items()
    ]


def kind_of(schema: Schema) -> Kind:
    """Say in words what a value may be."""
    for part in (schema, *schema.get("allOf", ())):
        if "$ref" in part:
            name = part["$ref"].removeprefix(_REFERENCE)
            return Kind(name, name)
    if choices := schema.get("enum"):
        return Kind(" | ".join("null" if each is None else str(each) for each in choices))
    if alternatives := schema.get("oneOf", schema.get("anyOf")):
        kinds = [kind_of(each) for each in alternatives]
        return Kind(
            " | ".join(kind.words for kind in kinds), next((kind.document for kind in kinds if kind.document), "")
        )
    limits = [said.format(schema[name]) for name, said in _LIMITS.items() if name in schema]
    if schema.get("type") == "array":
        items = kind_of(schema["items"])
        return Kind(", ".join([f"list of {items.words}", *limits]), items.document)
    types = schema.get("type", "any")
    named = " | ".join([types] if isinstance(types, str) else types)
    form = schema.get("format", "")
    return Kind(", ".join([f"{named} ({form})" if form and form != "double" else named, *limits]))
