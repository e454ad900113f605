"""Links to embedded pages, as owners make them and strangers open them."""

import re
from typing import Any

from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from reports.embedding import make_token
from reports.models import Annotation, Run, UseCase
from tests.reports.web.pages.reading import words

FORM = "/use-cases/fruits/embed/"


def token_of(maker: User, query: str = "", *, page: str = "use_case", days: int | None = 7) -> str:
    return make_token(maker, UseCase.objects.get(slug="fruits"), page, query, days)


def opened(token: str) -> Any:
    """By a stranger."""
    return Client().get(reverse("embed", args=[token]))


def made(client: Client, query: str = "", **choices: object) -> str:
    """The path that the form gives."""
    return link_in(client.post(f"{FORM}?page=use_case&query={query}", {"days": 7, "window": "these"} | choices))


def link_in(answer: Any) -> str:
    assert answer.status_code == 200
    found = re.search(r'<a id="embed-link" href="http://testserver(/embed/[^"/]*/)"', answer.content.decode())
    assert found is not None
    return found[1]


def reports_shown(answer: Any) -> str:
    found = re.search(r"Reports \(n\)</dt><dd>([^<]*)<", words(answer))
    assert found is not None
    return found[1]


def annotate(run: Run, text: str) -> None:
    Annotation.objects.create(use_case=run.version.use_case, day=run.last_day, text=text)
