"""Lists for products: what there is, and the version that products read."""

from django.db.models import Max, Q
from django.http import Http404
from django.shortcuts import get_object_or_404
from rest_framework.decorators import permission_classes
from rest_framework.exceptions import NotAuthenticated
from rest_framework.permissions import AllowAny
from rest_framework.request import Request
from rest_framework.response import Response

from reports import access
from reports.results import number_parameter
from reports.viewings import record_viewing
from reports.web.api import descriptions, query_parameters
from reports.web.api.reading import page_of, reads
from reports.web.api.serializers import ProductListSerializer, ProductListVersionSerializer


@descriptions.product_lists
@reads(query_parameters.PAGE)
def product_lists(request: Request, slug: str) -> Response:
    """The lists of a use case."""
    use_case = get_object_or_404(access.use_cases(request.user, "view"), slug=slug)
    newest = Max("versions__number", filter=Q(versions__approved_at__isnull=False))
    rows = use_case.product_lists.annotate(newest=newest).order_by("name")
    return page_of(request, rows, ProductListSerializer, use_case=use_case)


@descriptions.product_list
@reads(query_parameters.PRODUCT_LIST)
@permission_classes([AllowAny])
def product_list(request: Request, slug: str, name: str) -> Response:
    """An approved version of a list; to others than viewers of its use case only if the list is public."""
    found = access.product_lists(request.user).filter(use_case__slug=slug, name=name).first()
    if found is None:
        raise Http404 if request.user.is_authenticated else NotAuthenticated
    number = number_parameter(request.query_params, "version")
    approved = found.versions.approved().select_related("product_list__use_case")
    version = (approved.filter(number=number) if number is not None else approved).first()
    if version is None:
        raise Http404
    if not found.is_public:
        record_viewing(request.user, found.use_case, "api")
    return Response(ProductListVersionSerializer(version).data)
