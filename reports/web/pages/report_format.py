"""The report format: why records are left out and what to do about it, and the whole format as text."""

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_safe

from reports.web.pages.reasons import reason_of

_TEXT = settings.BASE_DIR / "docs" / "report-format.md"


_DOCUMENT, _SEGMENT, _RECORD = _("the document"), _("the segment"), _("the record")
# By reason, the smallest unit that is dropped for it, and what to do. As the text has them: what comes first counts,
# where several apply.
_RULES: dict[str, tuple[Promise, Promise]] = {
    "malformed_document": (
        _DOCUMENT,
        _("Write every field of the example, with a value of its kind, each once; and 1 to 64 segments."),
    ),
    "unknown_field": (
        _DOCUMENT,
        _("Leave out every field that is not in the example, also inside parameters: no identifier may hide there."),
    ),
    "wrong_version": (_DOCUMENT, _("Write 1: no other version of the format is read here.")),
    "unknown_use_case": (
        _SEGMENT,
        _("Write the identifier of a use case that exists and that the sender may upload reports for."),
    ),
    "unknown_locale": (
        _SEGMENT,
        _("Write one of the locales that the version declares, or add the locale to the version in the admin."),
    ),
    "parameters_mismatch": (
        _SEGMENT,
        _("Write algorithm and parameters exactly as the device configuration has them, hash and seed included."),
    ),
    "version_closed": (
        _SEGMENT,
        _(
            "Let devices read their configuration again if a new version is active; resume the use case if it is paused"
            " or archived; and send reports before their retention is over."
        ),
    ),
    "malformed_record": (
        _RECORD,
        _(
            "Write a text of the form that the algorithm has, without spaces, signs, leading zeros or capital letters;"
            " a subset in ascending order."
        ),
    ),
    "row_out_of_range": (_RECORD, _("j is a hash row: write a number from 0 to k − 1.")),
    "coordinate_out_of_range": (
        _RECORD,
        _("Write a coordinate l from 0 to m − 1, a bucket y from 0 to g − 1, an element of a subset from 0 to D − 1."),
    ),
    "wrong_length": (
        _RECORD,
        _("hex holds the m bits of a vector: write exactly m/4 digits. A subset has exactly w elements."),
    ),
}


@require_safe
def report_format(request: HttpRequest) -> HttpResponse:
    rules = [(reason_of(name), unit, remedy) for name, (unit, remedy) in _RULES.items()]
    return render(request, "reports/report_format.html", {"rules": rules})


@require_safe
def report_format_text(request: HttpRequest) -> HttpResponse:
    """The specification as it stands beside the code, in English."""
    try:
        return HttpResponse(_TEXT.read_bytes(), content_type="text/plain; charset=utf-8")
    except FileNotFoundError as error:
        raise Http404 from error
