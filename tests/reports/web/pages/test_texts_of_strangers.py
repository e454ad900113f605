"""Texts of strangers stay texts: no element, category or annotation is markup on a page, in a chart or in a file."""

import csv
import html
import io
import json
import re
from urllib.parse import quote

import pytest
from django.test import Client

from reports.models import Annotation
from tests.reports.entries import change_entries
from tests.reports.small_fleet import days_ago, define
from tests.reports.trends import publish_day
from tests.reports.web.pages.reading import PAGE, chart

pytestmark = [pytest.mark.exact, pytest.mark.django_db]

HOSTILE = ("<b>bold</b>", "=1+1", '<a href="//example.org">&quot;</a>', "</script><script>alert(1)</script>")
PAGES = ("", "?group=category", f"?category={quote(HOSTILE[0])}", "compare/", "trend/?days=2")
ELEMENTS = [f"elements/?element={quote(text)}" for text in HOSTILE]
# Tags that charts have of their own.
TAGS = {"<b>", "</b>", "<br>", "<extra>", "</extra>"}


def test_texts_of_strangers_are_texts(as_bob: Client) -> None:
    version = define(dictionary=[{"element": text, "category": text} for text in HOSTILE])
    for locale in version.locales:
        counts = {text: 6000.0 - 1000 * place for place, text in enumerate(HOSTILE)}
        publish_day(version, 1, counts if locale == "en_US" else counts | {HOSTILE[0]: 3500.0}, locale=locale)
    change_entries(values=lambda entry: {"category": entry.element})
    annotation = Annotation.objects.create(use_case=version.use_case, day=days_ago(1), text=HOSTILE[2])
    files = []
    for address in (*PAGES, *ELEMENTS):
        page = as_bob.get(PAGE + address, follow=True)
        text, figure = page.content.decode(), json.dumps(chart(page), ensure_ascii=False)
        for markup in ("<b>bold", '<a href="//example.org', "<script>alert"):
            assert markup not in text, address
            assert markup not in figure, address
        assert set(re.findall("<[^>]*>", figure)) <= TAGS, address
        files += re.findall(r'href="([^"]*\.csv\?[^"]*)"', text)
        if address.startswith("trend"):
            (legend,) = re.findall(r'data-legend="([^"]*)"', text)
            assert html.unescape(legend).endswith(annotation.text)
    for address in map(html.unescape, files):
        rows = list(csv.DictReader(io.StringIO(as_bob.get(address).getvalue().decode())))
        texts = {row[name] for row in rows for name in ("element", "category") if row.get(name)}
        assert texts <= {HOSTILE[0], "'=1+1", *HOSTILE[2:]}, address
        assert len(texts) == (4 if "/elements" not in address and "category=" not in address else 1), address
