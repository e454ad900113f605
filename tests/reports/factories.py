"""Building blocks of tests: definitions, record lines, documents, uploads."""

import gzip
import json
import shutil
import tracemalloc
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pytest
import zstandard
from django.conf import settings
from django.db import connection
from django.db.models import Model
from numpy.typing import NDArray

from aggregation.mechanisms import mechanism_for
from reports.collection.ingest import Encoding, Receipt, Upload, UploadRefused, ingest
from reports.definitions import Applied, apply_definitions, check_definitions
from reports.models import (
    Batch,
    Part,
    PendingFile,
    PeriodTotal,
    QuarantinedShard,
    ReadOut,
    Shard,
    TrainingFile,
    UploadDigest,
    UseCase,
    Version,
)
from reports.record_files import RecordFile

SEED = "000102030405060708090a0b0c0d0e0f"
WIRE = {"epsilon": 4, "k": 64, "m": 64, "hash": "quadratic-m31-v1", "seed": SEED}
ALGORITHM = "CountMeanSketch"
SLUG = "keyboard-emoji"


def definition(**changes: Any) -> dict[str, Any]:
    """An item of a definition file that alice owns and bob sees. A field changed to None is left out."""
    item = {
        "slug": SLUG,
        "title": "Popular emoji",
        "viewer_groups": ["keyboard"],
        "owner_group": "keyboard-owners",
        "algorithm": ALGORITHM,
        "normalization": "emoji",
        "locales": ["en_US", "fr_FR"],
        "parameters": {"epsilon": 4, "k": 64, "m": 64, "seed": SEED},
        "dictionary": ["😂", "❤️", "👍"],
    } | changes
    return {name: value for name, value in item.items() if value is not None}


def apply(*definitions: dict[str, Any], folder: Path = Path()) -> list[Applied]:
    return apply_definitions(check_definitions(list(definitions), folder))


def make_version(**changes: Any) -> Version:
    return applied(definition(**changes))


def applied(item: dict[str, Any]) -> Version:
    """Apply a definition, and return its active version."""
    apply(item)
    return Version.objects.get(use_case__slug=item["slug"], state=Version.State.ACTIVE)


def record_lines(count: int, seed: int = 0, **parameters: Any) -> list[str]:
    """Lines of a simulated fleet, as devices would send them."""
    mechanism = mechanism_for(ALGORITHM, WIRE | parameters)
    rng = np.random.default_rng(seed)
    return mechanism.format_records(mechanism.privatize_fleet(["😂", "👍"], rng.integers(0, 2, count), rng))


def segment(records: list[Any], **changes: Any) -> dict[str, Any]:
    return {
        "use_case": SLUG,
        "locale": "en_US",
        "algorithm": ALGORITHM,
        "parameters": WIRE,
        "records": records,
    } | changes


# Another use case beside that of emoji, with parameters of its own.
OTHER = {"epsilon": 2, "k": 64, "m": 64, "seed": "11" * 16}


def of_other(reports: int) -> dict[str, Any]:
    """A segment of the use case `other`."""
    return segment(record_lines(reports), use_case="other", parameters=OTHER | {"hash": WIRE["hash"]})


def document(*segments: Any, **changes: Any) -> dict[str, Any]:
    return {"version": 1, "segments": list(segments)} | changes


def ndjson(*documents: Any) -> bytes:
    return b"".join(json.dumps(item).encode() + b"\n" for item in documents)


def of_records(records: list[Any], **changes: Any) -> bytes:
    """An NDJSON upload of one document of one segment."""
    return ndjson(document(segment(records, **changes)))


def upload(
    body: bytes,
    form: Literal["json", "ndjson"] = "ndjson",
    *,
    encoding: Encoding = "identity",
    length: int | None = None,
) -> Upload:
    return Upload(BytesIO(packed(body, encoding)), form, encoding, length)


def packed(body: bytes, encoding: Encoding) -> bytes:
    if encoding == "zstd":
        return zstandard.compress(body)
    return gzip.compress(body) if encoding == "gzip" else body


def refused(body: bytes | Upload, **options: Any) -> UploadRefused:
    """Return the refusal of an upload, or of an NDJSON body, of which nothing is left."""
    before = Batch.objects.count(), Shard.objects.count(), stored_files().keys()
    with pytest.raises(UploadRefused) as caught:
        ingest(upload(body) if isinstance(body, bytes) else body, UseCase.objects.all(), **options)
    assert (Batch.objects.count(), Shard.objects.count(), stored_files().keys()) == before
    assert not left_in_spool()
    return caught.value


@contextmanager
def memory_below(limit: int) -> Iterator[None]:
    """Check that the block allocates less than this at its peak."""
    tracemalloc.start()
    try:
        yield
        _now, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < limit


def send(body: bytes, **options: Any) -> Receipt:
    """Ingest an NDJSON body for all use cases."""
    return ingest(upload(body), UseCase.objects.all(), **options)


def batch_of(receipt: Receipt) -> Batch:
    """The batch that an upload made, or repeated."""
    assert receipt.batch is not None
    return Batch.objects.get(pk=receipt.batch)


def slices_of(shard: Shard | QuarantinedShard) -> dict[tuple[str, str], NDArray[Any]]:
    """The records in the file of a row, by locale and stream."""
    file = RecordFile(shard.version, shard_folder() / shard.file_name, shard.slices())
    return {(each.locale, each.stream): records for each, records in file.arrays().items()}


def sizes_by(*of: str) -> list[tuple[Any, ...]]:
    """Numbers of records in shards by these columns or by locale and stream, whichever file they are in."""
    found: Counter[tuple[Any, ...]] = Counter()
    for (day, locale, stream), size in Shard.objects.sizes("day").items():
        row = {"day": day, "locale": locale, "stream": stream}
        found[tuple(row[name] for name in of)] += size
    return sorted((*key, size) for key, size in found.items())


def shard_folder() -> Path:
    return Path(settings.STORAGES["shards"]["OPTIONS"]["location"])


def named_files() -> set[str]:
    """Files of the storage for shards that a row names."""
    models = (Shard, QuarantinedShard, ReadOut, Part, PeriodTotal, TrainingFile)
    return {name for model in models for name in model._default_manager.values_list("file_name", flat=True) if name}


def stored_files() -> dict[str, bytes]:
    """Return the files in the storage, by name."""
    root = shard_folder()
    return {str(path.relative_to(root)): path.read_bytes() for path in root.rglob("*") if path.is_file()}


def left_in_spool() -> list[str]:
    spool = Path(settings.LDPSITE_SPOOL_DIR)
    return [str(path.relative_to(spool)) for path in spool.rglob("*")]


def start_anew(*models: type[Model]) -> None:
    """Empty the storage and the tables of these models and of those that refer to them, for another round."""
    found: set[type[Model]] = set()
    new = set(models)
    while new:
        found |= new
        fields = [field for model in new for field in model._meta.get_fields(include_hidden=True)]
        referring = {field.related_model for field in fields if field.one_to_many or field.one_to_one}
        new = {model for model in referring if isinstance(model, type)} - found
    with connection.cursor() as cursor:  # in one go, so that foreign keys do not mind the order
        cursor.execute("; ".join(f"DELETE FROM {model._meta.db_table}" for model in found))  # noqa: S608
    shutil.rmtree(shard_folder(), ignore_errors=True)


def assert_nothing_left() -> None:
    """Check that an upload left no row and no file."""
    assert not Batch.objects.exists()
    assert not Shard.objects.exists()
    assert not PendingFile.objects.exists()
    assert not UploadDigest.objects.exists()
    assert not stored_files()
    assert not left_in_spool()
