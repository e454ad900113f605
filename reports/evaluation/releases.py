"""The regression matrix of each release, as `make regression` kept it."""

import json
from functools import cache
from pathlib import Path
from typing import Any, Final

FOLDER: Final = Path(__file__).parent / "regressions"


def releases() -> list[str]:
    """Return the releases there are numbers of, the newest first."""
    found = [path.stem for path in FOLDER.glob("*.json")]
    return sorted(found, key=lambda name: [int(part) for part in name.split(".")], reverse=True)


@cache
def matrix_of(release: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((FOLDER / f"{release}.json").read_text(encoding="utf-8"))
    return found
