"""The client for notebooks as a wheel, made of its source here: users of the site can install the one that fits it."""

import base64
import hashlib
import io
import tomllib
import zipfile
from functools import cache
from typing import Final

from django.conf import settings
from django.contrib.auth.decorators import login_not_required
from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse
from django.views.decorators.http import require_safe

_SOURCE: Final = settings.BASE_DIR / "clients" / "python"
_PACKAGE: Final = "ldpsite_client"
# The earliest that archives can say, so that the same source is the same wheel.
_WHEN: Final = (1980, 1, 1, 0, 0, 0)


@login_not_required
@require_safe
def client_wheel(request: HttpRequest, name: str) -> HttpResponse:
    """Answer with the wheel. It is for everybody: programs that install it have no login, and it holds no secret."""
    known, content = wheel()
    if name != known:
        raise Http404
    return HttpResponse(content, content_type="application/zip")


def install_command(request: HttpRequest) -> str:
    """Return what installs the client from this site, with what data frames and charts need."""
    address = request.build_absolute_uri(reverse("client_wheel", args=[wheel()[0]]))
    return f"pip install 'ldpsite-client[pandas,plot] @ {address}'"


@cache
def wheel() -> tuple[str, bytes]:
    """Return the wheel's name and content; the format is PEP 427's."""
    project = tomllib.loads((_SOURCE / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    stem = f"{_PACKAGE}-{project['version']}"
    files = {
        f"{_PACKAGE}/{path.name}": path.read_bytes()
        for path in sorted((_SOURCE / _PACKAGE).iterdir())
        if path.suffix == ".py" or path.name == "py.typed"
    }
    files[f"{_PACKAGE}/LICENSE"] = (settings.BASE_DIR / "LICENSE").read_bytes()
    info = f"{stem}.dist-info"
    files[f"{info}/METADATA"] = _metadata(project)
    files[f"{info}/WHEEL"] = b"Wheel-Version: 1.0\nGenerator: ldpsite\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    lines = [f"{name},sha256={_digest(content)},{len(content)}\n" for name, content in files.items()]
    files[f"{info}/RECORD"] = f"{''.join(lines)}{info}/RECORD,,\n".encode()
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(zipfile.ZipInfo(name, _WHEN), content, zipfile.ZIP_DEFLATED)
    return f"{stem}-py3-none-any.whl", written.getvalue()


def _metadata(project: dict[str, object]) -> bytes:
    extras: dict[str, list[str]] = project["optional-dependencies"]  # type: ignore[assignment]
    needed: list[str] = project["dependencies"]  # type: ignore[assignment]
    lines = [
        "Metadata-Version: 2.1",
        f"Name: {project['name']}",
        f"Version: {project['version']}",
        f"Summary: {project['description']}",
        f"Requires-Python: {project['requires-python']}",
        *(f"Requires-Dist: {each}" for each in needed),
        *(f"Provides-Extra: {extra}" for extra in extras),
        *(f"Requires-Dist: {each}; extra == '{extra}'" for extra, those in extras.items() for each in those),
    ]
    return "\n".join([*lines, ""]).encode()


def _digest(content: bytes) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
