"""The rules of axe-core, for pages under test."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page

AXE = Path(__file__).parent / "node_modules/axe-core/axe.min.js"
# WCAG 2.2, levels A and AA: rules carry the version in which they came.
WCAG = ("wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa")
# With what is good practice beside them.
ALL = (*WCAG, "best-practice")

_RUN = """async (options) => {
  const { violations } = await axe.run(document, { resultTypes: ["violations"], ...options });
  const examples = (nodes) => nodes.slice(0, 3).map(({ html }) => html.slice(0, 160)).join(" | ");
  return violations.map(({ id, nodes }) => `${id}: ${examples(nodes)}`);
}"""


def violations(page: Page, tags: Sequence[str] = ALL, *, only: str | None = None) -> list[str]:
    """Return what breaks a rule of these tags, or that one rule, as the page is now.

    The rules come beside the page's own policy, and to pages that are held against them alone: they are half a megabyte
    to read.
    """
    if not AXE.exists():
        pytest.skip("axe-core is not installed: npm ci --prefix tests/browser")
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE.read_text())
    chosen: dict[str, Any] = {"type": "rule", "values": [only]} if only else {"type": "tag", "values": [*tags]}
    return list(page.evaluate(_RUN, {"runOnly": chosen}))
