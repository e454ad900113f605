"""Data of an evaluation's form, and the text of a page."""

import html
import re
from typing import Any

ASKED = {
    "distributions": ["harmonic", "list"],
    "counts": "tea\t300\nmilk\t200\n",
    "elements": "30",
    "reports": "500",
    "algorithm": "CountMeanSketch",
    "k": "16, 65535",
    "m": "8",
    "epsilon": "2, 4",
    "estimator": "debiased",
    "family": "fixed",
    "repetitions": "20",
    "top": "3",
    "seed": "7",
}


def text(response: Any) -> str:
    """Return the page's text, without tags, in one line."""
    return " ".join(html.unescape(re.sub(r"<[^>]*>", " ", response.content.decode())).split())
