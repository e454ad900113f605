"""Rows of results, as the API has them: the site's report format, section 7, says what each field means."""

from typing import Any, TypedDict


class HistogramRow(TypedDict):
    """Element, or group of elements, that is above its threshold; counts are in reports."""

    element: str
    display: str
    name: str
    estimate: float
    standard_error: float
    lower: float
    upper: float
    adjusted_lower: float
    adjusted_upper: float
    share: float
    share_lower: float
    share_upper: float
    rank: int
    category: str
    members: int
    threshold: float
    consistent: float | None
    consistent_share: float | None


class WordRow(HistogramRow):
    """Word that was discovered."""

    first_seen: str | None
    last_seen: str | None
    is_new: bool
    may_be_prefix: bool
    lacks_last_letter_of: str
    verdict: str
    dictionary: str
    kind: str


class ComparisonRow(TypedDict):
    """Element that is above the threshold on a side at least. The difference is of the first share minus the second."""

    element: str
    display: str
    name: str
    first_estimate: float | None
    first_share: float | None
    first_share_lower: float | None
    first_share_upper: float | None
    first_share_at_most: float | None
    second_estimate: float | None
    second_share: float | None
    second_share_lower: float | None
    second_share_upper: float | None
    second_share_at_most: float | None
    difference: float | None
    difference_lower: float | None
    difference_upper: float | None
    verdict: str
    category: str


class ChangeRow(TypedDict):
    """Element of a locale in two windows, above the threshold in one at least: the newer share minus the one before."""

    locale: str
    element: str
    display: str
    name: str
    change: str
    share: float | None
    share_lower: float | None
    share_upper: float | None
    share_at_most: float | None
    before_share: float | None
    before_share_lower: float | None
    before_share_upper: float | None
    before_share_at_most: float | None
    difference: float | None
    difference_lower: float | None
    difference_upper: float | None
    p_value: float
    category: str


class SiteChangeRow(ChangeRow):
    """Clear change in one of the use cases of a site, with its own windows."""

    use_case: str
    version: int
    now_first_day: str
    now_last_day: str
    before_first_day: str
    before_last_day: str


class LocaleRow(TypedDict):
    """Element in a locale, against the mean of all other locales, each with the weight of its reports."""

    locale: str
    element: str
    display: str
    name: str
    state: str
    rank: int | None
    share: float | None
    share_lower: float | None
    share_upper: float | None
    share_at_most: float | None
    others_share: float | None
    difference: float | None
    difference_lower: float | None
    difference_upper: float | None
    p_value: float
    standing: str
    category: str


class TrainingRow(TypedDict):
    """Training run; `released_metrics` left the boundary with noise, all other errors are the simulation's own."""

    run: str
    version: int
    state: str
    simulated_devices: bool
    source_of_data: str
    sealed: bool
    private: bool
    target_epsilon: float | None
    split: str
    seed: int
    parameters: dict[str, Any]
    rmse: float | None
    rmse_standard_error: float | None
    recall_at_20: float | None
    recall_at_20_standard_error: float | None
    released_metrics: dict[str, Any] | None
    baselines: dict[str, Any] | None
    recall_baselines: dict[str, Any] | None
    people: dict[str, int] | None
    epsilon: float | None
    unamplified_epsilon: float | None
    delta: float | None
    seconds: float | None


class TrendPoint(TypedDict):
    """Element in one window."""

    first_day: str
    last_day: str
    element: str
    display: str
    name: str
    state: str
    estimate: float | None
    standard_error: float | None
    lower: float | None
    upper: float | None
    adjusted_lower: float | None
    adjusted_upper: float | None
    rank: int | None
    at_most: float | None
    share: float | None
    share_lower: float | None
    share_upper: float | None
    share_at_most: float | None
    threshold: float | None
    prescribed_threshold: int | None
    alpha: float | None
    n: int | None
    missing_days: float | None
    version: int
    dictionary_revision: int | None
    generated_at: str | None
