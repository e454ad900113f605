"""The form of a page's controls, as a browser has it."""

from html.parser import HTMLParser
from typing import Any


class _Form(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.values: dict[str, str] = {}
        self.kinds: dict[str, str] = {}
        self._inside = False
        self._select = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = {name: value or "" for name, value in attrs}
        if tag == "form":
            self._inside = "controls" in found.get("class", "").split()
        elif self._inside and tag == "input":
            self.values[found["name"]] = found.get("value", "")
            self.kinds[found["name"]] = found.get("type", "text")
        elif self._inside and tag == "select":
            self._select = found["name"]
        elif self._inside and tag == "option" and (self._select not in self.values or "selected" in found):
            self.values[self._select] = found["value"]

    def handle_endtag(self, tag: str) -> None:
        if tag == "form":
            self._inside = False


def _read(response: Any) -> _Form:
    form = _Form()
    form.feed(response.content.decode())
    assert form.values
    return form


def sent_by(response: Any, **changed: str) -> dict[str, str]:
    """Return the form's data, with some of its fields changed; an underscore at a name's end is cut off."""
    named = {name.rstrip("_").replace("_", "-"): value for name, value in changed.items()}
    values = _read(response).values
    assert named.keys() <= values.keys()
    return values | named


def kind_of(response: Any, name: str) -> str:
    return _read(response).kinds[name]
