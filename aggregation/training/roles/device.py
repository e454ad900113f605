"""A device as a process, in a folder of its own: `python -m aggregation.training.roles.device --folder …`.

The folder holds `configuration.json`, what its owner agreed to, and `examples.json`, what stays on it. With `--site` it
takes part in all rounds of the task that are open there and new to it. Without, statements come as files, and a sealed
message is written to the standard output, whether or not the device takes part.
"""

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ..algorithms import Examples
from .device_file import InFolder
from .doors import Door
from .refusals import AlreadySeen, RoleError
from .site import Site
from .taking_part import Configuration, Device
from .work import WorkFor
from .works import work_for


def main(arguments: Sequence[str] | None = None, work_for: WorkFor = work_for) -> None:
    parser = argparse.ArgumentParser(prog="python -m aggregation.training.roles.device", description=__doc__)
    parser.add_argument("--folder", type=Path, required=True, help="the device's own")
    parser.add_argument("--site", metavar="ADDRESS", help="whose rounds it takes part in, https://…")
    parser.add_argument("--aggregator", type=Path, help="file with the aggregator's statement")
    parser.add_argument("--distributor", type=Path, help="file with the distributor's statement")
    parser.add_argument("--rows", metavar="ADDRESS", help="where the distributor, or who relays, answers")
    options = parser.parse_args(arguments)
    if not options.site and None in (options.aggregator, options.distributor, options.rows):
        parser.error("give --site, or all of --aggregator, --distributor and --rows")
    try:
        configuration = Configuration(**_read(options.folder / "configuration.json"))
        examples = _examples(options.folder / "examples.json")
        device = Device(configuration, InFolder(options.folder), examples, work_for)
        if options.site:
            _take_part(device, Site(options.site, configuration.task["slug"]))
            return
        door = Door(options.rows)
        sealed = device.take_part(
            options.aggregator.read_bytes(), options.distributor.read_bytes(), lambda asked: door.ask("/rows", asked)
        )
    except (RoleError, OSError) as error:
        raise SystemExit(f"error: {error}") from None
    sys.stdout.buffer.write(sealed)
    sys.stdout.buffer.flush()


def _take_part(device: Device, site: Site) -> None:
    """Take part in the open rounds of a site. What is printed says of none whether the device counts in it."""
    for each in site.open_rounds():
        try:
            sealed = device.take_part(each.statements.aggregator, each.statements.distributor, site.ask_rows)
        except AlreadySeen:
            continue
        site.contribute(sealed)
        print(f"Round {each.number} ({each.purpose}): a message was sent.")


def _examples(path: Path) -> Examples:
    """Read a person's ratings: an object of ``items``, numbers in the catalogue, and ``values``."""
    said = _read(path)
    try:
        items, values = np.array(said["items"], np.int32), np.array(said["values"], np.float32)
        if items.ndim != 1 or items.shape != values.shape or len(np.unique(items)) < len(items):
            raise ValueError
    except (KeyError, ValueError, OverflowError):
        raise RoleError(f"{path} is not items, each once, and as many values.") from None
    order = np.argsort(items)
    return Examples(items[order], values[order])


def _read(path: Path) -> dict[str, Any]:
    try:
        return dict(json.loads(path.read_text(encoding="utf-8")))
    except (ValueError, TypeError):
        raise RoleError(f"{path} is not a JSON object.") from None


if __name__ == "__main__":
    main()
