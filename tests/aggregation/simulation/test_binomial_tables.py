import numpy as np
import pytest

from aggregation.simulation import BinomialTables

pytestmark = pytest.mark.statistical


@pytest.mark.parametrize(
    ("trials", "probability"), [(1, 0.3), (15, 0.1192029), (200, 0.5), (511, 0.0179862), (600, 0.1)]
)
def test_draws_are_binomial(trials: int, probability: float) -> None:
    """χ² of 400,000 draws against the probabilities; false alarm 1e-6. From 512 trials on there are no tables."""
    rng = np.random.Generator(np.random.SFC64(1))
    drawn = BinomialTables(probability).draw(np.full((4, 100_000), trials), rng)
    assert drawn.shape == (4, 100_000)
    x = np.arange(trials + 1)
    log_factorials = np.concatenate([[0], np.cumsum(np.log(np.arange(1, trials + 1)))])
    logs = log_factorials[-1] - log_factorials - log_factorials[::-1]
    expected = drawn.size * np.exp(logs + x * np.log(probability) + (trials - x) * np.log1p(-probability))
    counted = np.bincount(drawn.ravel(), minlength=trials + 1)
    often = expected > 10
    freedom = int(often.sum())
    table = [(counted[often], expected[often]), (counted[~often].sum(), expected[~often].sum() or 1)]
    found = sum(float(((seen - wanted) ** 2 / wanted).sum()) for seen, wanted in table)
    # Wilson and Hilferty's quantile; 4.7534 is the one-sided normal one.
    assert found < freedom * (1 - 2 / (9 * freedom) + 4.7534 * np.sqrt(2 / (9 * freedom))) ** 3


@pytest.mark.exact
def test_no_trials_have_no_success_and_larger_tables_change_nothing() -> None:
    tables = BinomialTables(0.25)
    assert tables.draw(np.zeros(3, np.int64), np.random.default_rng(1)).tolist() == [0, 0, 0]
    few = tables.draw(np.arange(6), np.random.default_rng(2))
    tables.draw(np.array([300]), np.random.default_rng(3))
    assert tables.draw(np.arange(6), np.random.default_rng(2)).tolist() == few.tolist()
