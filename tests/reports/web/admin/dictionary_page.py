"""The page of a version's dictionary, as its owner fills it in."""

from django.core.files.uploadedfile import SimpleUploadedFile
from django.http import HttpResponse
from django.test import Client

from reports.models import Version
from tests.reports.web.admin.forms import page


def paste(client: Client, version: Version, text: str, form: str = "lines") -> HttpResponse:
    return client.post(  # type: ignore[return-value]
        page("version_dictionary", version.pk), {"text": text, "form": form}, follow=True
    )


def upload(client: Client, version: Version, name: str, content: bytes) -> HttpResponse:
    body = {"text": "", "form": "lines", "file": SimpleUploadedFile(name, content)}
    return client.post(page("version_dictionary", version.pk), body, follow=True)  # type: ignore[return-value]


def save(client: Client, version: Version) -> HttpResponse:
    preview = page("version_preview", version.pk)
    token = client.get(preview).context["token"]
    return client.post(preview, {"save": "1", "token": token}, follow=True)  # type: ignore[return-value]


def entries(version: Version) -> list[tuple[str, str, str]]:
    revision = version.current_dictionary()
    return list(revision.entries.values_list("element", "display", "category")) if revision else []


def field_error(response: HttpResponse, field: str) -> str:
    assert response.status_code in (413, 422)
    found: str = response.context["form"].errors[field][0]  # type: ignore[attr-defined]
    return found
