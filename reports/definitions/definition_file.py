"""Definition files: read and validated as a whole, before anything is written.

The rules of the file are here: its fields, and their JSON types. The rules of values are validators of the models.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from django.contrib.auth.models import Group
from django.contrib.postgres.fields import ArrayField
from django.core.exceptions import NON_FIELD_ERRORS, ValidationError
from django.db import models

from aggregation.errors import ParameterError, shown
from aggregation.mechanisms import mechanism_for
from aggregation.normalization import PROFILES
from reports.definitions.dictionary import Entry
from reports.definitions.dictionary_files import DictionaryFiles
from reports.definitions.json_file import read_json
from reports.definitions.versions import RULES
from reports.kinds import kind_of
from reports.models import BudgetGroup, UseCase, Version
from reports.models.validators import validate_storable
from reports.models.versions import without

Noun = TypeVar("Noun", UseCase, Version)

# Fields of a use case that are copied as they are.
PLAIN_FIELDS = (
    "title",
    "description",
    "daily_limit",
    "retention_days",
    "minimum_reports",
    "false_positive_rate",
    "prescribed_threshold",
    "grace_days",
    "dictionary_complete",
)
_FIELDS: dict[type[models.Model], tuple[str, ...]] = {UseCase: ("slug", *PLAIN_FIELDS), Version: (*RULES, "locales")}
_KNOWN = {"viewer_groups", "owner_group", "budget_group", "dictionary", *_FIELDS[UseCase], *_FIELDS[Version]}
_REQUIRED = ("slug", "title", "algorithm", "normalization", "parameters")
# Kind of field → what JSON gives for it, and how people call that. A boolean is an integer to Python, but never to the
# person who wrote the file.
_TYPES: dict[object, tuple[tuple[type, ...], str]] = {
    models.CharField: ((str,), "a text"),
    models.TextField: ((str,), "a text"),
    models.PositiveIntegerField: ((int,), "a whole number"),
    models.FloatField: ((int, float), "a number"),
    models.BooleanField: ((bool,), "true or false"),
    ArrayField: ((list,), 'a list of texts, such as ["en_US"] or ["und"]'),
    models.JSONField: ((), ""),  # anything
    "parameters": ((dict,), "an object { }"),
}


@dataclass(frozen=True)
class Definition:
    """A checked use case of a definition file, its models unsaved.

    What the file leaves out to keep as it is, is missing here too: a seed in the parameters, the `entries`.
    """

    use_case: UseCase
    version: Version
    viewer_groups: frozenset[str]
    owner_group: str
    budget_group: str
    entries: list[Entry] | None

    @property
    def slug(self) -> str:
        return self.use_case.slug


def read_definitions(path: Path) -> list[Definition]:
    """Read the use cases in a file. Raises `ValidationError` with every problem found."""
    return check_definitions(read_json(path), path.parent)


def check_definitions(content: object, folder: Path) -> list[Definition]:
    """Check content that is decoded already; dictionary files are looked up in `folder`."""
    if not isinstance(content, list):
        raise ValidationError("the file must hold a list of use cases: put [ ] around them")
    problems: list[str] = []
    definitions: dict[str, Definition] = {}
    dictionaries = DictionaryFiles(folder)
    for position, item in enumerate(content):
        slug = item.get("slug") if isinstance(item, dict) else None
        where = f"use case {slug!r}" if isinstance(slug, str) else f"use case number {position + 1}"
        reader = _Reader(item, dictionaries)
        definition = reader.read()
        if definition is not None and definitions.setdefault(definition.slug, definition) is not definition:
            reader.problems.append("stands in the file twice; give one of them another slug")
        problems += [f"{where}: {problem}" for problem in reader.problems]
    problems += _limit_problems([each for each in definitions.values() if each.budget_group])
    if problems:
        raise ValidationError(problems)
    return [*definitions.values()]


def _limit_problems(definitions: list[Definition]) -> Iterator[str]:
    """Yield problems with use cases of one budget group that do not agree on its limit."""
    first: dict[str, Definition] = {}
    for definition in definitions:
        other = first.setdefault(definition.budget_group, definition)
        limit, limit_of_other = definition.use_case.daily_limit, other.use_case.daily_limit
        if limit != limit_of_other:
            yield (
                f"use case {definition.slug!r}: its daily_limit is {limit}, but that of use case {other.slug!r}, in the"
                f" same budget group {definition.budget_group!r}, is {limit_of_other}; give both the same (left out, it"
                " is 1)"
            )


def in_words(error: ValidationError, field: str = NON_FIELD_ERRORS) -> Iterator[str]:
    """Yield the messages of an error, each with the name of its field; `field` is used for errors that name none."""
    named = error.error_dict if hasattr(error, "error_dict") else {field: error.error_list}
    for name, errors in named.items():
        for message in ValidationError(errors).messages:
            yield message if name == NON_FIELD_ERRORS else f"{name}: {message}"


class _Reader:
    """Checks one item of the file and collects what is wrong with it."""

    def __init__(self, item: object, dictionaries: DictionaryFiles) -> None:
        self.item = item
        self.dictionaries = dictionaries
        self.problems: list[str] = []

    def read(self) -> Definition | None:
        if not isinstance(self.item, dict):
            self.problems.append("must be an object { }")
            return None
        item = {"locales": ["und"], **self.item}
        self.problems += [f"{name} is missing" for name in _REQUIRED if name not in item]
        for name in sorted(item.keys() - _KNOWN):
            self.problems.append(f"{name} is not a field of a use case; remove it or correct its spelling")
        use_case, version = self._noun(UseCase(), item), self._noun(Version(), item)
        with self._collecting():
            use_case.check_completeness(version)
        viewers, owner, shared = item.get("viewer_groups", []), item.get("owner_group"), item.get("budget_group", "")
        if not isinstance(viewers, list):
            self.problems.append(f"viewer_groups must be a list of names of groups, not {shown(viewers)}")
            viewers = []
        definition = Definition(
            use_case=use_case,
            version=version,
            viewer_groups=frozenset(self._group("viewer_groups", Group, name) for name in viewers),
            owner_group=self._group("owner_group", Group, owner) if "owner_group" in item else "",
            budget_group=self._group("budget_group", BudgetGroup, shared) if shared != "" else "",
            entries=self._entries(item["dictionary"], version) if "dictionary" in item else None,
        )
        if definition.entries is not None and not self.problems and version.dictionary_parameters:
            self._derive(version, [entry.element for entry in definition.entries])
        return None if self.problems else definition

    def _noun(self, noun: Noun, item: dict[str, Any]) -> Noun:
        """Set the fields of a model from the item, and validate them."""
        unchecked = {field.name for field in noun._meta.fields}
        for name in (name for name in _FIELDS[type(noun)] if name in item):
            types, words = _TYPES.get(name) or _TYPES[type(noun._meta.get_field(name))]
            if not types or type(item[name]) in types:
                setattr(noun, name, item[name])
                unchecked.remove(name)
            else:
                self.problems.append(f"{name} must be {words}, not {shown(item[name])}")
        with self._collecting():
            noun.full_clean(exclude=unchecked, validate_unique=False, validate_constraints=False)
        return noun

    def _group(self, field: str, noun: type[Group | BudgetGroup], name: object) -> str:
        if not isinstance(name, str):
            self.problems.append(f"{field}: the name of a group must be a text, not {shown(name)}")
            return ""
        with self._collecting(field):
            validate_storable(name)
            noun._meta.get_field("name").clean(name, None)
        return name

    def _entries(self, source: object, version: Version) -> list[Entry] | None:
        with self._collecting("dictionary"):
            if not kind_of(version).has_dictionary:
                raise ValidationError(f"{version.algorithm} finds its elements itself, and counts none; remove it")
            if version.normalization in PROFILES:
                return self.dictionaries.read(source, version)
        return None

    def _derive(self, version: Version, elements: list[str]) -> None:
        """Set the parameters that follow from the dictionary; those of the file have to be the same."""
        derived = version.for_dictionary(without(version.parameters, version.dictionary_parameters), elements)
        for name in version.dictionary_parameters:
            if version.parameters.get(name, derived[name]) != derived[name]:
                self.problems.append(f"parameters: {name} is {shown(derived[name])} for this dictionary; leave it out")
        version.parameters = derived
        try:
            mechanism_for(version.algorithm, derived).with_dictionary(elements)
        except ParameterError as error:
            self.problems.append(f"parameters: {error}")

    @contextmanager
    def _collecting(self, field: str = NON_FIELD_ERRORS) -> Iterator[None]:
        try:
            yield
        except ValidationError as error:
            self.problems += in_words(error, field)
