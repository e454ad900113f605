"""Files of definitions as JSON, read so that every problem is in words for the person who wrote them."""

import json
from pathlib import Path
from typing import Any

from django.core.exceptions import ValidationError


def read_json(path: Path) -> object:
    """Decode a file. Raises `ValidationError` that says where it cannot be read."""
    try:
        return json.loads(path.read_text(encoding="utf-8-sig"), object_pairs_hook=_object)
    except OSError as error:
        raise ValidationError(f"cannot read {path}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise ValidationError(f"{path} is not UTF-8 text") from None
    except json.JSONDecodeError as error:
        raise ValidationError(f"{path} line {error.lineno}: not JSON: {error.msg}") from None
    except _DuplicateKey as error:
        raise ValidationError(f"{path}: the field {error.args[0]!r} stands twice in one object; keep one") from None
    except (ValueError, RecursionError):  # a number of thousands of digits, or brackets thousands deep
        raise ValidationError(f"{path} is not JSON that can be read") from None


class _DuplicateKey(Exception):
    """An object names a field twice, and only one of them would count."""


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    content: dict[str, Any] = {}
    for name, value in pairs:
        if name in content:
            raise _DuplicateKey(name)
        content[name] = value
    return content
