"""Reasons for which something of an upload is left out, in words, for answers to senders and for pages."""

from django.utils.translation import gettext_lazy as _

_WORDS = {
    "malformed_document": _("A document does not have the form that the specification asks for."),
    "wrong_version": _("A document has another version of the format."),
    "unknown_field": _("A document has a field that is not allowed there."),
    "unknown_use_case": _("There is no such use case."),
    "unknown_locale": _("The use case does not declare the locale."),
    "version_closed": _(
        "The version of the use case no longer accepts reports, or the use case is paused or archived, or no longer"
        " keeps reports of so old a day."
    ),
    "parameters_mismatch": _("No version has the stated algorithm and parameters."),
    "malformed_record": _(
        "The record does not have the form that its algorithm asks for: see the report format, section 4."
    ),
    "row_out_of_range": _("The record names a hash row that the sketch does not have."),
    "coordinate_out_of_range": _("The record names a coordinate, a bucket or an element that there is not."),
    "wrong_length": _("The bit vector or the subset of the record has the wrong length."),
}
REASONS = frozenset(_WORDS)
# Fields of a document that a reason is about, as the report format calls them; for a record also the letter there.
_FIELDS: dict[str, tuple[str, ...]] = {
    "malformed_document": ("version", "segments", "use_case", "locale", "algorithm", "parameters", "records"),
    "wrong_version": ("version",),
    # The name of a field that may not be there is the sender's text: it is neither kept nor repeated.
    "unknown_field": (),
    "unknown_use_case": ("use_case",),
    "unknown_locale": ("locale",),
    "version_closed": ("use_case", "parameters"),
    "parameters_mismatch": ("algorithm", "parameters"),
    "malformed_record": ("records",),
    "row_out_of_range": ("records", "j"),
    "coordinate_out_of_range": ("records", "l", "y"),
    "wrong_length": ("records", "hex"),
}


def reason_in_words(reason: str) -> str:
    return str(_WORDS.get(reason, reason))


def fields_of(reason: str) -> tuple[str, ...]:
    """Return the fields of the format that a reason is about; none if it may be any."""
    return _FIELDS.get(reason, ())
