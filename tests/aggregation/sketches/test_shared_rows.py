import numpy as np
import pytest

from aggregation.sketches import QuadraticM31, shared_rows

pytestmark = pytest.mark.exact


@pytest.mark.parametrize("m", [8, 1024])
def test_rows_are_counted_in_which_buckets_are_shared(m: int) -> None:
    family = QuadraticM31(3)
    points = family.points([f"w{i}" for i in range(2100)])
    buckets = family.buckets(points, 0, 600, m)
    chosen = np.array([5, 0])
    counted = shared_rows(family, points, chosen, 600, m)
    assert counted.tolist() == (buckets[:, None, :] == buckets[:, chosen, None]).sum(axis=0).tolist()
    assert counted[[0, 1], chosen].tolist() == [600, 600]
