from django.contrib import admin
from django.urls import include, path
from django.utils.module_loading import autodiscover_modules

handler500 = "reports.web.pages.server_error.server_error"

autodiscover_modules("admin", "web.admin", register_to=admin.site)

urlpatterns = [
    path("admin/", admin.site.urls),
    path("", include("reports.web.web_urls")),
]
