"""Pages of results: all that they have in common, from an address to the page, its file, and what is embedded of it."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Generic, Protocol, Self, TypeVar
from urllib.parse import urlencode

from django.contrib.auth.models import User
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.decorators import method_decorator
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from reports.access import owned, use_cases
from reports.formatting import whole
from reports.models import SavedView, UseCase, Version
from reports.results import NotInVersion, QueryError, Table, page_address, with_versions
from reports.results.comparison import OTHER
from reports.viewings import record_once_a_day, record_viewing
from reports.web.pages.addresses import exact_address
from reports.web.pages.bookmarks.visits import remember
from reports.web.pages.embed.embedded import Embedded
from reports.web.pages.exports import Export, Form, downloads, file_of
from reports.web.pages.figures import Result
from reports.web.pages.kinds import PageKind, page_kind
from reports.web.pages.people import person
from reports.web.pages.windows import WindowControl, as_sent, with_typed, without_window, wrong_window

Parameters = Mapping[str, str | list[str]]


class Query(Protocol):
    """A query with parameters that can be dropped."""

    @classmethod
    def from_parameters(cls, parameters: QueryDict, /) -> Any: ...

    def without(self, field: str, /) -> Self: ...

    def encoded(self) -> str: ...


class View(Protocol):
    """View of a query."""

    @property
    def use_case(self) -> UseCase: ...

    @property
    def version(self) -> Version | None: ...

    @property
    def query(self) -> Any: ...

    def exact(self) -> Query: ...


Asked = TypeVar("Asked", bound=Query)
Found = TypeVar("Found", bound=View)


@dataclass(frozen=True, kw_only=True)
class Content:
    """All that a page shows."""

    view: View
    result: Result | None
    owner: bool
    controls: object = None
    # The tab that it is in.
    tab: str

    @property
    def kind(self) -> PageKind:
        return page_kind(self.view.version)

    @property
    def minimum(self) -> str:
        return whole(self.view.use_case.minimum_reports)


class ResultsPage(ABC, Generic[Asked, Found]):
    """A page of results of a use case, as it is read, written as a file, and embedded."""

    # The name of its address, by which it is also saved.
    page: ClassVar[SavedView.Page]
    template: ClassVar[str]
    result_template: ClassVar[str]
    tab: ClassVar[str]
    # The form that is shown again when a date in it cannot be used.
    form_template: ClassVar[str] = ""
    # In front of the names of a window's parameters.
    prefixes: ClassVar[Sequence[str]] = ("",)
    # How many rows may be chosen, the usual number first; none where there is nothing to choose.
    usual_top: ClassVar[int | None] = None
    most_top: ClassVar[int] = 0
    # The names of the addresses of its files begin like this.
    files: ClassVar[str]
    nothing_to_write: ClassVar[Promise]
    query: type[Asked]

    # --- Given by each page ---

    @abstractmethod
    def find(
        self, use_case: UseCase, query: Asked, reader: User | None = None, *, results: bool = True
    ) -> Found | None:
        """Find what a query means; None if there is no such thing. Raises `QueryError`."""

    @abstractmethod
    def parameters(self, query: Asked, view: Found) -> Parameters:
        """Return the query string's content without what the page assumes anyway."""

    @abstractmethod
    def is_shown(self, view: Found) -> bool:
        """Tell whether the page shows any results."""

    @abstractmethod
    def result(self, view: Found, request: HttpRequest | None) -> Result | None:
        """Return the figure and its table, if there is one; embedded pages have no request and lead nowhere."""

    @abstractmethod
    def document(self, view: Found) -> dict[str, Any] | None: ...

    @abstractmethod
    def table(self, document: dict[str, Any]) -> Table: ...

    @abstractmethod
    def file_name(self, document: dict[str, Any]) -> str: ...

    def controls(self, view: Found) -> Any:
        """Return the form's content; None if there is nothing to choose."""

    def content(self, request: HttpRequest, view: Found, *, owner: bool) -> Content:
        return Content(
            view=view, result=self.linked(view, request), owner=owner, controls=self.controls(view), tab=self.tab
        )

    # --- The page ---

    @method_decorator(require_safe)
    def show(self, request: HttpRequest, slug: str) -> HttpResponse:
        use_case = get_object_or_404(with_versions(use_cases(person(request), "view")), slug=slug)
        try:
            query = self.read(as_sent(request.GET, *self.prefixes))
            view = self.applicable(use_case, query, person(request))
        except QueryError as error:
            return self.refusal(request, use_case, error)
        return self.missing(request, use_case, query) if view is None else self.respond(request, view)

    def read(self, sent: QueryDict) -> Asked:
        """Read a query string, and fill in what the page assumes. Raises `QueryError`."""
        query = self.query.from_parameters(sent)
        if self.usual_top is not None:
            query = replace(query, top=query.top or self.usual_top)
            if query.top > self.most_top:
                raise QueryError("top", _("A page shows at most %(most)s elements.") % {"most": self.most_top})
        found: Asked = query
        return found

    def applicable(
        self, use_case: UseCase, query: Asked, reader: User | None = None, *, results: bool = True
    ) -> Found | None:
        """Find a view without the parameters that its version does not have: forms send them when another is chosen."""
        while True:
            try:
                return self.find(use_case, query, reader, results=results)
            except NotInVersion as error:
                query = query.without(error.field)

    def missing(self, request: HttpRequest, use_case: UseCase, query: Asked) -> HttpResponse:
        raise Http404

    def respond(self, request: HttpRequest, view: Found) -> HttpResponse:
        parameters = self.parameters(view.query, view)
        if dict(request.GET.lists()) != {name: [v] if isinstance(v, str) else v for name, v in parameters.items()}:
            # One view, one address: without the defaults that a form sends.
            return redirect(f"{request.path}?{urlencode(parameters, doseq=True)}".rstrip("?"))
        return self.render(request, view)

    def render(self, request: HttpRequest, view: Found, **more: object) -> HttpResponse:
        if self.is_shown(view):
            self._note(request, view)
        content = self.content(request, view, owner=view.use_case.pk in owned(person(request)))
        context = {"page": content, "use_case": view.use_case, "result": content.result}
        return render(request, self.template, context | more)

    def _note(self, request: HttpRequest, view: Found) -> None:
        """Record that a person saw results, and the view as the one that was visited last."""
        if "X-Part" in request.headers:
            # The page asks again with each letter typed.
            record_once_a_day(person(request), [view.use_case], "page")
            return
        record_viewing(person(request), view.use_case, "page")
        # Names typed to add an element, and parameters that no page knows, are not kept.
        remember(person(request), view.use_case, self.page, urlencode(self.parameters(view.query, view), doseq=True))

    def linked(self, view: Found, request: HttpRequest) -> Any:
        """Return the result with its files and the address of exactly this."""
        result, exactly = self.result(view, request), view.exact().encoded()
        if result is None:
            return None
        files = downloads(self.files, view.use_case.slug, query=exactly)
        return replace(result, downloads=files, exactly=exact_address(request, exactly))

    # --- Choices that cannot be used ---

    def refusal(self, request: HttpRequest, use_case: UseCase, error: QueryError) -> HttpResponse:
        """Show the form with what was typed and what is wrong, where that is a window; else a page that says it."""
        field = _labels(sides=len(self.prefixes) > 1).get(error.field, error.field)
        context = {"use_case": use_case, "error": error, "field": field}
        form = self._form_again(request, use_case, error) if self.form_template else None
        template = "reports/bad_query.html" if form is None else "reports/bad_dates.html"
        return render(request, template, context | (form or {}), status=400)

    def _form_again(self, request: HttpRequest, use_case: UseCase, error: QueryError) -> dict[str, object] | None:
        """Return the form with all that is wrong with its windows; None if something else is wrong, too."""
        asked = typed = as_sent(request.GET, *self.prefixes)
        wrong: dict[str, QueryError] = {}
        while True:
            prefix = wrong_window(error, self.prefixes)
            if prefix is None or prefix in wrong:
                return None
            wrong[prefix] = error
            asked = without_window(asked, prefix)
            try:
                # It shows no results, so no viewing is recorded.
                view = self.applicable(use_case, self.read(asked), results=False)
                break
            except QueryError as another:
                error = another
        controls = None if view is None else self.controls(view)
        if view is None or controls is None:
            return None
        windows = {
            each.prefix: with_typed(each, typed, wrong[each.prefix]) if each.prefix in wrong else each
            for each in self.windows(controls)
        }
        return {
            "controls": self.with_windows(controls, windows),
            "form": self.form_template,
            "tab": self.tab,
            "query": view.query,
            "locale": getattr(view.query, "locale", None),
            "date_is_wrong": any(not each.field.endswith("days") for each in wrong.values()),
        }

    def windows(self, controls: Any) -> list[WindowControl]:
        return [controls.window]

    def with_windows(self, controls: Any, windows: dict[str, WindowControl]) -> Any:
        return replace(controls, window=windows[""])

    # --- Its file, and embedded ---

    def file(self, request: HttpRequest, slug: str, form: Form) -> HttpResponseBase:
        """Write the page's query, rows and order as a file."""
        use_case = get_object_or_404(use_cases(person(request), "view"), slug=slug)
        try:
            view = self.written_view(use_case, self.query.from_parameters(request.GET), person(request))
        except QueryError as error:
            words = _("%(name)s: %(value)s") % {"name": error.field, "value": error}
            return HttpResponse(words, content_type="text/plain; charset=utf-8", status=400)
        document = None if view is None else self.document(view)
        if view is None or document is None:
            raise Http404(self.nothing_to_write)
        record_viewing(person(request), use_case, form)
        document["address"] = page_address(request, self.page, use_case, view.exact())
        return file_of(Export(document, self.table(document), self.file_name(document)), form)

    def written_view(self, use_case: UseCase, query: Asked, reader: User | None = None) -> Found | None:
        """Find what files and programs have, where that is not what the page has."""
        return self.find(use_case, query, reader)

    def embedded(self, use_case: UseCase, parameters: QueryDict) -> Embedded | None:
        """Return the content of an embedded page; None if there is nothing to see. Raises `QueryError`."""
        view = self.embedded_view(use_case, parameters)
        result = None if view is None else self.result(view, None)
        if view is None or result is None:
            return None
        return Embedded(self.result_template, result, view.exact().encoded())

    def embedded_view(self, use_case: UseCase, parameters: QueryDict) -> Found | None:
        """Find what strangers may see; no more rows than the page has."""
        query = self.query.from_parameters(parameters)
        if self.usual_top is not None:
            query = replace(query, top=min(query.top or self.usual_top, self.most_top))
        return self.find(use_case, query)


def _labels(*, sides: bool) -> dict[str, str]:
    """Return the labels that forms give to the parameters."""
    of_side = {"locale": _("Locale"), "from": _("From"), "to": _("To"), "days": _("Days")}
    labels = {
        "version": _("Version"),
        "element": _("Elements"),
        "step": _("Step"),
        "group": _("Group by"),
        "category": _("Category"),
        "top": _("Show the top"),
        "q": _("Search by name"),
        "words": _("Words"),
        "values": _("Values"),
        "unit": _("Chart"),
        "scale": _("Axis"),
    }
    if not sides:
        return labels | of_side
    words = _("%(side)s: %(field)s")
    for prefix, side in (("", _("First side (A)")), (OTHER, _("Second side (B)"))):
        labels |= {f"{prefix}{name}": words % {"side": side, "field": label} for name, label in of_side.items()}
    return labels
