"""What requests and answers of the API look like, as JSON schemas; `descriptions` says which view has which."""

from typing import Any, TypeAlias

from aggregation.mechanisms import MECHANISMS
from reports.ingest.documents import FORMAT_VERSION, MAX_SEGMENTS, PARAMETER_FIELDS
from reports.ingest.reasons import REASONS
from reports.results.comparison.document import ROW_FIELDS
from reports.results.comparison.rows import Verdict
from reports.results.document import ENTRY_FIELDS, WORD_FIELDS
from reports.results.query import VALUES
from reports.results.states import State
from reports.results.trend.document import POINT_FIELDS, POINT_STATES
from reports.results.trend.query import STEPS

JsonSchema: TypeAlias = dict[str, Any]

TEXT: JsonSchema = {"type": "string"}
DATE: JsonSchema = {"type": "string", "format": "date"}
NUMBER: JsonSchema = {"type": "number"}
COUNT: JsonSchema = {"type": "integer", "minimum": 0}
POSITIVE: JsonSchema = {"type": "integer", "minimum": 1}
YES_OR_NO: JsonSchema = {"type": "boolean"}
ID: JsonSchema = {"type": "string", "format": "uuid"}
ALGORITHM: JsonSchema = {"type": "string", "enum": sorted(MECHANISMS)}


def one_of(*values: str) -> JsonSchema:
    return {"type": "string", "enum": list(values)}


def list_of(items: JsonSchema, **more: int) -> JsonSchema:
    return {"type": "array", "items": items, **more}


def or_null(schema: JsonSchema) -> JsonSchema:
    return schema | {"type": [schema["type"], "null"]}


def closed(properties: JsonSchema, optional: JsonSchema | None = None, **more: object) -> JsonSchema:
    """An object with these fields and no others."""
    return {
        "type": "object",
        "properties": properties | (optional or {}),
        "required": list(properties),
        "additionalProperties": False,
        **more,
    }


_PARAMETERS = closed(
    {"hash": one_of("quadratic-m31-v1"), "seed": {"type": "string", "pattern": "^[0-9a-f]{32}$"}},
    {name: NUMBER if "epsilon" in name else POSITIVE for name in sorted(PARAMETER_FIELDS - {"hash", "seed"})},
)
_REJECTED = {
    "type": "object",
    "description": "How many records were left out, by reason; only reasons that occurred.",
    "propertyNames": {"enum": sorted(REASONS)},
    "additionalProperties": POSITIVE,
}
_ERRORS = list_of(closed({"line": POSITIVE, "pointer": TEXT, "detail": TEXT}), maxItems=20)

DOCUMENT = closed(
    {
        "version": {"type": "integer", "enum": [FORMAT_VERSION]},
        "segments": list_of(
            closed(
                {
                    "use_case": TEXT,
                    "locale": TEXT,
                    "algorithm": ALGORITHM,
                    "parameters": _PARAMETERS,
                    "records": list_of(TEXT),
                }
            ),
            minItems=1,
            maxItems=MAX_SEGMENTS,
        ),
    },
    description="An upload document of the report format, section 5.",
)

PROBLEM = closed(
    {
        "type": {"type": "string", "pattern": "^urn:ldpsite:problem:[a-z-]+$", "description": "Stable."},
        "title": TEXT,
        "status": {"type": "integer", "minimum": 400, "maximum": 599},
        "detail": {"type": "string", "description": "For people."},
    },
    {
        "rejected": _REJECTED,
        "errors": _ERRORS,
        "state": one_of(*(str(state) for state in State if state not in {State.SHOWN, State.NONE_ABOVE}))
        | {"description": "Why nothing is shown; also the end of the type."},
    },
    description="Problem details, as in RFC 9457. Nothing that was sent is repeated.",
)

RECEIPT = closed(
    {
        "batch": or_null(ID)
        | {"description": "Null if the records were recognised; only an Idempotency-Key names a first batch."},
        "status": one_of("stored", "duplicate"),
        "day": DATE | {"description": "On which the reports count."},
        "requested_day": DATE | {"description": "For which they were sent. If it is closed, they count on another."},
        "accepted": COUNT,
        "rejected": _REJECTED,
        "errors": _ERRORS,
    },
    {"detail": {"type": "string", "description": "For people: what was not done as it was asked for."}},
)
BATCH = closed(
    {"batch": ID, "status": one_of("stored", "withdrawn"), "day": DATE, "accepted": COUNT, "rejected": _REJECTED}
)
DEVICE_ANSWER = closed({"accepted": POSITIVE, "rejected": _REJECTED})

_ENTRY_TYPES: JsonSchema = {
    "element": TEXT,
    "display": TEXT,
    "name": TEXT,
    "rank": POSITIVE,
    "category": TEXT,
    "members": POSITIVE,
    "consistent": or_null(NUMBER),
    "consistent_share": or_null(NUMBER),
    "first_seen": or_null(DATE),
    "last_seen": or_null(DATE),
    "is_new": YES_OR_NO,
    "may_be_prefix": YES_OR_NO,
    "lacks_last_letter_of": TEXT,
    "verdict": TEXT,
    "dictionary": TEXT,
}
_ENTRY = closed(
    {name: _ENTRY_TYPES.get(name, NUMBER) for name in ENTRY_FIELDS},
    {name: _ENTRY_TYPES[name] for name in WORD_FIELDS},
)
# What all documents say of where their numbers come from.
_PROVENANCE = {
    "use_case": TEXT,
    "version": POSITIVE,
    "algorithm": ALGORITHM,
    "parameters": _PARAMETERS,
    "confidence": NUMBER,
    "address": {"type": "string", "format": "uri", "description": "The page that shows exactly this."},
}
# Elements of the dictionary that are not counted in all of a window.
_NOT_COUNTED = list_of(closed({"element": TEXT, "display": TEXT, "since": or_null(DATE)}))
HISTOGRAM = closed(
    {
        **_PROVENANCE,
        "locale": TEXT,
        "grouping": TEXT,
        "first_day": DATE,
        "last_day": DATE,
        "n": POSITIVE,
        "dictionary_revision": or_null(POSITIVE),
        "dictionary_size": or_null(COUNT),
        "alpha": NUMBER,
        "threshold": or_null(NUMBER),
        "prescribed_threshold": or_null(POSITIVE),
        "below_threshold": COUNT,
        "values": one_of("raw", *VALUES),
        "generated_at": {"type": "string", "format": "date-time"},
        "not_counted": _NOT_COUNTED,
        "entries": list_of(_ENTRY),
    },
    # Only where words are discovered.
    {
        "words": TEXT,
        "candidates": COUNT,
        "smallest_share": or_null(NUMBER),
        "reports_by_position": list_of(COUNT),
        "cuts": list_of(NUMBER),
        "kept": list_of(COUNT),
        "capped": YES_OR_NO,
        "joined": COUNT,
        "strictness": NUMBER,
    },
    description=(
        "The release periods inside a window, added up: the report format, section 7, says what the fields mean."
        " Elements that are not counted in all of the window are in no entry."
    ),
)

_SIDE = closed(
    {
        "locale": TEXT,
        "first_day": DATE,
        "last_day": DATE,
        "n": POSITIVE,
        "threshold": NUMBER,
        "prescribed_threshold": or_null(POSITIVE),
        "below_threshold": COUNT,
        "below_at_most": NUMBER,
        "generated_at": {"type": "string", "format": "date-time"},
    },
)
_ROW_TYPES: JsonSchema = {
    "element": TEXT,
    "display": TEXT,
    "name": TEXT,
    "verdict": one_of(*map(str, Verdict)),
    "category": TEXT,
}
COMPARISON = closed(
    {
        **_PROVENANCE,
        "dictionary_revision": or_null(POSITIVE),
        "dictionary_size": or_null(COUNT),
        "alpha": NUMBER,
        "false_discovery_rate": NUMBER,
        "first": _SIDE,
        "second": _SIDE,
        "overlapping": YES_OR_NO,
        "listed": COUNT,
        "not_counted": _NOT_COUNTED,
        "entries": list_of(closed({name: _ROW_TYPES.get(name, or_null(NUMBER)) for name in ROW_FIELDS})),
    },
    description=(
        "Two published histograms side by side, in shares of reports. What is below the threshold on a side has no"
        " share there and no difference, but bounds of both. The difference is of the first side minus the second."
    ),
)

_POINT_TYPES: JsonSchema = {
    "first_day": DATE,
    "last_day": DATE,
    "element": TEXT,
    "display": TEXT,
    "name": TEXT,
    "state": one_of(*map(str, POINT_STATES)),
    "rank": or_null(POSITIVE),
    "n": or_null(POSITIVE),
    "prescribed_threshold": or_null(POSITIVE),
    "dictionary_revision": or_null(POSITIVE),
    "generated_at": or_null({"type": "string", "format": "date-time"}),
}
TREND = closed(
    {
        **_PROVENANCE,
        "locale": TEXT,
        "step": {"type": "integer", "enum": list(STEPS)},
        "first_day": DATE,
        "last_day": DATE,
        "points": list_of(closed({name: _POINT_TYPES.get(name, or_null(NUMBER)) for name in POINT_FIELDS})),
        "not_counted": list_of(closed({"locale": TEXT, "element": TEXT, "display": TEXT, "since": or_null(DATE)})),
        "annotations": list_of(closed({"day": DATE, "text": TEXT, "of_every_use_case": YES_OR_NO})),
    },
    description=(
        "Elements over days, in reports: each window has its own n and threshold. What is below the threshold has no"
        " estimate, but the most that it can be. Intervals are of each window by itself."
    ),
)

_ALPHABET = {"type": ["string", "object", "null"], "additionalProperties": TEXT}
CONFIGURATION = closed(
    {
        "version": {"type": "integer", "enum": [1]},
        "budget_groups": list_of(closed({"name": TEXT, "daily_limit": POSITIVE})),
        "use_cases": list_of(
            closed(
                {
                    "slug": TEXT,
                    "title": TEXT,
                    "daily_limit": POSITIVE,
                    "budget_group": or_null(TEXT),
                    "algorithm": ALGORITHM,
                    "parameters": _PARAMETERS,
                    "normalization": TEXT,
                    "keep_case": YES_OR_NO,
                    "alphabet": _ALPHABET,
                    "locales": list_of(TEXT, minItems=1),
                }
            )
        ),
    },
    description="What devices are asked; the same bytes for everybody.",
)

COMPONENTS: dict[str, JsonSchema] = {
    "UploadDocument": DOCUMENT,
    "Problem": PROBLEM,
    "Receipt": RECEIPT,
    "Batch": BATCH,
    "DeviceAnswer": DEVICE_ANSWER,
    "Histogram": HISTOGRAM,
    "Comparison": COMPARISON,
    "Trend": TREND,
    "DeviceConfiguration": CONFIGURATION,
}
