"""The table of a document as a Parquet file, where the optional package pyarrow is installed."""

import io
import json
from importlib.util import find_spec
from typing import Any

from reports.results.document import flat


def can_write_parquet() -> bool:
    return find_spec("pyarrow") is not None


def parquet(document: dict[str, Any]) -> bytes:
    """The columns of the CSV, with their types; texts as they are, for no program runs them.

    The document without its entries is in the metadata of the file under "ldpsite", for files without lines.
    """
    # Here, because it is optional, and slow to load.
    import pyarrow as pa
    from pyarrow.parquet import write_table

    columns, lines = flat(document)
    values = list(lines)
    table = pa.table({name: [line[place] for line in values] for place, name in enumerate(columns)})
    about = json.dumps({name: value for name, value in document.items() if name != "entries"})
    file = io.BytesIO()
    write_table(table.replace_schema_metadata({"ldpsite": about}), file)
    return file.getvalue()
