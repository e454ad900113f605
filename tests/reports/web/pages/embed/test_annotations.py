"""Annotations on embedded pages: shown only if who made the link wanted that and may."""

import re
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from reports.models import Annotation, Run
from tests.reports.web.pages.embed.links import FORM, annotate, link_in, token_of
from tests.reports.web.pages.reading import chart, words

pytestmark = [pytest.mark.exact, pytest.mark.django_db]


def test_annotations_are_shown_if_who_makes_the_link_wants_that(published: Run, as_alice: Client) -> None:
    annotate(published, "Release of <b>fruit</b> 2")
    page = f"{FORM}?page=trend&query=element%3Dapple"
    box = re.search(r'<input type="checkbox" name="annotated"[^>]*>', as_alice.get(page).content.decode())
    # Leaving something as it is does not publish it.
    assert box is not None
    assert "checked" not in box[0]
    for window in ("these", "newest"):
        choices = {"days": 7, "window": window}
        shown, hidden = (link_in(as_alice.post(page, choices | more)) for more in ({"annotated": "on"}, {}))
        # A link holds for what is written later, too.
        Annotation.objects.exclude(text__startswith="Release").delete()
        annotate(published, "Written later")
        answer = Client().get(shown)
        happened = re.search(r'<ul class="happened numbered">(.*?)</ul>', words(answer))
        assert happened is not None
        said = re.findall(r"<bdi>(.*?)</bdi>", happened[1])
        assert said == ["Release of &lt;b&gt;fruit&lt;/b&gt; 2", "Written later"]
        assert marks(answer)
        answer = Client().get(hidden)
        assert "Written later" not in answer.content.decode()
        assert "fruit</b>" not in answer.content.decode()
        assert not marks(answer)


def test_what_is_about_all_use_cases_is_shown_only_by_who_may_write_it(
    published: Run, as_alice: Client, alice: User
) -> None:
    annotate(published, "Release of fruit 2")
    Annotation.objects.create(day=published.last_day, text="The site was down")
    for page in ("trend", "element"):
        form = f"{FORM}?page={page}&query=element%3Dapple%26annotated%3Dall"
        User.objects.filter(pk=alice.pk).update(is_superuser=False)
        by_owner = link_in(as_alice.post(form, {"days": 7, "window": "newest", "annotated": "on"}))
        User.objects.filter(pk=alice.pk).update(is_superuser=True)
        by_administrator = link_in(as_alice.post(form, {"days": 7, "window": "newest", "annotated": "on"}))
        unasked = link_in(as_alice.post(form, {"days": 7, "window": "newest"}))
        assert said(by_owner) == ["Release of fruit 2"]
        assert said(by_administrator) == ["Release of fruit 2", "The site was down"]
        assert said(unasked) == []
        # As long as that is so.
        User.objects.filter(pk=alice.pk).update(is_superuser=False)
        assert said(by_administrator) == ["Release of fruit 2"]
    # Links that were made before there was a difference, too.
    assert said(reverse("embed", args=[token_of(alice, "element=apple&annotated=1", page="trend")])) == [
        "Release of fruit 2"
    ]


def said(link: str) -> list[str]:
    """The annotations that a stranger reads."""
    answer = Client().get(link)
    assert answer.status_code == 200
    assert ("The site was down" in answer.content.decode()) == ("The site was down</bdi>" in words(answer))
    happened = re.search(r'<ul class="happened numbered">(.*?)</ul>', words(answer))
    return re.findall(r"<bdi>(.*?)</bdi>", happened[1]) if happened is not None else []


def marks(answer: Any) -> list[Any]:
    """The lines of annotations in the chart."""
    return [shape for shape in chart(answer)["layout"]["shapes"] if shape["name"] == "annotation"]


def test_there_is_no_choice_where_nothing_is_annotated(published: Run, as_alice: Client) -> None:
    for page in ("use_case", "compare"):
        assert 'name="annotated"' not in as_alice.get(f"{FORM}?page={page}&query=").content.decode()
