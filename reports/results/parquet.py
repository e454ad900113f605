"""A table as a Parquet file, where the optional package pyarrow is installed."""

import io
import json
from importlib.util import find_spec

from reports.results.tables import Table


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
    table = pa.table({name: [line[place] for line in values] for place, name in enumerate(found.columns)})
    file = io.BytesIO()
    write_table(table.replace_schema_metadata({"ldpsite": json.dumps(found.about)}), file)
    return file.getvalue()
