"""Cost of the commands and the pages, as whole processes on a database of their own.

Seconds include starting Python and Django; the peak is the process's resident memory as the operating system counts it.
The floor of a command that moves bytes is a copy of the same bytes on the same disk, in the same minute.
"""

import json
from collections.abc import Iterator
from pathlib import Path

from benchmarks import web_domains, words
from benchmarks.measuring import ROOT, Row, Site, copy_seconds, days_ago, own_site, page_row, row

SLUG = "keyboard-emoji"
REPORTS = 1_000_000
DEFINITIONS = ROOT / "reports" / "demo" / "use_cases.json"
SHARES = ROOT / "reports" / "demo" / "emoji_share_by_locale.tsv"


def one_record_a_document(source: Path, target: Path) -> None:
    """Write a document for each record, as single devices would send them."""
    with source.open(encoding="utf-8") as documents, target.open("w", encoding="utf-8") as singles:
        for line in documents:
            document = json.loads(line)
            (segment,) = document["segments"]
            records = segment.pop("records")
            head = json.dumps(document)[: -len("}]}")]
            singles.writelines(f'{head}, "records": ["{record}"]}}]}}\n' for record in records)


def steps() -> Iterator[Row]:
    with own_site() as site:
        yield from emoji_steps(site)
        yield from web_domains.steps(site)
        yield from words.site_steps(site)


def emoji_steps(site: Site) -> Iterator[Row]:
    """A use case of long records and a small dictionary."""
    folder, floor_name = site.folder, "copy of the documents"
    site.manage("apply_use_cases", str(emoji_definition(folder)))
    arguments = ("simulate_devices", SLUG, "--shares", str(SHARES), "--reports", str(REPORTS), "--output", str(folder))
    many, single = folder / f"{SLUG}.ndjson", folder / "single.ndjson"
    seconds, peak = site.manage(*arguments)
    yield row("simulate 1 M devices", seconds, peak, "", floor_name, copy_seconds(many, folder), reports=REPORTS)

    one_record_a_document(many, single)
    floor = copy_seconds(single, folder)
    seconds, peak = site.manage("ingest", str(single))
    yield row("ingest 1 M, one a document", seconds, peak, "≤ 12 s, ≤ 400 MB", floor_name, floor, reports=REPORTS)
    single.unlink()

    # Repeated records would be recognised, and not stored.
    site.manage(*arguments, "--seed", "1")
    floor = copy_seconds(many, folder)
    seconds, peak = site.manage("ingest", "--day", days_ago(1), str(many))
    yield row("ingest 1 M, 1,000 a document", seconds, peak, "≤ 6 s, ≤ 400 MB", floor_name, floor, reports=REPORTS)
    many.unlink()

    # Yesterday's million only; its shards are a quarter of the size of the documents.
    seconds, peak = site.manage("aggregate", SLUG, "--from", days_ago(1), "--to", days_ago(1), "--inline")
    yield row("whole run over 1 M stored", seconds, peak, "≤ 3 s, ≤ 500 MB", floor_name, floor, reports=REPORTS)
    yield page_row(site, SLUG, "page of the histogram")


def emoji_definition(folder: Path) -> Path:
    """The demonstration's definition of this use case alone; its dictionary lies beside the original."""
    (definition,) = [item for item in json.loads(DEFINITIONS.read_text(encoding="utf-8")) if item["slug"] == SLUG]
    definition["dictionary"]["file"] = str(DEFINITIONS.parent / definition["dictionary"]["file"])
    path = folder / "emoji.json"
    path.write_text(json.dumps([definition]), encoding="utf-8")
    return path
