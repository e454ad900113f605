"""The three doors into the ingestor that programs use. What one refuses, all refuse, for the same reason."""

import json
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from io import BytesIO, StringIO
from pathlib import Path
from typing import Any, Literal

import pytest
from django.core.management import call_command
from django.test import Client

from reports.collection.ingest import SUFFIXES, Encoding, Upload, UploadRefused, ingest
from reports.models import ApiToken, UseCase
from reports.web.api.problem_details import TYPE
from tests.reports.factories import packed


@dataclass
class Outcome:
    """Answer to a sender."""

    kind: str  # "stored", "duplicate", or the kind of refusal
    accepted: int = 0
    rejected: dict[str, int] = field(default_factory=dict)
    errors: list[dict[str, Any]] = field(default_factory=list)
    batch: str | None = None
    said: str = ""  # every word of it

    def refused_as(self, kind: str) -> bool:
        """The command only says that something is refused."""
        return self.kind in (kind, "refused") and self.batch is None and self.accepted == 0


Form = Literal["json", "ndjson"]
Door = Callable[..., Outcome]


def through_core(
    body: bytes,
    form: Form = "ndjson",
    *,
    encoding: Encoding = "identity",
    strict: bool = False,
    is_packed: bool = False,
) -> Outcome:
    sent = body if is_packed else packed(body, encoding)
    try:
        receipt = ingest(Upload(BytesIO(sent), form, encoding, None), UseCase.objects.all(), strict=strict)
    except UploadRefused as error:
        errors = list(map(asdict, error.problems))
        return Outcome(str(error.refusal), 0, error.rejected, errors, None, f"{error} {error.detail} {errors}")
    errors = list(map(asdict, receipt.problems))
    kind = "duplicate" if receipt.duplicate else "stored"
    batch = None if receipt.batch is None else str(receipt.batch)
    return Outcome(kind, receipt.accepted, receipt.rejected, errors, batch, repr(receipt) + receipt.in_words())


def through_api(
    body: bytes,
    form: Form = "ndjson",
    *,
    encoding: Encoding = "identity",
    strict: bool = False,
    is_packed: bool = False,
) -> Outcome:
    token = ApiToken.objects.filter(name="door").first()
    if token is not None:
        token.delete()
    _token, secret = ApiToken.create("door", may_ingest=True)
    sent = body if is_packed else packed(body, encoding)
    content_type = "application/json" if form == "json" else "application/x-ndjson"
    headers = {"authorization": f"Bearer {secret}"} | ({} if encoding == "identity" else {"content-encoding": encoding})
    response = Client().post(
        "/api/v1/batches/" + ("?strict=true" if strict else ""),
        sent,
        content_type=content_type,
        headers=headers,
        CONTENT_TYPE=content_type,  # the client leaves it out where the body is empty, and the length with it
        CONTENT_LENGTH=str(len(sent)),
    )
    content = response.json()
    said = response.content.decode() + str(response.headers)
    if response.status_code == 202:
        return Outcome(
            content["status"], content["accepted"], content["rejected"], content["errors"], content["batch"], said
        )
    assert response.headers["Content-Type"] == "application/problem+json"
    assert content["status"] == response.status_code
    return Outcome(content["type"].removeprefix(TYPE), 0, content["rejected"], content["errors"], None, said)


def through_command(
    body: bytes, form: Form = "ndjson", *, encoding: Encoding = "identity", strict: bool = False
) -> Outcome:
    """Upload by the command, which does not say the kind of refusal, nor problems by their fields."""
    suffix = next(suffix for suffix, written in SUFFIXES.items() if written == (form, encoding))
    path = Path.cwd() / f"upload{suffix}"
    path.write_bytes(packed(body, encoding))
    out, err = StringIO(), StringIO()
    arguments = [str(path)] + (["--strict"] if strict else [])
    code: object = 0
    try:
        call_command("ingest", *arguments, stdout=out, stderr=err)
    except SystemExit as leaving:
        code = leaving.code
    line = json.loads(out.getvalue())
    assert list(line) == ["batch", "status", "day", "requested_day", "accepted", "rejected"]
    assert code == (1 if line["status"] == "refused" else 0)
    if code:
        assert err.getvalue().startswith(f"{path}: ")
    return Outcome(
        line["status"], line["accepted"], line["rejected"], [], line["batch"], out.getvalue() + err.getvalue()
    )


DOORS: dict[str, Door] = {"core": through_core, "api": through_api, "command": through_command}
ALL_DOORS = pytest.mark.parametrize("door", DOORS.values(), ids=DOORS.keys())
