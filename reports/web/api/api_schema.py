"""The API's description of itself, in the form of OpenAPI; `api_page` shows it to people."""

from functools import cache
from typing import Any

from drf_spectacular.extensions import OpenApiAuthenticationExtension
from rest_framework.request import Request
from rest_framework.response import Response

from reports.web.api import descriptions
from reports.web.api.reading import reads


class TokenScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]
    target_class = "reports.web.api.authentication.ApiTokenAuthentication"
    name = "token"

    def get_security_definition(self, auto_schema: Any) -> dict[str, str]:
        return {"type": "http", "scheme": "bearer", "description": "An API token, made in the admin."}


@descriptions.description
@reads()
def schema(request: Request) -> Response:
    """This description, for all who have a login or a token."""
    return Response(openapi())


@cache
def openapi() -> dict[str, Any]:
    from drf_spectacular.generators import SchemaGenerator  # which the rest of the site starts without

    found: dict[str, Any] = SchemaGenerator().get_schema(request=None, public=True)  # type: ignore[no-untyped-call]
    return found
