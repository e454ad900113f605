"""Recommended on your device: the published model in one page, whose script ranks in the browser of who looks.

Style, script and model are in the page itself, so that its policy can forbid every request.
"""

import base64
import hashlib
from functools import cache
from pathlib import Path
from typing import Any, Final

from django.contrib.auth.decorators import login_not_required
from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.formats import date_format
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from reports.access import training_tasks
from reports.formatting import whole
from reports.training.on_device import on_device_model
from reports.training.run_facts import RunFacts, shown_run
from reports.web.pages.people import reader
from reports.web.pages.training.training_answers import bound_words, drawn_words
from reports.web.pages.training.training_privacy import readable
from reports.web.pages.training.training_words import run_name, share_text

_STATIC: Final = Path(__file__).parents[3] / "static" / "reports"
# The choice of light or dark, as Django's admin keeps it.
_THEME: Final = mark_safe('document.documentElement.dataset.theme = localStorage.getItem("theme") || "auto";')


@login_not_required
@require_safe
def recommended(request: HttpRequest, slug: str) -> HttpResponse:
    found = readable(request, slug)
    if found is None:
        return redirect_to_login(request.get_full_path())
    shown = shown_run(found, request.GET.get("run", ""), private=True)
    context = {
        "task": found,
        "sees": training_tasks(reader(request), "view").filter(pk=found.pk).exists(),
        "icon": "data:image/svg+xml;base64," + base64.b64encode(_file("icon.svg").encode()).decode(),
        "style": _style(),
        "theme": _THEME,
        "script": _script(),
        "policy": policy(),
        **({} if shown is None else _model(shown)),
    }
    response = render(request, "reports/recommended.html", context)
    response.headers["Content-Security-Policy"] = policy()
    response.headers["Referrer-Policy"] = "no-referrer"
    return response


def _model(shown: RunFacts) -> dict[str, Any]:
    model = on_device_model(shown.run)
    if model is None:
        return {}
    return {
        "model": model,
        "count": whole(len(model["names"])),
        "all": whole(model["all"]) if model["all"] > len(model["names"]) else "",
        "name": run_name(shown),
        "finished": date_format(shown.run.finished_at, "DATE_FORMAT") if shown.run.finished_at else "",
        **_beaten(shown),
        "bound": "" if shown.target is None else " ".join([bound_words(shown.target), *drawn_words(shown)]),
        "is_simulated": not shown.run.by_devices,
        "has_file": shown.has_exact_figures_of_people,
        "texts": {
            "like": _("Like"),
            "dislike": _("Dislike"),
            "found": _("{shown} of {all} titles"),
            "ranked": _("From {marked} marked, {all} titles were ranked on your device in {took} ms."),
            "refused": _("Your browser refused: {directive}."),
            "sent": _("It was sent: your browser does not enforce the policy."),
        },
    }


def _beaten(shown: RunFacts) -> dict[str, str]:
    """Return the shares of choices that the first 20 and the most popular titles have, if these have more.

    Both are exact. The page may be everybody's, so that of people who may be real neither is on it.
    """
    if shown.has_exact_figures_of_people:
        return {}
    popular = shown.baseline("popularity", "recall_at_20")
    if shown.recall is None or popular is None or shown.recall >= popular:
        return {}
    return {"recall": share_text(shown.recall, None), "popular": share_text(popular, None)}


@cache
def policy() -> str:
    """Return the policy: the two scripts and the style of the page by their digests, and nothing else from anywhere."""
    return "; ".join(
        [
            "default-src 'none'",
            f"script-src {_digest(_THEME)} {_digest(_script())}",
            f"style-src {_digest(_style())}",
            "img-src data:",
            "connect-src 'none'",
            "form-action 'none'",
            "base-uri 'none'",
            "frame-ancestors 'none'",
        ]
    )


def _digest(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


@cache
def _file(name: str) -> str:
    return (_STATIC / name).read_text(encoding="utf-8")


# Files of the program itself: safe in the page.


def _script() -> SafeString:
    return mark_safe(_file("recommended.js"))  # noqa: S308


def _style() -> SafeString:
    return mark_safe(_file("look.css") + _file("site.css") + _file("recommended.css"))  # noqa: S308
