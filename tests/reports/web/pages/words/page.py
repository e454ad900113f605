"""The page of discovered words: where it is, which words are found, and what it says of one."""

import re

PAGE = "/use-cases/slang/"
FOUND = ["lov", "yeet", "skibid", "rizz", "selfie"]


def row(page: str, word: str) -> str:
    """Return the table's row of a word."""
    rows: list[str] = re.findall(r'<tr role="row"[^>]*> <td.*?</tr>', page)
    return next(row for row in rows if f">{word}</bdi></a> <span" in row)
