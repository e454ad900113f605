"""The addresses of the site, and beside them that of a view which does no more than commit a row."""

from django.db import connection
from django.http import HttpRequest, HttpResponse
from django.urls import path
from django.views.decorators.csrf import csrf_exempt

from ldpsite.urls import urlpatterns as addresses_of_the_site


@csrf_exempt
def commit_a_row(request: HttpRequest) -> HttpResponse:
    with connection.cursor() as cursor:
        cursor.execute("INSERT INTO benchmark_row DEFAULT VALUES")
    return HttpResponse(status=202)


urlpatterns = [path("benchmark/row/", commit_a_row), *addresses_of_the_site]
