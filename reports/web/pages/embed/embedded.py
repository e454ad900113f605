"""Embedded pages: the result of a page, without anything that leads on."""

from collections.abc import Iterable
from typing import Final, NamedTuple

from django.http import QueryDict

from reports.models import Annotation
from reports.web.pages.figures import Result

# By this parameter a link says that everybody may read what was written about its days: about its use case, or also
# about all, which is not for owners to show to strangers. The pages themselves have no parameter of that name.
ANNOTATED: Final = "annotated"
OF_USE_CASE: Final = "1"
EVERYWHERE: Final = "all"
# By this one its maker lets programs that show links have its finding and a picture of its chart.
PREVIEWED: Final = "previewed"


class Embedded(NamedTuple):
    """A figure of a page without anything to choose, and the query string that shows the same when newer days come."""

    template: str
    result: Result
    exactly: str


def annotations_for(parameters: QueryDict, found: Iterable[Annotation]) -> tuple[Annotation, ...]:
    """Annotations that a link shows: none, unless its maker has chosen that."""
    shown = parameters.get(ANNOTATED)
    return tuple(each for each in found if shown == EVERYWHERE or (shown and each.use_case_id is not None))
