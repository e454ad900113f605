"""Documents that the API takes and gives; its description follows from them.

Histograms, comparisons and trends have thousands of entries: `reports.results` writes these, and nothing is converted.
"""

from collections.abc import Callable, Sequence
from decimal import Decimal
from functools import partial
from typing import Any, Literal

from drf_spectacular.utils import extend_schema_field, inline_serializer
from rest_framework import serializers
from rest_framework.fields import (
    BooleanField,
    CharField,
    ChoiceField,
    DateField,
    DateTimeField,
    DictField,
    Field,
    FloatField,
    IntegerField,
    ListField,
    RegexField,
    SerializerMethodField,
    URLField,
    UUIDField,
)

from aggregation.mechanisms import MECHANISMS
from aggregation.registry import parameter_types
from reports.collection.ingest import FORMAT_VERSION, MAX_SEGMENTS, REASONS, Receipt
from reports.models import Batch
from reports.results import ENTRY_FIELDS, VALUES, WORD_FIELDS, State
from reports.results.comparison import ROW_FIELDS, Verdict
from reports.results.trend import POINT_FIELDS, POINT_STATES, STEPS

MakeField = Callable[[], Field[Any, Any, Any, Any]]
Serializer = serializers.Serializer[Any]
Count = partial(IntegerField, min_value=0)
Positive = partial(IntegerField, min_value=1)
OrNone = partial(FloatField, allow_null=True)
PositiveOrNone = partial(Positive, allow_null=True)
AlgorithmField = partial(ChoiceField, sorted(MECHANISMS))


@extend_schema_field(
    {
        "type": "object",
        "propertyNames": {"enum": sorted(REASONS)},
        "additionalProperties": {"type": "integer", "minimum": 1},
    }
)
class RejectedField(DictField):
    def __init__(self, **more: Any) -> None:
        words = "How many records were left out, by reason; only reasons that occurred."
        super().__init__(child=Positive(), help_text=words, **more)


@extend_schema_field({"type": ["string", "object", "null"], "additionalProperties": {"type": "string"}})
class AlphabetField(serializers.JSONField):
    pass


def _entries(name: str, fields: Sequence[str], number: MakeField, others: dict[str, MakeField]) -> Any:
    """Entries of a document: numbers, but for some fields."""
    return inline_serializer(name, {each: others.get(each, number)() for each in fields}, many=True)


# --- What is sent, and answers to it ---


_PARAMETER_FIELDS: dict[type, Callable[..., Field[Any, Any, Any, Any]]] = {
    Decimal: FloatField,
    int: Positive,
    str: CharField,
}


class ParametersSerializer(Serializer):
    hash = ChoiceField(["quadratic-m31-v1"])
    seed = RegexField("^[0-9a-f]{32}$")

    def get_fields(self) -> dict[str, Field[Any, Any, Any, Any]]:
        others = {name: _PARAMETER_FIELDS[kind](required=False) for name, kind in sorted(parameter_types().items())}
        return super().get_fields() | others


class SegmentSerializer(Serializer):
    use_case = CharField()
    locale = CharField()
    algorithm = AlgorithmField()
    parameters = ParametersSerializer()
    records = ListField(child=CharField())


class UploadDocumentSerializer(Serializer):
    """An upload document of the report format, section 5."""

    version = ChoiceField([FORMAT_VERSION])
    segments = ListField(child=SegmentSerializer(), min_length=1, max_length=MAX_SEGMENTS)


class RecordProblemSerializer(Serializer):
    line = Positive()
    pointer = CharField()
    detail = CharField()


class ProblemSerializer(Serializer):
    """Problem details, as in RFC 9457. Nothing that was sent is repeated."""

    type = RegexField("^urn:ldpsite:problem:[a-z-]+$", help_text="Stable.")
    title = CharField()
    status = IntegerField(min_value=400, max_value=599)
    detail = CharField(help_text="For people.")
    rejected = RejectedField(required=False)
    errors = ListField(child=RecordProblemSerializer(), max_length=20, required=False)  # type: ignore[assignment]
    state = ChoiceField(
        [str(state) for state in State if state not in {State.SHOWN, State.NONE_ABOVE}],
        required=False,
        help_text="Why nothing is shown; also the end of the type.",
    )


class ReceiptSerializer(Serializer):
    batch = UUIDField(
        allow_null=True, help_text="Null if the records were recognised; only an Idempotency-Key names a first batch."
    )
    status = SerializerMethodField()
    day = DateField(help_text="On which the reports count.")
    requested_day = DateField(help_text="For which they were sent. If it is closed, they count on another.")
    accepted = Count()
    rejected = RejectedField()
    errors = ListField(source="problems", child=RecordProblemSerializer(), max_length=20)  # type: ignore[assignment]
    detail = CharField(required=False, help_text="For people: what was not done as it was asked for.")

    def get_status(self, receipt: Receipt) -> Literal["stored", "duplicate"]:
        return "duplicate" if receipt.duplicate else "stored"


class BatchSerializer(Serializer):
    batch = UUIDField(source="pk")
    status = SerializerMethodField()
    day = DateField()
    accepted = Count()
    rejected = RejectedField()

    def get_status(self, batch: Batch) -> Literal["stored", "withdrawn"]:
        return "withdrawn" if batch.state == Batch.State.WITHDRAWN else "stored"


class DeviceAnswerSerializer(Serializer):
    accepted = Positive()
    rejected = RejectedField()


# --- Results ---


class ProvenanceSerializer(Serializer):
    use_case = CharField()
    version = Positive()
    algorithm = AlgorithmField()
    parameters = ParametersSerializer()
    confidence = FloatField()
    address = URLField(help_text="The page that shows exactly this.")


class NotCountedSerializer(Serializer):
    element = CharField()
    display = CharField()
    since = DateField(allow_null=True)


class HistogramSerializer(ProvenanceSerializer):
    """The release periods inside a window, added up: the report format, section 7, says what the fields mean.

    Elements that are not counted in all of the window are in no entry.
    """

    locale = CharField()
    grouping = CharField()
    first_day = DateField()
    last_day = DateField()
    n = Positive()
    dictionary_revision = PositiveOrNone()
    dictionary_size = Count(allow_null=True)
    alpha = FloatField()
    threshold = OrNone()
    prescribed_threshold = PositiveOrNone()
    below_threshold = Count()
    values = ChoiceField(["raw", *VALUES])
    generated_at = DateTimeField()
    not_counted = NotCountedSerializer(many=True)
    entries = _entries(
        "HistogramEntry",
        (*ENTRY_FIELDS, *WORD_FIELDS),
        FloatField,
        {
            **dict.fromkeys(("element", "display", "name", "category"), CharField),
            **dict.fromkeys(("rank", "members"), Positive),
            **dict.fromkeys(("consistent", "consistent_share"), OrNone),
            **dict.fromkeys(("first_seen", "last_seen"), partial(DateField, required=False, allow_null=True)),
            **dict.fromkeys(("is_new", "may_be_prefix"), partial(BooleanField, required=False)),
            **dict.fromkeys(("lacks_last_letter_of", "verdict", "dictionary"), partial(CharField, required=False)),
        },
    )
    # Only where words are discovered.
    words = CharField(required=False)
    candidates = Count(required=False)
    smallest_share = FloatField(required=False, allow_null=True)
    reports_by_position = ListField(child=Count(), required=False)
    cuts = ListField(child=FloatField(), required=False)
    kept = ListField(child=Count(), required=False)
    capped = BooleanField(required=False)
    joined = Count(required=False)
    strictness = FloatField(required=False)


class ComparisonSideSerializer(Serializer):
    locale = CharField()
    first_day = DateField()
    last_day = DateField()
    n = Positive()
    threshold = FloatField()
    prescribed_threshold = PositiveOrNone()
    below_threshold = Count()
    below_at_most = FloatField()
    generated_at = DateTimeField()


class ComparisonSerializer(ProvenanceSerializer):
    """Two published histograms side by side, in shares of reports.

    What is below the threshold on a side has no share there and no difference, but bounds of both. The difference is
    of the first side minus the second.
    """

    dictionary_revision = PositiveOrNone()
    dictionary_size = Count(allow_null=True)
    alpha = FloatField()
    false_discovery_rate = FloatField()
    first = ComparisonSideSerializer()
    second = ComparisonSideSerializer()
    overlapping = BooleanField()
    listed = Count()
    not_counted = NotCountedSerializer(many=True)
    entries = _entries(
        "ComparisonEntry",
        ROW_FIELDS,
        OrNone,
        {
            **dict.fromkeys(("element", "display", "name", "category"), CharField),
            "verdict": partial(ChoiceField, [str(each) for each in Verdict]),
        },
    )


class NotCountedInLocaleSerializer(NotCountedSerializer):
    locale = CharField()


class AnnotationSerializer(Serializer):
    day = DateField()
    text = CharField()
    of_every_use_case = BooleanField()


class TrendSerializer(ProvenanceSerializer):
    """Elements over days, in reports: each window has its own n and threshold.

    What is below the threshold has no estimate, but the most that it can be. Intervals are of each window by itself.
    """

    locale = CharField()
    step = ChoiceField(list(STEPS))
    first_day = DateField()
    last_day = DateField()
    points = _entries(
        "TrendPoint",
        POINT_FIELDS,
        OrNone,
        {
            **dict.fromkeys(("element", "display", "name"), CharField),
            **dict.fromkeys(("first_day", "last_day"), DateField),
            **dict.fromkeys(("rank", "n", "prescribed_threshold", "dictionary_revision"), PositiveOrNone),
            "state": partial(ChoiceField, [str(state) for state in POINT_STATES]),
            "generated_at": partial(DateTimeField, allow_null=True),
        },
    )
    not_counted = NotCountedInLocaleSerializer(many=True)
    annotations = AnnotationSerializer(many=True)


# --- What devices are asked ---


class BudgetGroupSerializer(Serializer):
    name = CharField()
    daily_limit = Positive()


class ConfiguredUseCaseSerializer(Serializer):
    slug = CharField()
    title = CharField()
    daily_limit = Positive()
    budget_group = CharField(allow_null=True)
    algorithm = AlgorithmField()
    parameters = ParametersSerializer()
    normalization = CharField()
    keep_case = BooleanField()
    alphabet = AlphabetField()
    locales = ListField(child=CharField(), min_length=1)


class DeviceConfigurationSerializer(Serializer):
    """What devices are asked; the same bytes for everybody."""

    version = ChoiceField([1])
    budget_groups = BudgetGroupSerializer(many=True)
    use_cases = ConfiguredUseCaseSerializer(many=True)
