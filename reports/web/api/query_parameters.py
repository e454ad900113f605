"""Parameters of queries of the API, for its description; `reports.results` reads them, for pages and API alike."""

from typing import Any

from drf_spectacular.utils import inline_serializer
from rest_framework.fields import CharField, ChoiceField, DateField, Field, IntegerField, ListField

from reports.results import GROUPINGS, HISTOGRAM_SORTS, MOST_DAYS, SCALES, UNITS, VALUES, WORDS
from reports.results.comparison import COMPARISON_SORTS, OTHER
from reports.results.trend import FACETS, MOST_ELEMENTS, STEPS


def _field(
    kind: type[Field[Any, Any, Any, Any]], words: str, *choices: Any, **limits: Any
) -> Field[Any, Any, Any, Any]:
    """An optional parameter."""
    if choices:
        limits["choices"] = choices
    if kind is CharField:
        limits["allow_blank"] = True
    return kind(required=False, help_text=words, **limits)


_VERSION = {"version": _field(IntegerField, "The newest that has results if left out.", min_value=1)}
_LOCALE = {"locale": _field(CharField, "The first of the version if left out.")}
_PAGE = {"page": _field(IntegerField, "Which page of the list, 100 entries each; the first if left out.", min_value=1)}
_LISTED = {
    "top": _field(IntegerField, "Only the first so many, in the order asked for.", min_value=1, max_value=999_999),
    "q": _field(CharField, "Only what has this in its name."),
}

UPLOAD = inline_serializer(
    "UploadQuery",
    {
        "day": _field(DateField, "The day of UTC that the reports belong to; today if left out."),
        "strict": _field(ChoiceField, "Whether to refuse all at the first problem.", "true", "false"),
    },
)
PAGE = inline_serializer("PageQuery", {**_PAGE})
LOCALES = inline_serializer("LocalesQuery", {**_VERSION, **_PAGE})
WINDOWS = inline_serializer("WindowsQuery", {**_VERSION, **_LOCALE, **_PAGE})
HISTOGRAM = inline_serializer(
    "HistogramQuery",
    {
        **_VERSION,
        **_LOCALE,
        **_LISTED,
        "from": _field(DateField, "The first day of the window."),
        "to": _field(DateField, "The last day of the window."),
        "days": _field(
            IntegerField,
            "How many days the window has, in place of its first. It ends on the last day asked for, or on the newest"
            " that is shown. Not where words are discovered.",
            min_value=1,
            max_value=MOST_DAYS,
        ),
        "group": _field(ChoiceField, "Groups in place of elements.", *GROUPINGS),
        "category": _field(CharField, "Only elements of this category."),
        "sort": _field(ChoiceField, "The order; by rank if left out.", *HISTOGRAM_SORTS),
        "words": _field(ChoiceField, "Which discovered words; all but rejected ones if left out.", *WORDS),
        "values": _field(
            ChoiceField,
            "That the consistent estimates are what is wanted, only where the dictionary holds every possible element."
            " The raw ones are there, too.",
            *VALUES,
        ),
        "unit": _field(ChoiceField, "Of the chart of the page; changes nothing here.", *UNITS),
        "scale": _field(ChoiceField, "Of the chart of the page; changes nothing here.", *SCALES),
    },
)
PRODUCT_LIST = inline_serializer(
    "ProductListQuery", {"version": _field(IntegerField, "The newest if left out.", min_value=1)}
)
COMPARISON = inline_serializer(
    "ComparisonQuery",
    {
        **_VERSION,
        **_LISTED,
        **{
            f"{prefix}{name}": _field(kind, f"{words} of the {side} side.", **limits)
            for prefix, side in (("", "first"), (OTHER, "second"))
            for name, kind, words, limits in (
                ("locale", CharField, "The locale", {}),
                ("from", DateField, "The first day of the window", {}),
                ("to", DateField, "The last day of the window", {}),
                ("days", IntegerField, "The length of the window, in place of its first day,", {"min_value": 1}),
            )
        },
        "sort": _field(ChoiceField, "The order; by the size of the difference if left out.", *COMPARISON_SORTS),
    },
)
ALL_LOCALES = inline_serializer(
    "AllLocalesQuery",
    {
        **_VERSION,
        "from": _field(DateField, "The first day of the window."),
        "to": _field(DateField, "Its last day; the newest that is shown if left out."),
        "days": _field(
            IntegerField,
            "How many days it has, in place of its first; 7 if left out. Not where words are discovered.",
            min_value=1,
            max_value=MOST_DAYS,
        ),
        "top": _field(
            IntegerField,
            "Elements that are among the first so many of some locale; 5 if left out.",
            min_value=1,
            max_value=999_999,
        ),
        "locale": _field(CharField, "Only elements that are among the first of this one."),
        "q": _field(CharField, "Only what has this in its name."),
        "sort": _field(
            CharField,
            "name, or a locale, the largest share in it first; with a minus the other way round. By the largest share"
            " anywhere if left out.",
        ),
    },
)
CHANGES = inline_serializer(
    "ChangesQuery",
    {
        **_VERSION,
        "locale": _field(CharField, "Only this one; all of the version if left out."),
        "from": _field(DateField, "The first day of the newer window; the other one is as long, and ends before it."),
        "to": _field(DateField, "Its last day; the newest that is shown if left out."),
        "days": _field(
            IntegerField,
            "How many days it has, in place of its first; 7 if left out. Not where words are discovered, whose windows"
            " are those of their lists.",
            min_value=1,
            max_value=MOST_DAYS,
        ),
        "top": _field(IntegerField, "Only the first so many, the clear ones first.", min_value=1, max_value=999_999),
    },
)
TREND = inline_serializer(
    "TrendQuery",
    {
        **_VERSION,
        **_LOCALE,
        "element": _field(
            ListField,
            "An element; given several times, several of them. If left out, the largest of the newest window and, of"
            " all others, the one that changed most.",
            child=CharField(),
            max_length=MOST_ELEMENTS,
        ),
        "from": _field(DateField, "The first day."),
        "to": _field(DateField, "The last day; the newest that is shown if left out."),
        "days": _field(IntegerField, "How many days, if the first is left out.", min_value=1),
        "step": _field(ChoiceField, "Windows of so many days.", *STEPS),
        "facets": _field(ChoiceField, "Of the chart of the page; changes nothing here.", *FACETS),
    },
)
