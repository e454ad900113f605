"""The choice of a language, at the foot of every page."""

from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST
from django.views.i18n import set_language


# Published pages give strangers no cookie, and so no token that a form could send. A forged request would change the
# language of a visitor's pages, and nothing else.
@login_not_required
@csrf_exempt
@require_POST
def choose_language(request: HttpRequest) -> HttpResponseBase:
    """Keep it in a cookie, and go back to the page: where the browser says it comes from, if that is here.

    The form does not hold the page's address: what a visitor added to that of a public page must not be in the page.
    """
    return set_language(request)
