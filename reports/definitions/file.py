"""Reading a definition file: everything that can be refused is refused here, before anything is written."""

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django.utils.functional import Promise
from django.utils.text import format_lazy
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from aggregation.errors import ParameterError, shown
from aggregation.normalization import PROFILES
from reports.definitions.alphabets import Alphabet, discovers
from reports.definitions.dictionary import Entry
from reports.definitions.dictionary_files import DictionaryFiles
from reports.definitions.errors import DefinitionError
from reports.definitions.locales import locale_sentences
from reports.definitions.rules import Rules, element_problems, parameter_problem, wire_parameters
from reports.texts import is_storable

SLUG = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")


@dataclass(frozen=True)
class Definition:
    """One use case of a definition file, checked.

    What the file leaves out to keep as it is, is missing here too: a seed in `parameters`, the `entries`.
    """

    slug: str
    title: str
    algorithm: str
    normalization: str
    parameters: dict[str, object]
    description: str = ""
    viewer_groups: tuple[str, ...] = ()
    owner_group: str | None = None
    locales: tuple[str, ...] = ("und",)
    keep_case: bool = False
    alphabet: Alphabet = None
    daily_limit: int = 1
    budget_group: str = ""
    retention_days: int = 90
    minimum_reports: int = 10_000
    false_positive_rate: float = 0.05
    prescribed_threshold: int | None = None
    grace_days: int = 7
    dictionary_complete: bool = False
    entries: list[Entry] | None = None

    @property
    def rules(self) -> Rules:
        return Rules(self.algorithm, self.parameters, self.normalization, self.keep_case, self.alphabet)


# Field of the file → (its type, what to say of a value that is none, or is out of range).
_SIMPLE_FIELDS: dict[str, tuple[type, Promise]] = {
    "slug": (str, _("must be lower-case letters and digits, in words joined by hyphens")),
    "title": (str, _("must be a text that is not empty")),
    "description": (str, _("must be a text")),
    "owner_group": (str, _("must be the name of a group")),
    "normalization": (str, format_lazy(_("must be one of {profiles}"), profiles=", ".join(sorted(PROFILES)))),
    "keep_case": (bool, _("must be true or false")),
    "daily_limit": (int, _("must be a whole number of at least 1")),
    "budget_group": (str, _("must be a text of at most 80 characters")),
    "retention_days": (int, _("must be a whole number of at least 1")),
    "minimum_reports": (int, _("must be a whole number of at least 1")),
    "false_positive_rate": (float, _("must be a number above 0 and below 1")),
    "prescribed_threshold": (int, _("must be a whole number of at least 1")),
    "grace_days": (int, _("must be a whole number of at least 0")),
    "dictionary_complete": (bool, _("must be true or false")),
}
_IN_RANGE: dict[str, Callable[[Any], bool]] = {
    "slug": lambda value: len(value) <= 80 and SLUG.fullmatch(value) is not None,
    "title": lambda value: 0 < len(value.strip()) <= 200,
    "owner_group": lambda value: 0 < len(value) <= 150,
    "normalization": lambda value: value in PROFILES,
    "daily_limit": lambda value: 1 <= value < 2**31,
    "budget_group": lambda value: len(value) <= 80,
    "retention_days": lambda value: 1 <= value < 2**31,
    "minimum_reports": lambda value: 1 <= value < 2**31,
    "false_positive_rate": lambda value: 0 < value < 1,
    "prescribed_threshold": lambda value: 1 <= value < 2**31,
    "grace_days": lambda value: 0 <= value < 2**31,
}
_OTHER_FIELDS = {"viewer_groups", "algorithm", "locales", "parameters", "dictionary", "alphabet"}
# Their texts are looked at one by one.
_CHECKED_BELOW = ("dictionary", "alphabet")
_REQUIRED = ("slug", "title", "algorithm", "normalization", "parameters")


def field_problem(name: str, value: object) -> str | None:
    """What is wrong with the value of a simple field, if anything, without its name: the admin has a label for it."""
    kind, message = _SIMPLE_FIELDS[name]
    # A boolean is an integer to Python, but never to the person who wrote the file.
    if type(value) is kind and _IN_RANGE.get(name, lambda _value: True)(value):
        return None
    return gettext("%(rule)s, not %(value)s") % {"rule": message, "value": shown(value)}


def read_definitions(path: Path) -> list[Definition]:
    """The use cases in a file. Raises `DefinitionError` with every problem found."""
    try:
        content = json.loads(path.read_text(encoding="utf-8-sig"), object_pairs_hook=_object)
    except OSError as error:
        raise DefinitionError([f"cannot read {path}: {error.strerror}"]) from None
    except UnicodeDecodeError:
        raise DefinitionError([f"{path} is not UTF-8 text"]) from None
    except json.JSONDecodeError as error:
        raise DefinitionError([f"{path} line {error.lineno}: not JSON: {error.msg}"]) from None
    except _DuplicateKey as error:
        raise DefinitionError([f"{path}: the field {error.args[0]!r} stands twice in one object; keep one"]) from None
    except (ValueError, RecursionError):  # a number of thousands of digits, or brackets thousands deep
        raise DefinitionError([f"{path} is not JSON that can be read"]) from None
    return check_definitions(content, path.parent)


class _DuplicateKey(Exception):
    """An object names a field twice, and only one of them would count."""


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    content: dict[str, Any] = {}
    for name, value in pairs:
        if name in content:
            raise _DuplicateKey(name)
        content[name] = value
    return content


def check_definitions(content: object, folder: Path) -> list[Definition]:
    """The same for content already decoded; dictionary files are looked up in `folder`."""
    if not isinstance(content, list):
        raise DefinitionError(["the file must hold a list of use cases: put [ ] around them"])
    problems: list[str] = []
    definitions: list[Definition] = []
    dictionaries = DictionaryFiles(folder)
    for position, item in enumerate(content):
        slug = item.get("slug") if isinstance(item, dict) else None
        where = f"use case {slug!r}" if isinstance(slug, str) else f"use case number {position + 1}"
        reader = _Reader(item, dictionaries)
        definition = reader.read()
        problems += [f"{where}: {problem}" for problem in reader.problems]
        if definition is not None and definition.slug in {other.slug for other in definitions}:
            problems.append(f"{where}: stands in the file twice; give one of them another slug")
        elif definition is not None:
            definitions.append(definition)
    problems += _limit_problems(definitions)
    if problems:
        raise DefinitionError(problems)
    return definitions


def _limit_problems(definitions: list[Definition]) -> Iterator[str]:
    """Use cases of one budget group must agree on its limit."""
    first: dict[str, Definition] = {}
    for definition in definitions:
        if not definition.budget_group:
            continue
        other = first.setdefault(definition.budget_group, definition)
        if other.daily_limit != definition.daily_limit:
            yield (
                f"use case {definition.slug!r}: its daily_limit is {definition.daily_limit}, but that of use case"
                f" {other.slug!r}, in the same budget group {definition.budget_group!r}, is {other.daily_limit};"
                " give both the same (left out, it is 1)"
            )


def _texts(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        yield from value
        for item in value.values():
            yield from _texts(item)
    elif isinstance(value, list):
        for item in value:
            yield from _texts(item)


class _Reader:
    """Checks one item of the file and collects what is wrong with it."""

    def __init__(self, item: object, dictionaries: DictionaryFiles) -> None:
        self.item = item
        self.dictionaries = dictionaries
        self.problems: list[str] = []

    def read(self) -> Definition | None:
        item = self.item
        if not isinstance(item, dict):
            self.problems.append("must be an object { }")
            return None
        self.problems += [f"{name} is missing" for name in _REQUIRED if name not in item]
        for name in sorted(item.keys() - _SIMPLE_FIELDS.keys() - _OTHER_FIELDS):
            self.problems.append(f"{name} is not a field of a use case; remove it or correct its spelling")
        for name, value in item.items():
            if name not in _CHECKED_BELOW and not all(map(is_storable, _texts(value))):
                self.problems.append(f"{name} holds a NUL or half a surrogate pair, which no text has; remove it")
        values: dict[str, Any] = {name: self._simple(name, item[name]) for name in _SIMPLE_FIELDS if name in item}
        values["locales"] = self._locales(item.get("locales", ["und"]))
        values["viewer_groups"] = self._names(item.get("viewer_groups", []))
        values["algorithm"] = item.get("algorithm")
        values["alphabet"] = self._alphabet(item, values["locales"])
        values["parameters"] = self._parameters(item)
        if discovers(item.get("algorithm")):
            self._refuse_dictionary(item)
        elif "dictionary" in item and item.get("normalization") in PROFILES:
            values["entries"] = self._dictionary(item)
        return None if self.problems else Definition(**values)

    def _simple(self, name: str, value: object) -> object:
        kind, _message = _SIMPLE_FIELDS[name]
        if kind is float and isinstance(value, int) and not isinstance(value, bool):
            value = float(value)
        if problem := field_problem(name, value):
            self.problems.append(f"{name} {problem}")
        return value

    def _names(self, value: object) -> tuple[str, ...]:
        if isinstance(value, list) and all(isinstance(name, str) and 0 < len(name) <= 150 for name in value):
            return tuple(dict.fromkeys(value))
        self.problems.append(f"viewer_groups must be a list of names of groups, not {shown(value)}")
        return ()

    def _locales(self, value: object) -> tuple[str, ...]:
        problems = locale_sentences(value)
        self.problems += problems
        return () if problems or not isinstance(value, list) else tuple(value)

    def _alphabet(self, item: dict[str, object], locales: tuple[str, ...]) -> Any:
        alphabet, keep_case = item.get("alphabet"), item.get("keep_case") is True
        found = element_problems(item.get("algorithm"), item.get("normalization"), keep_case, alphabet, locales)
        self.problems += [f"{name}: {problem}" for name, problem in found]
        return alphabet

    def _parameters(self, item: dict[str, object]) -> dict[str, object]:
        parameters, algorithm = item.get("parameters"), item.get("algorithm")
        if not isinstance(parameters, dict) or not isinstance(algorithm, str):
            self.problems.append("algorithm must be a name and parameters an object { }")
            return {}
        try:
            return wire_parameters(algorithm, parameters)
        except ParameterError as error:
            self.problems.append(parameter_problem(error))
            return {}

    def _refuse_dictionary(self, item: dict[str, object]) -> None:
        reason = f"{item['algorithm']} finds its elements itself, and counts no dictionary"
        if "dictionary" in item:
            self.problems.append(f"dictionary: {reason}; remove it")
        if item.get("dictionary_complete") is True:
            self.problems.append(f"dictionary_complete: {reason}; remove it, or set it to false")

    def _dictionary(self, item: dict[str, object]) -> list[Entry]:
        keep_case = item.get("keep_case") is True
        try:
            entries, problems = self.dictionaries.read(
                item["dictionary"], str(item["normalization"]), keep_case=keep_case
            )
        except ValueError as error:
            self.problems.append(f"dictionary: {error}")
            return []
        self.problems += [f"dictionary: {problem}" for problem in problems]
        return entries
