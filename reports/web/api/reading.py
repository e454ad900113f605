"""Rules of all reads: which parameters they take, entity tags, and lists in pages."""

import re
from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any, Final

from django.core.paginator import InvalidPage, Paginator
from django.db.models import QuerySet
from django.http import QueryDict
from django.utils.translation import gettext as _
from django.views.decorators.http import conditional_page
from rest_framework.decorators import api_view
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.serializers import BaseSerializer

from reports.results import QueryError, number_parameter

View = Callable[..., Response]

PAGE_SIZE: Final = 100
_NAME = re.compile(r"[\w-]{1,40}")


def reads(query: Any = None) -> Callable[[View], View]:
    """Make a view of GET alone, which takes the parameters of `query`.

    It answers 400 to any other parameter and to a `QueryError`, and 304 if the caller has the answer already.
    """
    known = tuple(query.fields) if query is not None else ()

    def decorate(view: View) -> View:
        @wraps(view)
        def answer(request: Request, *arguments: Any, **named: Any) -> Response:
            _refuse_unknown(request.query_params, known)
            return view(request, *arguments, **named)

        found: View = conditional_page(api_view(["GET"])(answer))
        return found

    return decorate


def _refuse_unknown(parameters: QueryDict, known: Sequence[str]) -> None:
    """Raise `QueryError` for a parameter that would be passed over: it may be a misspelt one."""
    unknown = sorted(parameters.keys() - set(known))
    if not unknown:
        return
    # A text that is no name is said to be there, and no more.
    named = ", ".join(name if _NAME.fullmatch(name) else "…" for name in unknown)
    if not known:
        raise QueryError("query", _("This address takes no parameters, and not %(unknown)s.") % {"unknown": named})
    words = _("There is no parameter %(unknown)s here. Those that there are: %(known)s.")
    raise QueryError("query", words % {"unknown": named, "known": ", ".join(known)})


def page_of(
    request: Request,
    rows: QuerySet[Any] | Sequence[Any],
    serializer: Callable[..., BaseSerializer[Any]],
    **context: object,
) -> Response:
    """Answer with a page of a list, and the address of the next one. The serializer knows the request, and `context`.

    Raises `QueryError`.
    """
    pages = Paginator(rows, PAGE_SIZE)
    try:
        page = pages.page(number_parameter(request.query_params, "page") or 1)
    except InvalidPage:
        raise QueryError("page", _("The last page is %(last)s.") % {"last": pages.num_pages}) from None
    following = None
    if page.has_next():
        parameters = request.query_params.copy()
        parameters["page"] = str(page.next_page_number())
        following = request.build_absolute_uri(f"?{parameters.urlencode()}")
    return Response(
        {
            "count": pages.count,
            "next": following,
            "entries": serializer(page.object_list, many=True, context={"request": request, **context}).data,
        }
    )
