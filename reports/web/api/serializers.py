"""Documents that the API takes and gives; its description follows from them.

Those of results are in `result_serializers`.
"""

from collections.abc import Callable
from decimal import Decimal
from functools import partial
from typing import Any, Literal

from django.urls import reverse
from drf_spectacular.utils import extend_schema_field, inline_serializer
from rest_framework import serializers

from aggregation.mechanisms import MECHANISMS
from aggregation.registry import parameter_types
from reports.collection.ingest import FORMAT_VERSION, MAX_SEGMENTS, REASONS, Receipt
from reports.kinds import KINDS, kind_of
from reports.models import Batch, ProductList, UseCase, Version
from reports.results import State

MakeField = Callable[[], serializers.Field[Any, Any, Any, Any]]
Serializer = serializers.Serializer[Any]
Count = partial(serializers.IntegerField, min_value=0)
Positive = partial(serializers.IntegerField, min_value=1)
OrNone = partial(serializers.FloatField, allow_null=True)
PositiveOrNone = partial(Positive, allow_null=True)
AlgorithmField = partial(serializers.ChoiceField, sorted(MECHANISMS))


@extend_schema_field(
    {
        "type": "object",
        "propertyNames": {"enum": sorted(REASONS)},
        "additionalProperties": {"type": "integer", "minimum": 1},
    }
)
class RejectedField(serializers.DictField):
    def __init__(self, **more: Any) -> None:
        words = "How many records were left out, by reason; only reasons that occurred."
        super().__init__(child=Positive(), help_text=words, **more)


@extend_schema_field({"type": ["string", "object", "null"], "additionalProperties": {"type": "string"}})
class AlphabetField(serializers.JSONField):
    pass


# --- What is sent, and answers to it ---


_PARAMETER_FIELDS: dict[type, Callable[..., serializers.Field[Any, Any, Any, Any]]] = {
    Decimal: serializers.FloatField,
    int: Positive,
    str: serializers.CharField,
    bool: serializers.BooleanField,
}


class ParametersSerializer(Serializer):
    # Without hash functions a mechanism has neither.
    hash = serializers.ChoiceField(["quadratic-m31-v1"], required=False)
    seed = serializers.RegexField("^[0-9a-f]{32}$", required=False)
    size = Positive(required=False)
    dictionary = serializers.RegexField("^[0-9a-f]{32}$", required=False)

    def get_fields(self) -> dict[str, serializers.Field[Any, Any, Any, Any]]:
        others = {name: _PARAMETER_FIELDS[kind](required=False) for name, kind in sorted(parameter_types().items())}
        return super().get_fields() | others


class SegmentSerializer(Serializer):
    use_case = serializers.CharField()
    locale = serializers.CharField()
    algorithm = AlgorithmField()
    parameters = ParametersSerializer()
    records = serializers.ListField(child=serializers.CharField())


class UploadDocumentSerializer(Serializer):
    """An upload document of the report format, section 5."""

    version = serializers.ChoiceField([FORMAT_VERSION])
    segments = serializers.ListField(child=SegmentSerializer(), min_length=1, max_length=MAX_SEGMENTS)


class RecordProblemSerializer(Serializer):
    line = Positive()
    pointer = serializers.CharField()
    detail = serializers.CharField()


class ProblemSerializer(Serializer):
    """Problem details, as in RFC 9457. Of a body that was sent nothing is repeated."""

    type = serializers.RegexField("^urn:ldpsite:problem:[a-z-]+$", help_text="Stable.")
    title = serializers.CharField()
    status = serializers.IntegerField(min_value=400, max_value=599)
    detail = serializers.CharField(help_text="For people.")
    rejected = RejectedField(required=False)
    errors = serializers.ListField(child=RecordProblemSerializer(), max_length=20, required=False)  # type: ignore[assignment]
    state = serializers.ChoiceField(
        [str(state) for state in State if state not in {State.SHOWN, State.NONE_ABOVE}],
        required=False,
        help_text="Why nothing is shown; also the end of the type.",
    )


class ReceiptSerializer(Serializer):
    batch = serializers.UUIDField(
        allow_null=True, help_text="Null if the records were recognised; only an Idempotency-Key names a first batch."
    )
    status = serializers.SerializerMethodField()
    day = serializers.DateField(help_text="On which the reports count.")
    requested_day = serializers.DateField(help_text="For which they were sent. If it is closed, they count on another.")
    accepted = Count()
    rejected = RejectedField()
    errors = serializers.ListField(source="problems", child=RecordProblemSerializer(), max_length=20)  # type: ignore[assignment]
    detail = serializers.CharField(required=False, help_text="For people: what was not done as it was asked for.")

    def get_status(self, receipt: Receipt) -> Literal["stored", "duplicate"]:
        return "duplicate" if receipt.duplicate else "stored"


class BatchSerializer(Serializer):
    batch = serializers.UUIDField(source="pk")
    status = serializers.SerializerMethodField()
    day = serializers.DateField()
    accepted = Count()
    rejected = RejectedField()

    def get_status(self, batch: Batch) -> Literal["stored", "withdrawn"]:
        return "withdrawn" if batch.state == Batch.State.WITHDRAWN else "stored"


class DeviceAnswerSerializer(Serializer):
    accepted = Positive()
    rejected = RejectedField()


class RelayedSerializer(Serializer):
    accepted = serializers.ChoiceField([1])


class StatementsSerializer(Serializer):
    """Signed statements of both trusted processes, in base64: 64 bytes of Ed25519, then JSON."""

    aggregator = serializers.CharField()
    distributor = serializers.CharField()


class OpenRoundSerializer(Serializer):
    purpose = serializers.ChoiceField(["evaluate", "train"])
    round = Positive()
    contribution_bytes = Positive(help_text="The one length of sealed contributions.")
    request_bytes = Positive(help_text="The one length of sealed requests for rows.")
    statements = StatementsSerializer()


class OpenRoundsSerializer(Serializer):
    """Open rounds of a task, for devices; the same bytes for everybody."""

    task = serializers.SlugField()
    rounds = OpenRoundSerializer(many=True)


# --- Lists ---


def list_of(name: str, entry: type[Serializer]) -> Serializer:
    """A page of a list."""
    return inline_serializer(
        name,
        {
            "count": Count(help_text="Of the whole list."),
            "next": serializers.URLField(allow_null=True, help_text="The address of the next page, if there is one."),
            "entries": entry(many=True),
        },
    )


class UseCaseSerializer(Serializer):
    use_case = serializers.CharField(source="slug")
    title = serializers.CharField()
    description = serializers.CharField()
    state = serializers.ChoiceField(UseCase.State.values)
    address = serializers.SerializerMethodField()

    @extend_schema_field({"type": "string", "format": "uri", "description": "Its page."})
    def get_address(self, use_case: UseCase) -> str:
        address: str = self.context["request"].build_absolute_uri(reverse("use_case", args=[use_case.slug]))
        return address


class ProductListSerializer(Serializer):
    list = serializers.CharField(source="name")
    rule = serializers.ChoiceField(ProductList.Rule.values)
    is_public = serializers.BooleanField()
    version = Positive(source="newest", allow_null=True, help_text="The newest that was approved.")
    address = serializers.SerializerMethodField()

    @extend_schema_field({"type": "string", "format": "uri", "description": "Where to read it."})
    def get_address(self, product_list: ProductList) -> str:
        where = reverse("api_product_list", args=[self.context["use_case"].slug, product_list.name])
        address: str = self.context["request"].build_absolute_uri(where)
        return address


class ProductListVersionSerializer(Serializer):
    """Elements by locale for a product to read, in the order of the rule."""

    use_case = serializers.CharField(source="product_list.use_case.slug")
    list = serializers.CharField(source="product_list.name")
    rule = serializers.ChoiceField(ProductList.Rule.values, source="product_list.rule")
    version = Positive(source="number")
    approved_on = serializers.DateField()
    locales = serializers.DictField(child=serializers.ListField(child=serializers.CharField()), source="elements")


class VersionSerializer(Serializer):
    version = Positive(source="number")
    state = serializers.ChoiceField([state for state in Version.State.values if state != Version.State.DRAFT])
    is_default = serializers.SerializerMethodField(help_text="Whether it is shown to those who name none.")
    kind = serializers.SerializerMethodField()
    algorithm = AlgorithmField()
    parameters = serializers.SerializerMethodField()
    locales = serializers.ListField(child=serializers.CharField(), min_length=1)

    def get_is_default(self, version: Version) -> bool:
        default: Version | None = self.context["default"]
        return version == default

    @extend_schema_field({"type": "string", "enum": sorted(KINDS)})
    def get_kind(self, version: Version) -> str:
        return kind_of(version).name

    @extend_schema_field(ParametersSerializer)
    def get_parameters(self, version: Version) -> dict[str, Any]:
        return version.mechanism.encoded_parameters()


class ShownLocaleSerializer(Serializer):
    locale = serializers.CharField()
    first_day = serializers.DateField(allow_null=True, help_text="Of which something is shown.")
    last_day = serializers.DateField(allow_null=True)


class WindowSerializer(Serializer):
    first_day = serializers.DateField()
    last_day = serializers.DateField()


# --- What devices are asked ---


class BudgetGroupSerializer(Serializer):
    name = serializers.CharField()
    daily_limit = Positive()


class ConfiguredUseCaseSerializer(Serializer):
    slug = serializers.CharField()
    title = serializers.CharField()
    daily_limit = Positive()
    budget_group = serializers.CharField(allow_null=True)
    algorithm = AlgorithmField()
    parameters = ParametersSerializer()
    normalization = serializers.CharField()
    keep_case = serializers.BooleanField()
    alphabet = AlphabetField()
    locales = serializers.ListField(child=serializers.CharField(), min_length=1)
    # Where devices need it.
    dictionary = serializers.ListField(child=serializers.CharField(), required=False)


class DeviceConfigurationSerializer(Serializer):
    """Questions to devices; the same bytes for everybody."""

    version = serializers.ChoiceField([1])
    budget_groups = BudgetGroupSerializer(many=True)
    use_cases = ConfiguredUseCaseSerializer(many=True)
