"""Variables of the environment. Everything that differs between two installations comes through here."""

import json
import os
from pathlib import Path
from typing import Any

BASE_DIR = Path(__file__).resolve().parent.parent


def env(name: str, default: str = "") -> str:
    """Return a variable, or what stands in the file that NAME_FILE points at (container secrets arrive as files)."""
    if path := os.environ.get(f"{name}_FILE"):
        return Path(path).read_text(encoding="utf-8").strip()
    return os.environ.get(name, default)


def envbool(name: str, *, default: bool = False) -> bool:
    """Return a switch. A typo is an error: guessing would quietly turn a protection off."""
    value = os.environ.get(name, "").strip().lower()
    if value in {"1", "true", "yes", "on"}:
        return True
    if value in {"0", "false", "no", "off"}:
        return False
    if not value:
        return default
    raise ValueError(f"{name} must be 1 or 0, true or false, yes or no, on or off; got {value!r}")


def envint(name: str, default: int) -> int:
    value = os.environ.get(name, "").strip()
    try:
        return int(value) if value else default
    except ValueError:
        raise ValueError(f"{name} must be a whole number; got {value!r}") from None


def envlist(name: str, default: str = "") -> list[str]:
    return [item.strip() for item in env(name, default).split(",") if item.strip()]


def envjson(name: str) -> Any:
    """Return what a variable holds as JSON, or None. What cannot be read is not repeated: keys may be in it."""
    try:
        return json.loads(env(name, "null"))
    except json.JSONDecodeError as error:
        raise ValueError(f"{name} must be JSON; at character {error.pos}: {error.msg}") from None


def data_dir() -> Path:
    """Return the folder that holds everything this installation keeps on this machine."""
    return Path(env("LDPSITE_DATA_DIR") or BASE_DIR / "var").resolve()
