from django.contrib import admin
from django.urls import include, path

handler500 = "reports.web.pages.server_error.server_error"

urlpatterns = [
    path("admin/", admin.site.urls),
    path("", include("reports.web.urls")),
]
