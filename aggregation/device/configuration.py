"""The device configuration: what the server asks of all devices alike, checked, and what it may cost a day."""

import hashlib
import json
from collections.abc import Callable, Container, Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property, lru_cache
from typing import Any, Final

from ..errors import ParameterError, shown
from ..mechanisms import MECHANISMS, Mechanism, mechanism_for
from ..normalization import PROFILES, WORD_LENGTH, is_encodable, normalize
from .emoji import is_one_emoji
from .errors import DeviceError

VERSION: Final = 1
Alphabet = str | dict[str, str] | None


@dataclass(frozen=True, eq=False)
class UseCase:
    """One question to devices, under its active version."""

    slug: str
    title: str
    daily_limit: int
    budget_group: str | None
    mechanism: Mechanism
    normalization: str
    locales: tuple[str, ...]
    keep_case: bool = False
    alphabet: Alphabet = None

    def element(self, text: str, locale: str, local_words: Container[str] = frozenset()) -> str | None:
        """Return the element that a text is reported as in a locale, or None if it is not reported.

        Where devices have a dictionary, what is not in it is only reported if the use case counts anything else.

        The device's own dictionary has each word as `normalization.fold_word` makes it.
        """
        if self.normalization == "emoji" and not is_one_emoji(text):
            # The server could not tell: to it, any text is an element. What people type stays where it is.
            return None
        element = normalize(
            self.normalization,
            text,
            keep_case=self.keep_case,
            alphabet=self.alphabet.get(locale) if isinstance(self.alphabet, dict) else self.alphabet,
            length=self.mechanism.element_length or WORD_LENGTH,
            local_words=local_words,
        )
        return element if element is not None and self.mechanism.reports(element) else None

    @cached_property
    def parameters(self) -> dict[str, int | float | str]:
        """The wire parameters, as an upload document states them."""
        return self.mechanism.encoded_parameters()


@dataclass(frozen=True, eq=False)
class Limit:
    """Daily limit of reports that may leave the device for a use case, or for all of a budget group together."""

    budget_group: str | None
    use_cases: tuple[UseCase, ...]
    reports: int

    @cached_property
    def epsilon(self) -> Decimal:
        """The most that a day of it costs: as many reports of the use case whose reports cost the most."""
        return self.reports * max(use_case.mechanism.report_epsilon for use_case in self.use_cases)


@dataclass(frozen=True, eq=False)
class Configuration:
    """Questions of a site, and the hash by which owners of devices can see that all were asked the same."""

    sha256: str
    use_cases: Mapping[str, UseCase]
    limit_of: Mapping[str, Limit]

    @cached_property
    def epsilon_per_day(self) -> Decimal:
        """The most that a day of it costs, all use cases together."""
        return sum((limit.epsilon for limit in set(self.limit_of.values())), Decimal(0))


@lru_cache(maxsize=4)
def read_configuration(document: bytes) -> Configuration:
    """Check a device configuration and return it.

    Parameters
    ----------
    document : bytes
        What the server answered, or a file of it.

    Raises
    ------
    DeviceError
        If it is not a document of version 1 in which everything can be used: a device does all of it or nothing.
    """
    try:
        content = json.loads(document.decode(), object_pairs_hook=_object, parse_constant=_no_constant)
    except (ValueError, RecursionError):
        raise DeviceError("The device configuration is not JSON in UTF-8. Is this the right address or file?") from None
    fields = _fields(
        content, "the document", {"version": _is_integer, "budget_groups": _is_list, "use_cases": _is_list}
    )
    if fields["version"] != VERSION:
        raise DeviceError(f"The device configuration has version {shown(fields['version'])}; this client knows 1 only.")
    groups = dict(_budget_groups(fields["budget_groups"]))
    use_cases = [_use_case(item, f"use case {number}") for number, item in enumerate(fields["use_cases"], 1)]
    if len({use_case.slug for use_case in use_cases}) < len(use_cases) or len(groups) < len(fields["budget_groups"]):
        raise DeviceError("The device configuration names a use case or a budget group twice.")
    limits = {use_case.slug: limit for limit in _limits(use_cases, groups) for use_case in limit.use_cases}
    return Configuration(
        hashlib.sha256(document).hexdigest(), {use_case.slug: use_case for use_case in use_cases}, limits
    )


def _limits(use_cases: list[UseCase], groups: dict[str, int]) -> Iterator[Limit]:
    for name in {use_case.budget_group: None for use_case in use_cases}:
        mine = tuple(use_case for use_case in use_cases if use_case.budget_group == name)
        if name is None:
            yield from (Limit(None, (use_case,), use_case.daily_limit) for use_case in mine)
        elif name in groups:
            yield Limit(name, mine, groups[name])
        else:
            raise DeviceError(f"The device configuration has a use case of the budget group {shown(name)} but no such.")


def _budget_groups(items: list[Any]) -> Iterator[tuple[str, int]]:
    for number, item in enumerate(items, 1):
        fields = _fields(item, f"budget group {number}", {"name": _is_text, "daily_limit": _is_limit})
        yield fields["name"], fields["daily_limit"]


def _use_case(item: object, where: str) -> UseCase:
    has_dictionary = isinstance(item, dict) and _needs_dictionary(item.get("algorithm"))
    fields = _fields(item, where, _OF_USE_CASE | (_OF_DICTIONARY if has_dictionary else {}))
    try:
        mechanism = mechanism_for(fields.pop("algorithm"), fields.pop("parameters"))
        mechanism = mechanism.with_dictionary(fields.pop("dictionary", ()))
    except ParameterError as error:
        raise DeviceError(f"In the device configuration, {where} has parameters that cannot be used: {error}") from None
    if mechanism.element_length is not None and fields["normalization"] != "word":
        raise DeviceError(
            f"In the device configuration, {where} discovers words, but does not normalise them as words."
        )
    return UseCase(mechanism=mechanism, locales=tuple(fields.pop("locales")), **fields)


def _fields(item: object, where: str, expected: Mapping[str, Callable[[Any], bool]]) -> dict[str, Any]:
    """Return an object with exactly these fields, all of them as they should be."""
    if not isinstance(item, dict) or item.keys() != expected.keys():
        names = ", ".join(expected)
        raise DeviceError(f"In the device configuration, {where} must be an object with the fields {names}.")
    for name, is_right in expected.items():
        if not is_right(item[name]):
            raise DeviceError(f"In the device configuration, {where} has a {name} that cannot be used.")
    return dict(item)


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    content = dict(pairs)
    if len(content) < len(pairs):
        # Readers would differ in which of the two counts, and all of them would show the same hash.
        raise DeviceError("The device configuration has a field twice in one object. It is refused.")
    return content


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is not JSON")


def _is_integer(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_limit(value: Any) -> bool:
    return _is_integer(value) and value >= 1


def _is_text(value: object) -> bool:
    return isinstance(value, str) and value != ""


def _is_list(value: object) -> bool:
    return isinstance(value, list)


def _is_dictionary(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(element, str) and is_encodable(element) for element in value)


def _needs_dictionary(algorithm: object) -> bool:
    return isinstance(algorithm, str) and algorithm in MECHANISMS and MECHANISMS[algorithm].needs_dictionary


def _is_alphabet(value: object) -> bool:
    texts = value.values() if isinstance(value, dict) else [value]
    return value is None or all(isinstance(text, str) for text in texts)


# Beside these, where devices need it.
_OF_DICTIONARY: Final[dict[str, Callable[[Any], bool]]] = {"dictionary": _is_dictionary}
_OF_USE_CASE: Final[dict[str, Callable[[Any], bool]]] = {
    "slug": _is_text,
    "title": _is_text,
    "daily_limit": _is_limit,
    "budget_group": lambda value: value is None or _is_text(value),
    "algorithm": _is_text,
    "parameters": lambda value: isinstance(value, dict),
    "normalization": lambda value: value in PROFILES,
    "keep_case": lambda value: isinstance(value, bool),
    "alphabet": _is_alphabet,
    "locales": lambda value: isinstance(value, list) and bool(value) and all(map(_is_text, value)),
}
