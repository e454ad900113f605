"""Results as files: a Parquet file for each published histogram of a release period or a list of words.

All files have the same columns, whatever the mechanism, so that programs read them as one table.
"""

import datetime
import io
import json
from collections.abc import Iterator
from typing import Any, Final, NamedTuple

from reports.bulk.places import MissingPackage
from reports.models import UseCase
from reports.results import ENTRY_FIELDS, WORD_FIELDS, HistogramQuery, histogram_view, known_versions, shown_windows

# Columns of texts, whole numbers, days and truth; all others are numbers.
_TEXTS: Final = {
    *("element", "display", "name", "category", "lacks_last_letter_of", "verdict", "dictionary", "kind"),
    *("algorithm", "parameters", "estimator"),
}
_WHOLE: Final = {
    *("rank", "members", "version", "n", "prescribed_threshold", "below_threshold"),
    *("dictionary_revision", "dictionary_size", "candidates", "word_reports"),
}
_DAYS: Final = {"first_seen", "last_seen", "first_day", "last_day"}
_TRUTH: Final = {"is_new", "may_be_prefix"}
# Columns that repeat the document's own facts on every line. Use case and locale are in the file's name.
_ABOUT: Final = (
    *("version", "algorithm", "parameters", "first_day", "last_day", "n", "alpha", "estimator", "confidence"),
    *("prescribed_threshold", "below_threshold", "dictionary_revision", "dictionary_size", "generated_at"),
    *("candidates", "word_reports", "smallest_share"),
)


class ResultFile(NamedTuple):
    """A histogram that is published, and how its file is called below the use case's folder."""

    name: str
    document: dict[str, Any]


def result_files(use_case: UseCase) -> Iterator[ResultFile]:
    """Yield what pages show of each release period, or list of words, of a use case in every version and locale."""
    for version in sorted(known_versions(use_case), key=lambda each: each.number):
        for locale in version.locales:
            query = HistogramQuery(locale=locale, version=version.number)
            windows = shown_windows(use_case, query).values_list("first_day", "last_day").distinct()
            for first, last in windows:
                days = HistogramQuery(locale=locale, version=version.number, first=first, last=last)
                document = histogram_view(use_case, days).document()
                if document is not None:
                    name = f"locale={locale}/day={last}/version-{version.number}-from-{first}.parquet"
                    yield ResultFile(name, document)


def parquet_of(document: dict[str, Any]) -> bytes:
    """Return a document as Parquet: a line for each entry, and all but these in the metadata, under ``ldpsite``."""
    try:
        import pyarrow as pa
        from pyarrow import parquet
    except ModuleNotFoundError:
        raise MissingPackage("pyarrow") from None

    def kind(name: str) -> Any:
        if name in _TEXTS:
            return pa.string()
        if name in _DAYS:
            return pa.date32()
        if name == "generated_at":
            return pa.timestamp("us", "UTC")
        if name in _TRUTH:
            return pa.bool_()
        return pa.int64() if name in _WHOLE else pa.float64()

    about = {name: value for name, value in document.items() if name != "entries"}
    common = {name: _cell(name, about.get(name)) for name in _ABOUT}
    columns = {
        name: [_cell(name, entry.get(name)) for entry in document["entries"]] for name in (*ENTRY_FIELDS, *WORD_FIELDS)
    }
    columns |= {name: [value] * len(document["entries"]) for name, value in common.items()}
    schema = pa.schema([(name, kind(name)) for name in columns], {"ldpsite": json.dumps(about)})
    file = io.BytesIO()
    parquet.write_table(pa.table(columns, schema), file)
    return file.getvalue()


def _cell(name: str, value: Any) -> Any:
    if value is None:
        return None
    if name == "parameters":
        return json.dumps(value)
    if name in _DAYS:
        return datetime.date.fromisoformat(value)
    return datetime.datetime.fromisoformat(value) if name == "generated_at" else value
