"""Reads catalogues of messages, as `make messages` writes them."""

import ast
import gettext
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

_FIELD = re.compile(r'^(msgctxt|msgid_plural|msgid|msgstr(?:\[\d+\])?) ((?:"(?:[^"\\]|\\.)*"\n?)+)', re.MULTILINE)


@dataclass(frozen=True)
class Entry:
    context: str | None
    # The message, and its plural if it has one.
    messages: tuple[str, ...]
    # One for each form of plural of the language.
    translations: tuple[str, ...]
    fuzzy: bool

    @property
    def key(self) -> str:
        """As compiled catalogues have it."""
        return self.messages[0] if self.context is None else f"{self.context}\x04{self.messages[0]}"


def entries(path: Path) -> Iterator[Entry]:
    """All but the first, which describes the catalogue itself."""
    for block in path.read_text(encoding="utf-8").split("\n\n")[1:]:
        fields = [(name, _text(quoted)) for name, quoted in _FIELD.findall(block)]
        if fields:
            yield Entry(
                context=dict(fields).get("msgctxt"),
                messages=tuple(text for name, text in fields if name.startswith("msgid")),
                translations=tuple(text for name, text in fields if name.startswith("msgstr")),
                fuzzy="\n#, fuzzy" in f"\n{block}",
            )


def _text(quoted: str) -> str:
    return "".join(ast.literal_eval(line) for line in quoted.splitlines())


def compiled(path: Path) -> dict[str, tuple[str, ...]]:
    """Return the contents of a compiled catalogue, by key."""
    with path.open("rb") as file:
        catalogue: dict[str | tuple[str, int], str] = gettext.GNUTranslations(file)._catalog  # type: ignore[attr-defined]
    found: dict[str, dict[int, str]] = {}
    for key, text in catalogue.items():
        name, form = key if isinstance(key, tuple) else (key, 0)
        found.setdefault(name, {})[form] = text
    return {name: tuple(forms[form] for form in sorted(forms)) for name, forms in found.items() if name}
