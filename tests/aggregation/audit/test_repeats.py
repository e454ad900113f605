"""Records that come twice."""

import pytest

from aggregation.audit.repeats import Repeats
from aggregation.mechanisms import Mechanism
from tests.aggregation.helpers import count_mean, fragment_puzzle, hadamard_count_mean, local_hashing

pytestmark = pytest.mark.exact


def looked_at(mechanism: Mechanism, *batches: list[str]) -> Repeats:
    repeats = Repeats(mechanism)
    for lines in batches:
        repeats.add(lines)
    return repeats


@pytest.mark.parametrize(
    "mechanism", [count_mean("4", 16, 512), count_mean("8", 65536, 1024), fragment_puzzle("2", "2", (16, 64), (16, 64))]
)
def test_a_long_vector_that_comes_twice_is_found(mechanism: Mechanism) -> None:
    lines = [f"{row},00" for row in range(1000)]
    assert not looked_at(mechanism, lines).are_too_many()
    assert looked_at(mechanism, lines, lines[500:501]).are_too_many()


@pytest.mark.parametrize(
    "mechanism",
    [
        count_mean("4", 16, 64),
        count_mean("16", 65536, 1024),
        hadamard_count_mean("4", 8, 8),
        local_hashing("8", 65536, 2982),
    ],
)
def test_nothing_is_concluded_where_that_happens(mechanism: Mechanism) -> None:
    assert not looked_at(mechanism, ["1,00"] * 1000).are_too_many()
