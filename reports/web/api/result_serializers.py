"""Documents of results that the API gives; its description follows from them.

They have thousands of entries: `reports.results` writes these, and nothing is converted.
"""

from collections.abc import Sequence
from functools import partial
from typing import Any

from drf_spectacular.utils import inline_serializer
from rest_framework import serializers

from reports.results import ENTRY_FIELDS, VALUES, WORD_FIELDS
from reports.results.changes import CHANGE_FIELDS, SITE_CHANGE_FIELDS, Change
from reports.results.comparison import ROW_FIELDS, Verdict
from reports.results.locales_together import CELL_FIELDS, CellState, Standing
from reports.results.trend import POINT_FIELDS, POINT_STATES, STEPS
from reports.web.api.serializers import (
    AlgorithmField,
    Count,
    MakeField,
    OrNone,
    ParametersSerializer,
    Positive,
    PositiveOrNone,
    Serializer,
)

_NAMES: dict[str, MakeField] = dict.fromkeys(("element", "display", "name", "category"), serializers.CharField)


def _entries(name: str, fields: Sequence[str], number: MakeField, others: dict[str, MakeField]) -> Any:
    """Entries of a document: numbers, but for some fields."""
    return inline_serializer(name, {each: others.get(each, number)() for each in fields}, many=True)


class ProvenanceSerializer(Serializer):
    use_case = serializers.CharField()
    version = Positive()
    algorithm = AlgorithmField()
    parameters = ParametersSerializer()
    confidence = serializers.FloatField()
    address = serializers.URLField(help_text="The page that shows exactly this.")


ESTIMATORS = ["debiased", "corrected"]


class NotCountedSerializer(Serializer):
    element = serializers.CharField()
    display = serializers.CharField()
    since = serializers.DateField(allow_null=True)


class HistogramSerializer(ProvenanceSerializer):
    """The release periods inside a window, added up: the report format, section 7, says what the fields mean.

    Elements that are not counted in all of the window are in no entry.
    """

    locale = serializers.CharField()
    grouping = serializers.CharField()
    first_day = serializers.DateField()
    last_day = serializers.DateField()
    n = Positive()
    dictionary_revision = PositiveOrNone()
    dictionary_size = Count(allow_null=True)
    estimator = serializers.ChoiceField(ESTIMATORS)
    alpha = serializers.FloatField()
    threshold = OrNone()
    prescribed_threshold = PositiveOrNone()
    below_threshold = Count()
    values = serializers.ChoiceField(["raw", *VALUES])
    generated_at = serializers.DateTimeField()
    not_counted = NotCountedSerializer(many=True)
    # Only where reports about what is not in the dictionary are counted.
    other = inline_serializer(
        "Other",
        {name: serializers.FloatField() for name in ("estimate", "standard_error", "lower", "upper")},
        required=False,
    )
    # Only where the entries are the largest of all.
    not_allocated = inline_serializer(
        "NotAllocated",
        {
            name: serializers.FloatField()
            for name in ("estimate", "lower", "upper", "share", "share_lower", "share_upper")
        },
        required=False,
    )
    entries = _entries(
        "HistogramEntry",
        (*ENTRY_FIELDS, *WORD_FIELDS),
        serializers.FloatField,
        {
            **_NAMES,
            **dict.fromkeys(("rank", "members"), Positive),
            **dict.fromkeys(("consistent", "consistent_share"), OrNone),
            **dict.fromkeys(
                ("first_seen", "last_seen"), partial(serializers.DateField, required=False, allow_null=True)
            ),
            **dict.fromkeys(("is_new", "may_be_prefix"), partial(serializers.BooleanField, required=False)),
            **dict.fromkeys(
                ("lacks_last_letter_of", "verdict", "dictionary", "kind"),
                partial(serializers.CharField, required=False),
            ),
        },
    )
    # Only where words are discovered.
    words = serializers.CharField(required=False)
    candidates = Count(required=False)
    smallest_share = serializers.FloatField(required=False, allow_null=True)
    word_reports = Count(required=False)
    reports_by_position = serializers.ListField(child=Count(), required=False)
    cuts = serializers.ListField(child=serializers.FloatField(), required=False)
    kept = serializers.ListField(child=Count(), required=False)
    capped = serializers.BooleanField(required=False)
    joined = Count(required=False)
    strictness = serializers.FloatField(required=False)


class CountedBySerializer(Serializer):
    version = Positive()
    algorithm = AlgorithmField()
    parameters = ParametersSerializer()


class ComparisonSideSerializer(Serializer):
    version = Positive()
    algorithm = AlgorithmField()
    dictionary_revision = PositiveOrNone()
    locale = serializers.CharField()
    first_day = serializers.DateField()
    last_day = serializers.DateField()
    n = Positive()
    threshold = serializers.FloatField()
    prescribed_threshold = PositiveOrNone()
    below_threshold = Count()
    below_at_most = serializers.FloatField()
    generated_at = serializers.DateTimeField()


class ComparisonSerializer(ProvenanceSerializer):
    """Two published histograms side by side, in shares of reports.

    What is below the threshold on a side has no share there and no difference, but bounds of both. The difference is
    of the first side minus the second.
    """

    other_versions = CountedBySerializer(many=True)
    dictionary_revision = PositiveOrNone()
    dictionary_size = Count(allow_null=True)
    estimator = serializers.ChoiceField(ESTIMATORS)
    alpha = serializers.FloatField()
    false_discovery_rate = serializers.FloatField()
    first = ComparisonSideSerializer()
    second = ComparisonSideSerializer()
    overlapping = serializers.BooleanField()
    listed = Count()
    not_counted = NotCountedSerializer(many=True)
    entries = _entries(
        "ComparisonEntry",
        ROW_FIELDS,
        OrNone,
        {
            **_NAMES,
            "verdict": partial(serializers.ChoiceField, [str(each) for each in Verdict]),
        },
    )


class NotCountedInLocaleSerializer(NotCountedSerializer):
    locale = serializers.CharField()


class ChangedDaysSerializer(Serializer):
    first_day = serializers.DateField()
    last_day = serializers.DateField()


class ChangedWindowSerializer(Serializer):
    version = Positive()
    estimator = serializers.ChoiceField(ESTIMATORS)
    dictionary_revision = PositiveOrNone()
    first_day = serializers.DateField()
    last_day = serializers.DateField()
    n = Positive()
    alpha = serializers.FloatField()
    threshold = serializers.FloatField()
    prescribed_threshold = PositiveOrNone()
    below_threshold = Count()
    generated_at = serializers.DateTimeField()


class ChangedLocaleSerializer(Serializer):
    locale = serializers.CharField()
    now = ChangedWindowSerializer(allow_null=True)
    before = ChangedWindowSerializer(allow_null=True)


_OF_CHANGE: dict[str, MakeField] = {
    **_NAMES,
    "locale": serializers.CharField,
    "change": partial(serializers.ChoiceField, [str(each) for each in Change]),
    "p_value": serializers.FloatField,
}


class ChangesSerializer(ProvenanceSerializer):
    """Changes from one window to the next in all locales, in shares of reports.

    What is below the threshold in a window has no share there and no difference, but bounds of both. The difference is
    of the newer window minus the one before. Which changes are clear is decided of all rows together.
    """

    other_versions = CountedBySerializer(many=True)
    now = ChangedDaysSerializer()
    before = ChangedDaysSerializer(allow_null=True, help_text="Null where words have no list before.")
    false_discovery_rate = serializers.FloatField()
    tested = Count()
    clear = Count()
    listed = Count()
    windows = ChangedLocaleSerializer(many=True)
    not_counted = NotCountedInLocaleSerializer(many=True)
    entries = _entries("ChangesEntry", CHANGE_FIELDS, OrNone, _OF_CHANGE)


class ChangedUseCaseSerializer(Serializer):
    use_case = serializers.CharField()
    version = Positive()
    algorithm = AlgorithmField()
    parameters = ParametersSerializer()
    now = ChangedDaysSerializer()
    before = ChangedDaysSerializer()
    tested = Count()
    clear = Count()


class SiteChangesSerializer(Serializer):
    """Clear changes of the newest week, or list of words, in all use cases; each with its own windows."""

    confidence = serializers.FloatField()
    false_discovery_rate = serializers.FloatField()
    tested = Count()
    clear = Count()
    use_cases = ChangedUseCaseSerializer(many=True)
    entries = _entries(
        "SiteChangesEntry",
        SITE_CHANGE_FIELDS,
        OrNone,
        _OF_CHANGE
        | {"use_case": serializers.CharField, "version": Positive}
        | {name: serializers.DateField for name in SITE_CHANGE_FIELDS if name.endswith("_day")},
    )
    address = serializers.URLField(help_text="The page that shows the largest of each use case.")


class LocaleWindowSerializer(Serializer):
    locale = serializers.CharField()
    n = PositiveOrNone(help_text="Null, and the rest left out, if nothing of the window is published.")
    first_day = serializers.DateField(required=False)
    last_day = serializers.DateField(required=False)
    estimator = serializers.ChoiceField(ESTIMATORS, required=False)
    dictionary_revision = PositiveOrNone(required=False)
    alpha = serializers.FloatField(required=False)
    threshold = serializers.FloatField(required=False)
    prescribed_threshold = PositiveOrNone(required=False)
    below_threshold = Count(required=False)
    generated_at = serializers.DateTimeField(required=False)


class AllLocalesSerializer(ProvenanceSerializer):
    """Elements by locales, in shares of reports, each against the mean of the other locales.

    That mean is weighted by reports, and is not stated where the element is below the threshold in one of them.
    """

    first_day = serializers.DateField()
    last_day = serializers.DateField()
    top = Positive()
    false_discovery_rate = serializers.FloatField()
    tested = Count()
    standing_out = Count()
    listed = Count()
    locales = LocaleWindowSerializer(many=True)
    not_counted = NotCountedInLocaleSerializer(many=True)
    entries = _entries(
        "AllLocalesEntry",
        CELL_FIELDS,
        OrNone,
        {
            **_NAMES,
            "locale": serializers.CharField,
            "rank": PositiveOrNone,
            "state": partial(serializers.ChoiceField, [str(each) for each in CellState]),
            "standing": partial(serializers.ChoiceField, [str(each) for each in Standing]),
            "p_value": serializers.FloatField,
        },
    )


class AnnotationSerializer(Serializer):
    day = serializers.DateField()
    text = serializers.CharField()
    of_every_use_case = serializers.BooleanField()


class TrendSerializer(ProvenanceSerializer):
    """Elements over days, in reports: each window has its own n and threshold, and the version that counted it.

    What is below the threshold has no estimate, but the most that it can be. Intervals are of each window by itself.
    """

    other_versions = CountedBySerializer(many=True)
    locale = serializers.CharField()
    step = serializers.ChoiceField(list(STEPS))
    first_day = serializers.DateField()
    last_day = serializers.DateField()
    points = _entries(
        "TrendPoint",
        POINT_FIELDS,
        OrNone,
        {
            **dict.fromkeys(("element", "display", "name"), serializers.CharField),
            **dict.fromkeys(("first_day", "last_day"), serializers.DateField),
            **dict.fromkeys(("rank", "n", "prescribed_threshold", "dictionary_revision"), PositiveOrNone),
            "version": Positive,
            "state": partial(serializers.ChoiceField, [str(state) for state in POINT_STATES]),
            "generated_at": partial(serializers.DateTimeField, allow_null=True),
        },
    )
    not_counted = NotCountedInLocaleSerializer(many=True)
    annotations = AnnotationSerializer(many=True)
