"""The tables of figures out of a page, as the server sends it."""

from collections.abc import Sequence
from html.parser import HTMLParser

from tests.reports.web.pages.tables import Shown, Table


class _Cell:
    """A cell: the text in it, and that of the part of it which says what the row is about."""

    def __init__(self, tag: str, given: dict[str, str | None]) -> None:
        self.is_head = tag == "th"
        self.is_about = given.get("scope") == "row"
        self.is_number = "number" in (given.get("class") or "").split()
        self.text = ""
        # By what they are: the element itself, a link, a note on the window ("6 of 7 days …"), or what comes first.
        self.parts = {"element": "", "a": "", "note": "", "first": ""}

    def about(self) -> str:
        return self.parts["element"] or self.parts["a"] or self.parts["first"]


class _Tables(HTMLParser):
    """Every `table.histogram`, with its heads and rows, and apart from these what closes it."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[tuple[str, list[list[_Cell]], list[list[_Cell]]]] = []
        self._inside = False
        self._closing = False
        # Elements that are open within the cell.
        self._open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        classes = (given.get("class") or "").split()
        if tag == "table":
            self._inside, self._closing = "histogram" in classes, False
            if self._inside:
                self.found.append((" ".join(classes), [], []))
        if not self._inside:
            return
        self._closing = self._closing or tag == "tfoot"
        rows = self._rows()
        if tag == "tr":
            rows.append([])
        elif tag in ("th", "td"):
            rows[-1].append(_Cell(tag, given))
            self._open = []
        elif rows and rows[-1]:
            rows[-1][-1].text += " "
            self._open.append(next((part for part in ("element", "note") if part in classes), tag))

    def handle_endtag(self, tag: str) -> None:
        if tag == "table":
            self._inside = False
        elif self._inside and self._open:
            self._open.pop()

    def _rows(self) -> list[list[_Cell]]:
        """Return the rows of the part that is read."""
        _name, rows, closing = self.found[-1]
        return closing if self._closing else rows

    def handle_data(self, data: str) -> None:
        if not self._inside or not self._rows() or not self._rows()[-1]:
            return
        cell = self._rows()[-1][-1]
        if "note" not in self._open:
            cell.text += data
        for part in ("element", "a", "note"):
            if part in self._open:
                cell.parts[part] += data
        if not self._open and not cell.parts["first"].strip():
            cell.parts["first"] += data


def tables_in(page: str) -> list[Table]:
    """The tables of the figures of a page."""
    parser = _Tables()
    parser.feed(page)
    return [
        {
            "name": name,
            "heads": [cell.parts["element"] or cell.text for cell in rows[0]],
            "rows": [_shown(row) for row in rows[1:]],
            "closing": [_shown(row) for row in closing],
        }
        for name, rows, closing in parser.found
    ]


def _shown(row: Sequence[_Cell]) -> Shown:
    cells = [cell for cell in row if not cell.is_head]
    return {
        "about": next(cell.about() for cell in row if cell.is_about),
        "numbers": " ".join(cell.text for cell in cells if cell.is_number),
        "words": " ".join(cell.text + cell.parts["note"] for cell in row),
    }
