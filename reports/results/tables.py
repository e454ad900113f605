"""Documents as tables, which are written as CSV and Parquet: a line for each number, with its provenance behind."""

import csv
import io
import json
from collections.abc import Iterator, Mapping, Sequence
from importlib.util import find_spec
from typing import Any, NamedTuple

_TEXT_FIELDS = {"element", "display", "name", "category", "lacks_last_letter_of", "dictionary"}
# A spreadsheet takes a cell that begins like this for a formula, and elements may be chosen by strangers. A dictionary
# may be called -2-3.
_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")

# Types of cells that are not written as Python writes them.
_WRITTEN = {bool, list}
# In characters. Each is sent by itself, and sending costs more than many lines.
CHUNK = 1 << 16


class Table(NamedTuple):
    """Columns, each line a cell for each of them, and the document without the lines."""

    columns: list[str]
    lines: Iterator[list[Any]]
    about: dict[str, Any]


def table(
    document: dict[str, Any],
    rows: str,
    fields: Sequence[str],
    *,
    left_out: Sequence[str] = (),
    instead: Mapping[str, Any] | None = None,
) -> Table:
    """The list of a document that is called `rows`, with what they have in common repeated behind each.

    Parts of a document give their fields under their name; but parameters of a mechanism have names of their own. What
    each row says itself, or has no place in a line, is left out; `instead` has what a line says of lists.
    """
    about = {name: value for name, value in document.items() if name != rows}
    common: dict[str, Any] = {}
    for name, value in about.items():
        if name in left_out:
            continue
        prefix = "" if name == "parameters" else f"{name}_"
        inner = value if isinstance(value, dict) else None
        common |= {name: value} if inner is None else {f"{prefix}{each}": cell for each, cell in inner.items()}
    common |= instead or {}
    lines = ([row[name] for name in fields] + [*common.values()] for row in document[rows])
    return Table([*fields, *common], lines, about)


def csv_parts(found: Table) -> Iterator[str]:
    """A table as CSV, in which no text passes for a formula; many lines at a time."""
    buffer = io.StringIO()
    writer = csv.writer(buffer)
    writer.writerow(found.columns)
    texts = [place for place, column in enumerate(found.columns) if column in _TEXT_FIELDS]
    for line in found.lines:
        cells = [_cell(cell) if type(cell) in _WRITTEN else cell for cell in line]
        for place in texts:
            cells[place] = _text(line[place])
        writer.writerow(cells)
        if buffer.tell() >= CHUNK:
            yield buffer.getvalue()
            buffer.seek(0)
            buffer.truncate()
    yield buffer.getvalue()


def _cell(value: Any) -> Any:
    """Truth as JSON writes it, and lists in one cell."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return " ".join(map(str, value)) if isinstance(value, list) else value


def _text(value: str) -> str:
    return f"'{value}" if value.startswith(_FORMULA_STARTS) else value


def can_write_parquet() -> bool:
    return find_spec("pyarrow") is not None


def parquet(found: Table) -> bytes:
    """The columns of the CSV, with their types; texts as they are, for no program runs them.

    The document without its lines is in the metadata of the file under "ldpsite", for files without lines.
    """
    # Here, because it is optional, and slow to load.
    import pyarrow as pa
    from pyarrow.parquet import write_table

    values = list(found.lines)
    cells = zip(*values, strict=True) if values else ((),) * len(found.columns)
    table = pa.table({name: [*column] for name, column in zip(found.columns, cells, strict=True)})
    file = io.BytesIO()
    write_table(table.replace_schema_metadata({"ldpsite": json.dumps(found.about)}), file)
    return file.getvalue()
