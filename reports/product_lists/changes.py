"""Differences of two versions of a list."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class LocaleChange:
    """Change of a locale's part: elements that came and went, and those of the others whose order changed."""

    locale: str
    added: tuple[str, ...]
    removed: tuple[str, ...]
    moved: tuple[str, ...]

    @property
    def is_any(self) -> bool:
        return bool(self.added or self.removed or self.moved)


def changes_between(before: Mapping[str, Sequence[str]], after: Mapping[str, Sequence[str]]) -> list[LocaleChange]:
    """Return the change of each locale that has one."""
    found = [_change(locale, before.get(locale, ()), after.get(locale, ())) for locale in {**before, **after}]
    return [change for change in found if change.is_any]


def _change(locale: str, before: Sequence[str], after: Sequence[str]) -> LocaleChange:
    old, new = set(before), set(after)
    stayed = zip((each for each in before if each in new), (each for each in after if each in old), strict=True)
    return LocaleChange(
        locale,
        tuple(each for each in after if each not in old),
        tuple(each for each in before if each not in new),
        tuple(now for then, now in stayed if then != now),
    )
