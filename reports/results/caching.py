"""Cache of what is computed from results, until there are newer ones.

`UseCase.generation` is part of every key; code that changes results renews it in the same transaction
(`UseCase.renew_generation`). So nothing has to be deleted: keys of before are asked for no more, and the cache drops
them when it needs the room.
"""

import hashlib
import pickle
from collections.abc import Callable, Collection, Mapping
from typing import TypeVar

from django.core.cache import cache
from django.core.cache.backends.base import DEFAULT_TIMEOUT
from django.utils.translation import get_language

from reports.formatting import number_language
from reports.models import UseCase

T = TypeVar("T")

# Number of the form in which results are kept: while a site is brought forward, both releases use the cache.
FORMAT = 2
# In bytes. The cache counts entries only, in each process: what is larger is computed each time.
LARGEST = 64 << 10


def cached(use_case: UseCase, name: str, key: str, compute: Callable[[], T]) -> T:
    """Return the result of `compute`, cached since results of the use case last changed.

    `name` says what is computed, `key` everything it depends on beside results and the reader's language. It must not
    depend on who reads: what one person sees would be shown to another. Of a use case that was loaded before results
    changed the answer may be the one before.
    """
    place = place_of(use_case, name, key)
    kept: bytes | None = cache.get(place)
    value: T
    if kept is not None:
        value = pickle.loads(kept)  # noqa: S301 - by `_keep`
        return value
    value = compute()
    _keep({place: value})
    return value


def cached_each(
    use_cases: Collection[UseCase],
    name: str,
    key: str,
    compute: Callable[[list[UseCase]], Mapping[int, T]],
    *,
    seconds: int | None = None,
) -> dict[int, T]:
    """Return results of many use cases by primary key: `compute` is called once, for those that are not cached.

    What also depends on more than results is kept for so many `seconds` at most.
    """
    places = {use_case.pk: place_of(use_case, name, key) for use_case in use_cases}
    kept: Mapping[str, bytes] = cache.get_many(places.values())
    found: dict[int, T] = {
        pk: pickle.loads(kept[place])  # noqa: S301 - by `_keep`
        for pk, place in places.items()
        if place in kept
    }
    missing = [use_case for use_case in use_cases if use_case.pk not in found]
    if missing:
        computed = compute(missing)
        _keep({places[use_case.pk]: computed[use_case.pk] for use_case in missing}, seconds)
        found |= computed
    return found


def place_of(use_case: UseCase, name: str, key: str) -> str:
    """Return where a result is kept: the same until results change, and for those who read the same language."""
    # Rules that may change at any time, and that results are read by.
    rules = (
        use_case.minimum_reports,
        use_case.false_positive_rate,
        use_case.prescribed_threshold,
        use_case.dictionary_complete,
    )
    # Hashed: a cache may take only short keys of plain characters.
    digest = hashlib.sha256(repr((FORMAT, rules, get_language(), number_language(), key)).encode()).hexdigest()
    return f"{name}:{use_case.pk}:{use_case.generation}:{digest}"


def _keep(values: Mapping[str, object], seconds: int | None = None) -> None:
    # Pickled once: to know how large each is, and as what the cache is given.
    pickled = ((place, pickle.dumps(value)) for place, value in values.items())
    small = {place: found for place, found in pickled if len(found) <= LARGEST}
    cache.set_many(small, DEFAULT_TIMEOUT if seconds is None else seconds)
